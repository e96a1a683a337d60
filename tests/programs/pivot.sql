CREATE TABLE t (k BIGINT, kind VARCHAR, year BIGINT, v BIGINT, w INTEGER);
CREATE VIEW wide AS SELECT * FROM (SELECT k, kind, v FROM t) PIVOT (SUM(v) AS s, COUNT(*) AS n FOR kind IN ('a', 'b' AS second, NULL AS other)) AS p;
CREATE VIEW two AS SELECT * FROM t PIVOT (MAX(w) FOR (kind, year) IN (('a', 1) AS a1, ('b', 2) AS b2));
CREATE VIEW all_rows AS SELECT "1", ten FROM (SELECT year, v FROM t) PIVOT (SUM(v) FILTER (WHERE v > 0) FOR year IN (1, 2 AS ten));
CREATE VIEW long AS SELECT * FROM t UNPIVOT (value FOR name IN (v, w AS 'narrow', year)) AS u;
CREATE VIEW long_nulls AS SELECT k, name, value FROM (SELECT k, v, w FROM t) UNPIVOT INCLUDE NULLS (value FOR name IN (v, w));
CREATE VIEW pairs AS SELECT k, label, x, y FROM t UNPIVOT ((x, y) FOR label IN ((v, w) AS 'first', (year, v) AS 'second'));
