CREATE TABLE u (k BIGINT, w BIGINT, name VARCHAR);
CREATE VIEW one AS SELECT 1 AS a, 'x' AS b, 2.50 AS c, DATE '2024-02-29' AS d;
CREATE VIEW list AS SELECT u.w, n.word FROM u JOIN (VALUES (1, 'one'), (2, 'two')) AS n(k, word) ON u.k = n.k;
CREATE VIEW numbered AS SELECT w, column2, column1 + 1 AS next FROM u JOIN (VALUES (1, 'one'), (2, 'two')) AS p ON u.k = p.column1;
