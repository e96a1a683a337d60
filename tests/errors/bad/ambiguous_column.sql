CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  ts TIMESTAMP
);
CREATE VIEW v AS SELECT amount FROM purchases a JOIN purchases b ON a.purchase_id = b.purchase_id;
