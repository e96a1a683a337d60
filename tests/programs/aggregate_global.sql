-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE VIEW totals AS SELECT COUNT(*) AS n, COUNT(k) AS nk, SUM(v) AS s, MIN(v) AS lo, MAX(v) AS hi FROM t;
CREATE VIEW partial AS SELECT COUNT(*) AS n, SUM(v) AS s, MAX(s) AS ms FROM t WHERE k = 4;
CREATE VIEW constant AS SELECT 1 AS one, COUNT(*) AS n FROM t;
