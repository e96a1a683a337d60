CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE VIEW words AS SELECT id, UPPER(s) AS up, s || '-' || s AS twice, CHAR_LENGTH(s) AS len, SUBSTRING(s FROM 2 FOR 2) AS part, TRIM(s) AS trimmed, REPLACE(s, 'a', 'xy') AS replaced, s LIKE '%b' AS ends FROM t;
CREATE VIEW by_word AS SELECT s, COUNT(*) AS n, MIN(id) AS least FROM t GROUP BY s;
