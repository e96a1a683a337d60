-- Payments of which the card number is checked and the amount is read by functions in Rust (udf.rs).

CREATE FUNCTION luhn(card VARCHAR NOT NULL) RETURNS BOOLEAN NOT NULL;
CREATE FUNCTION amount_of(text VARCHAR, decimal_comma BOOLEAN NOT NULL) RETURNS DECIMAL(12, 2);

CREATE TABLE payments (
  payment_id BIGINT NOT NULL PRIMARY KEY,
  card VARCHAR NOT NULL,
  country VARCHAR NOT NULL,
  amount VARCHAR
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/payments.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

-- A row whose amount cannot be read is no row of this view but one of error_view, until it is corrected.
CREATE MATERIALIZED VIEW good_payments AS
SELECT payment_id, country, amount_of(amount, country = 'DE') AS amount
FROM payments
WHERE luhn(card);

CREATE VIEW totals AS
SELECT country, COUNT(*) AS payments, SUM(amount) AS amount
FROM good_payments
GROUP BY country;
