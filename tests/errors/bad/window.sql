CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  ts TIMESTAMP
);
CREATE VIEW v AS SELECT ROW_NUMBER() OVER (ORDER BY ts) FROM purchases;
