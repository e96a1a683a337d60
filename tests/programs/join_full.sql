-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE TABLE u (k BIGINT, w BIGINT, name VARCHAR);
CREATE VIEW whole AS SELECT t.id, t.k AS tk, u.k AS uk, u.w FROM t FULL JOIN u ON t.k = u.k;
CREATE VIEW conditioned AS SELECT t.id, u.w FROM t FULL JOIN u ON t.k = u.k AND t.v > u.w;
CREATE VIEW merged AS SELECT k, id, w FROM t FULL JOIN u USING (k);
CREATE VIEW naturally AS SELECT * FROM u NATURAL JOIN (SELECT k, id FROM t) AS a;
