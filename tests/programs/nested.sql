-- Values with parts, bytes and instants: kept, compared, taken apart and made.
CREATE TYPE place AS (x INT, y VARCHAR NOT NULL);

CREATE TABLE things (
    k BIGINT NOT NULL,
    list INT ARRAY,
    lists VARCHAR ARRAY ARRAY,
    names MAP<VARCHAR, BIGINT>,
    pair ROW(a DECIMAL(8, 2), b DATE NOT NULL) NOT NULL,
    spot place,
    any_value VARIANT,
    bytes VARBINARY,
    id UUID,
    at TIMESTAMP WITH TIME ZONE,
    n INT UNSIGNED,
    wide BIGINT UNSIGNED NOT NULL
);

CREATE VIEW parts AS
SELECT k, list[1] AS first, CARDINALITY(list) AS length, lists[1][2] AS inner_text, names['a'] AS a, things.pair.b AS b,
    (spot).y AS y, any_value[1] AS element, TO_HEX(bytes) AS hex, CAST(id AS VARCHAR) AS id_text, at + INTERVAL '1' DAY AS later,
    n + 1 AS next, wide > 5 AS large
FROM things;

CREATE VIEW made AS
SELECT ARRAY[n, 7] AS numbers, MAP['k', k, 'n', n] AS named, ROW(k, list) AS both, place(1, CAST(k AS VARCHAR)) AS p,
    list || ARRAY[k] AS longer, CAST(list AS VARCHAR ARRAY) AS texts, CAST(pair AS VARIANT) AS v, bytes || x'00ff' AS more
FROM things
WHERE list IS NOT EMPTY OR names IS NULL;

CREATE VIEW groups AS
SELECT list, names, pair, COUNT(*) AS c, MAX(bytes) AS b, MIN(id) AS i, MAX(lists) AS l, SUM(n) AS s, MIN(any_value) AS v
FROM things
GROUP BY list, names, pair;

CREATE VIEW joined AS
SELECT a.k, b.k AS other, a.spot = b.spot AS same
FROM things a JOIN things b ON a.list = b.list AND a.id = b.id AND a.at = b.at;

CREATE VIEW firsts AS
SELECT list, any_value FROM things ORDER BY list DESC, any_value LIMIT 2;

CREATE FUNCTION above(list INT ARRAY, least INT) RETURNS INT ARRAY AS ARRAY_FILTER(list, x -> x > least);

CREATE VIEW lambdas AS
SELECT k, TRANSFORM(list, x -> x * 2 + k) AS doubled, ARRAY_EXISTS(list, x -> x > 2) AS large, above(list, 1) AS above,
    TRANSFORM(lists, l -> TRANSFORM(l, t -> t || CAST(CARDINALITY(l) AS VARCHAR))) AS deep,
    TRANSFORM(list, x -> 10 / x) AS quotients
FROM things;
