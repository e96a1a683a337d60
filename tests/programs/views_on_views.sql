-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE TABLE u (k BIGINT, w BIGINT, name VARCHAR);
CREATE LOCAL VIEW totals AS SELECT k, SUM(v) AS s, COUNT(*) AS n FROM t GROUP BY k;
CREATE VIEW named AS SELECT u.name, totals.s FROM totals JOIN u ON totals.k = u.k;
CREATE VIEW summary AS SELECT COUNT(*) AS groups, SUM(n) AS lines FROM totals;
CREATE VIEW twice AS WITH a AS (SELECT k, s FROM totals WHERE n > 1), b AS (SELECT k, COUNT(*) AS c FROM u GROUP BY k) SELECT a.k, a.s, b.c FROM a JOIN b ON a.k = b.k;
