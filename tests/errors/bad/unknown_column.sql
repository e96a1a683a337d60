CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  ts TIMESTAMP
);
CREATE VIEW v AS
SELECT customer_id, SUM(amout) FROM purchases GROUP BY customer_id;
