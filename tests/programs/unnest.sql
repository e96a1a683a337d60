-- Elements of arrays and entries of maps as rows, beside the row they come from.
CREATE TABLE orders (
    k BIGINT NOT NULL,
    items INT ARRAY,
    prices MAP<VARCHAR, INT>,
    lines ROW(part INT, name VARCHAR) ARRAY
);
CREATE TABLE parts (part INT, weight BIGINT NOT NULL);

CREATE VIEW items AS SELECT k, item FROM orders, UNNEST(items) AS item WHERE item > 0;
CREATE VIEW numbered AS
SELECT k, item, n FROM orders LEFT JOIN UNNEST(items) WITH ORDINALITY AS i(item, n) ON TRUE;
CREATE VIEW entries AS SELECT key, SUM(value) AS total, COUNT(*) AS c FROM orders CROSS JOIN UNNEST(prices) GROUP BY key;
CREATE VIEW weights AS
SELECT k, name, weight FROM orders, UNNEST(lines) AS l JOIN parts ON l.part = parts.part;
CREATE VIEW sides AS SELECT k, a, b, n FROM orders, UNNEST(items, lines) WITH ORDINALITY AS s(a, b, c, n);
CREATE VIEW totals AS SELECT k, (SELECT SUM(item) FROM UNNEST(orders.items) AS item) AS total FROM orders;
CREATE VIEW having AS SELECT k FROM orders WHERE EXISTS (SELECT 1 FROM UNNEST(orders.items) AS i WHERE i = orders.k);
CREATE VIEW filtered AS SELECT k, i FROM orders LEFT JOIN UNNEST(items) AS i ON i > 1;
CREATE VIEW series AS SELECT i FROM GENERATE_SERIES(1, 4) AS i;
