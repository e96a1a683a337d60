CREATE TYPE wide AS (a INT, b INT, c INT, d INT, e INT, f INT, g INT, h INT, i INT, j INT, k INT, l INT, m INT);
CREATE FUNCTION narrow(a wide ARRAY) RETURNS BIGINT;
