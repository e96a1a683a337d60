CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  ts TIMESTAMP
);
CREATE VIEW v AS SELECT purchase_id FROM purchases WHERE SUM(amount) > 3;
