CREATE TABLE person (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR NOT NULL, state VARCHAR NOT NULL);
CREATE TABLE auction (id BIGINT NOT NULL, seller BIGINT NOT NULL, category BIGINT NOT NULL);
CREATE VIEW v AS
SELECT p.name, p.city, p.state, a.id
FROM auction a JOIN person p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');
