-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE VIEW by_k AS SELECT k, COUNT(*) AS n, COUNT(v) AS nv, SUM(v) AS s, MIN(v) AS lo, MAX(v) AS hi FROM t GROUP BY k;
CREATE VIEW by_two AS SELECT k, s, b, COUNT(*) AS n, MAX(id) AS last FROM t GROUP BY k, s, b;
CREATE VIEW big AS SELECT k, SUM(v) AS s FROM t GROUP BY k HAVING COUNT(*) > 1 AND SUM(v) > 0;
CREATE VIEW expressions AS SELECT k + 1 AS up, SUM(v * 2) + COUNT(*) AS mixed FROM t GROUP BY k + 1;
