CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  ts TIMESTAMP
);
CREATE VIEW v AS SELECT LAG(amount) OVER (ORDER BY ts) FROM purchases;
