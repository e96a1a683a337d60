-- Purchases arrive from a file (or over HTTP), customers from another; two views are kept up to date.

CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  ts TIMESTAMP NOT NULL
) WITH ('connectors' = '[{
  "name": "history",
  "transport": {"name": "file_input", "config": {"path": "data/purchases.json"}},
  "format": {"name": "json", "config": {"update_format": "insert_delete", "array": false}}
}]');

-- A customer who moves to another country changes both rows of revenue_by_country.
CREATE TABLE customers (
  customer_id BIGINT NOT NULL PRIMARY KEY,
  country VARCHAR NOT NULL
) WITH ('connectors' = '[{
  "name": "directory",
  "transport": {"name": "file_input", "config": {"path": "data/customers.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE MATERIALIZED VIEW revenue_by_country
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/revenue_by_country.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT c.country, COUNT(*) AS purchases, SUM(p.amount) AS revenue
FROM purchases p JOIN customers c ON p.customer_id = c.customer_id
GROUP BY c.country;

-- Each change of this view is written as an insert or a delete.
CREATE VIEW big_spenders
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/big_spenders.json"}},
  "format": {"name": "json", "config": {"update_format": "insert_delete", "array": false}}
}]')
AS SELECT customer_id, SUM(amount) AS total
FROM purchases
GROUP BY customer_id
HAVING SUM(amount) > 10000;
