CREATE TABLE y (i8 TINYINT, i16 SMALLINT, i32 INTEGER, i64 BIGINT NOT NULL, d DECIMAL(12, 2), e DECIMAL(30, 5), r REAL, f DOUBLE, c CHAR(3), s VARCHAR, b BOOLEAN, dt DATE, tm TIME, ts TIMESTAMP);
CREATE VIEW same AS SELECT * FROM y;
CREATE VIEW arithmetic AS SELECT i64, i8 + i16 AS a, i32 - i64 AS b, d * e AS c, d / 4 AS q, r + f AS x, -f AS y, ABS(i32) AS z, CAST(d AS INTEGER) AS whole, CAST(i64 AS VARCHAR) AS t FROM y;
CREATE VIEW times AS SELECT i64, dt + INTERVAL '1' MONTH AS month_on, ts - INTERVAL '90' MINUTE AS earlier, EXTRACT(YEAR FROM dt) AS y, EXTRACT(HOUR FROM ts) AS h, CAST(ts AS DATE) AS day, tm < TIME '12:00:00' AS morning FROM y;
CREATE VIEW grouped AS SELECT i8, COUNT(d) AS n, SUM(d) AS sd, SUM(e) AS se, AVG(d) AS ad, SUM(f) AS sf, AVG(f) AS af, SUM(r) AS sr, MIN(dt) AS first, MAX(ts) AS last, MIN(c) AS c, MAX(e) AS e, EVERY(b) AS every_one, SOME(b) AS any_one FROM y GROUP BY i8;
CREATE VIEW counted AS SELECT i64, CAST(b AS INTEGER) AS one, CAST(b AS BIGINT) + i64 AS more, CAST(i32 AS BOOLEAN) AS some, dt + i16 AS later, i8 + dt AS later_too, dt - i32 AS earlier, dt - CAST(ts AS DATE) AS days, ts - dt AS since, tm - TIME '12:00:00' AS noon FROM y;
