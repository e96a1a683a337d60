-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE VIEW kept AS SELECT id, v + 1 AS next, v * 2 - COALESCE(g, 0) AS mixed FROM t WHERE k > 1 AND NOT (g = 2 AND b);
CREATE VIEW cases AS SELECT id, CASE WHEN k > 3 THEN 'high' WHEN k > 1 THEN 'mid' ELSE 'low' END AS level, CASE g WHEN 1 THEN v END AS one, NULLIF(k, 2) AS n FROM t;
CREATE VIEW logic AS SELECT id, k = g AS eq, k < g OR b AS either, k < g AND b AS both, k IS NULL AS missing, k IS DISTINCT FROM g AS differ, k IN (1, 2, NULL) AS listed, k BETWEEN 0 AND 2 AS inside FROM t;
CREATE VIEW first_known AS SELECT id, COALESCE(g, k, v, g + k, k + v, v + g, g * k, k * v) AS n, COALESCE(g, k, v, g + k, k + v, v + g, g * k, id) AS m, COALESCE(s, s || 'a', s || 'b', s || 'c', s || 'd', s || 'e', s || 'f', 'none') AS s FROM t;
