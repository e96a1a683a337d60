-- oracle: sqlite
CREATE TABLE t (id BIGINT NOT NULL, k BIGINT, g BIGINT, v BIGINT, s VARCHAR, b BOOLEAN);
CREATE TABLE u (k BIGINT, w BIGINT, name VARCHAR);
CREATE TABLE x (k BIGINT, j BIGINT, n BIGINT);
CREATE VIEW two AS SELECT t.id, u.w, u.name FROM t JOIN u ON t.k = u.k;
CREATE VIEW three AS SELECT t.id, u.w, x.n FROM t JOIN u ON t.k = u.k JOIN x ON u.k = x.k AND t.g = x.j;
CREATE VIEW theta AS SELECT u.k, x.j, u.w FROM u JOIN x ON u.w < x.n;
CREATE VIEW pairs AS SELECT a.id AS one, b.id AS other FROM t AS a JOIN t AS b ON a.k = b.k AND a.v < b.v;
CREATE VIEW crossed AS SELECT u.w, x.n FROM u, x WHERE u.k = 1;
