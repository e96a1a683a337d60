CREATE TABLE t (k INT, kind VARCHAR, v INT, s VARCHAR);
CREATE VIEW counts AS SELECT * FROM t PIVOT (SUM(v) FOR (kind, k) IN ('a', 'b'));
CREATE VIEW plain AS SELECT * FROM t PIVOT (ABS(v) FOR kind IN ('a'));
CREATE VIEW open AS SELECT * FROM t PIVOT (SUM(v) FOR kind IN (ANY));
CREATE VIEW types AS SELECT * FROM t UNPIVOT (x FOR name IN (v, s));
CREATE VIEW unknown AS SELECT * FROM t UNPIVOT (x FOR name IN (v, w));
CREATE VIEW uneven AS SELECT * FROM t UNPIVOT ((x, y) FOR name IN (v, k));
