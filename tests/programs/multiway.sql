-- Joins of several tables without intermediate state.
CREATE TABLE c (k INT, d INT, x INT) WITH ('expected_size' = '1000000');
CREATE TABLE a (k INT, x INT NOT NULL, s VARCHAR) WITH ('expected_size' = '1000');
CREATE TABLE b (k INT NOT NULL, d INT, y INT) WITH ('expected_size' = '5000');
CREATE TABLE d (d INT, z INT) WITH ('expected_size' = '100000');

-- All meet on one key.
CREATE VIEW star AS SELECT a.s, b.y, c.x FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k WHERE a.s <> 'a';

-- Conditions on one, on two, on all of them.
CREATE VIEW conditions AS
SELECT a.x, b.y, c.d FROM a, b, c WHERE a.k = b.k AND c.k = a.k AND b.y > 1 AND a.x <> c.x AND a.x + b.y + c.x < 6;

-- The middle one is small: two indexes of it hold less than the pairs.
CREATE VIEW chain AS SELECT c.x, b.y, d.z FROM c JOIN b ON c.k = b.k JOIN d ON b.d = d.d AND d.z IS NOT DISTINCT FROM b.y;

-- The changes of the result feed further operators.
CREATE VIEW counts AS
SELECT t.y, COUNT(*) AS n FROM (SELECT b.y, c.x FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k) t
WHERE EXISTS (SELECT 1 FROM d WHERE d.d = t.x) GROUP BY t.y;

CREATE VIEW four AS SELECT a.s, b.y, c.x, d.z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k JOIN d ON d.d = a.k WHERE a.x < 3;

-- What several views join is joined once for all of them.
CREATE VIEW shared AS SELECT a.x, b.y, d.z FROM a JOIN b ON a.k = b.k JOIN d ON d.d = b.k;

-- A table met twice, what can fail, and a grouped input are joined two by two.
CREATE VIEW twice AS SELECT a.x, b.y, o.y AS other FROM a JOIN b ON a.k = b.k JOIN b o ON o.k = a.k;
CREATE VIEW failing AS SELECT a.x FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k AND 6 / c.x > a.x;
CREATE VIEW grouped AS SELECT a.x, b.y, g.n FROM a JOIN b ON a.k = b.k JOIN (SELECT k, COUNT(*) AS n FROM c GROUP BY k) g ON g.k = a.k;
