-- Joins whose condition bounds a value of the other side, found by seeks.
CREATE TABLE a (k INT, ts TIMESTAMP, n INT NOT NULL, s VARCHAR);
CREATE TABLE b (k INT, ts TIMESTAMP NOT NULL, lo INT, hi INT, s VARCHAR);

-- An interval join: both sides bound the other from both ends.
CREATE VIEW near AS
SELECT a.n, b.lo FROM a JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL '1' HOUR AND a.ts + INTERVAL '1' HOUR;

-- Without a key, moved by a constant that may overflow.
CREATE VIEW moved AS SELECT a.n, b.hi FROM a JOIN b ON a.n + 10 > b.lo AND a.n <= b.lo + 5;

-- Bounds of one side only.
CREATE VIEW banded AS SELECT a.n, b.lo, b.hi FROM a JOIN b ON a.n >= b.lo AND a.n < b.hi;

CREATE VIEW without_partner AS SELECT a.n, b.lo, b.hi FROM a LEFT JOIN b ON a.n >= b.lo AND a.n < b.hi;

CREATE VIEW both_padded AS SELECT a.s, b.s AS t FROM a FULL JOIN b ON a.s > b.s;

CREATE VIEW present AS SELECT a.n, a.k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.ts > a.ts AND b.lo < a.n);

CREATE VIEW absent AS SELECT a.n, a.ts FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.ts > a.ts AND b.ts < a.ts + INTERVAL '2' DAY);

-- A condition that may fail stands between the ranges.
CREATE VIEW guarded AS SELECT a.n, b.lo FROM a JOIN b ON a.n < b.hi AND 12 / b.lo > 1 AND a.n > b.lo - 3;

CREATE VIEW itself AS SELECT x.n, y.n AS m FROM a x JOIN a y ON x.n < y.n AND y.n < x.n + 3;
