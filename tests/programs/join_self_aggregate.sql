-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE VIEW best AS SELECT t.id, m.top FROM t JOIN (SELECT k, MAX(v) AS top FROM t GROUP BY k) AS m ON t.k = m.k AND t.v = m.top;
CREATE VIEW share AS SELECT t.id, t.v, m.total FROM t LEFT JOIN (SELECT g, SUM(v) AS total FROM t GROUP BY g) AS m ON t.g = m.g;
