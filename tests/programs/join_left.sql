-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE TABLE u (k BIGINT, w BIGINT, name VARCHAR);
CREATE TABLE x (k BIGINT, j BIGINT, n BIGINT);
CREATE VIEW padded AS SELECT t.id, t.k, u.w FROM t LEFT JOIN u ON t.k = u.k;
CREATE VIEW conditioned AS SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.k AND t.v > u.w;
CREATE VIEW only_left AS SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.k AND t.b;
CREATE VIEW chain AS SELECT t.id, u.w, x.n FROM t LEFT JOIN u ON t.k = u.k LEFT JOIN x ON u.k = x.k;
CREATE VIEW righted AS SELECT t.id, u.k, u.name FROM t RIGHT JOIN u ON t.k = u.k;
CREATE VIEW counted AS SELECT u.k, COUNT(t.id) AS n, SUM(t.v) AS s FROM u LEFT JOIN t ON t.k = u.k GROUP BY u.k;
CREATE VIEW theta AS SELECT u.w, x.n FROM u LEFT JOIN x ON u.w < x.n;
