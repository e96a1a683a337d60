-- TPC-H: all eight tables, and the queries that need no LIMIT, window or outer-join counting. Tables carry no key: deltas of
-- lines and orders pass straight into the views, as in a stream of changes.

CREATE TABLE region (
  r_regionkey INTEGER NOT NULL,
  r_name CHAR(25) NOT NULL,
  r_comment VARCHAR(152) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/region.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE nation (
  n_nationkey INTEGER NOT NULL,
  n_name CHAR(25) NOT NULL,
  n_regionkey INTEGER NOT NULL,
  n_comment VARCHAR(152) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/nation.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE supplier (
  s_suppkey INTEGER NOT NULL,
  s_name CHAR(25) NOT NULL,
  s_address VARCHAR(40) NOT NULL,
  s_nationkey INTEGER NOT NULL,
  s_phone CHAR(15) NOT NULL,
  s_acctbal DECIMAL(15, 2) NOT NULL,
  s_comment VARCHAR(101) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/supplier.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE customer (
  c_custkey INTEGER NOT NULL,
  c_name VARCHAR(25) NOT NULL,
  c_address VARCHAR(40) NOT NULL,
  c_nationkey INTEGER NOT NULL,
  c_phone CHAR(15) NOT NULL,
  c_acctbal DECIMAL(15, 2) NOT NULL,
  c_mktsegment CHAR(10) NOT NULL,
  c_comment VARCHAR(117) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/customer.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE part (
  p_partkey INTEGER NOT NULL,
  p_name VARCHAR(55) NOT NULL,
  p_mfgr CHAR(25) NOT NULL,
  p_brand CHAR(10) NOT NULL,
  p_type VARCHAR(25) NOT NULL,
  p_size INTEGER NOT NULL,
  p_container CHAR(10) NOT NULL,
  p_retailprice DECIMAL(15, 2) NOT NULL,
  p_comment VARCHAR(23) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/part.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE partsupp (
  ps_partkey INTEGER NOT NULL,
  ps_suppkey INTEGER NOT NULL,
  ps_availqty INTEGER NOT NULL,
  ps_supplycost DECIMAL(15, 2) NOT NULL,
  ps_comment VARCHAR(199) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/partsupp.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE orders (
  o_orderkey INTEGER NOT NULL,
  o_custkey INTEGER NOT NULL,
  o_orderstatus CHAR(1) NOT NULL,
  o_totalprice DECIMAL(15, 2) NOT NULL,
  o_orderdate DATE NOT NULL,
  o_orderpriority CHAR(15) NOT NULL,
  o_clerk CHAR(15) NOT NULL,
  o_shippriority INTEGER NOT NULL,
  o_comment VARCHAR(79) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/orders.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE TABLE lineitem (
  l_orderkey INTEGER NOT NULL,
  l_partkey INTEGER NOT NULL,
  l_suppkey INTEGER NOT NULL,
  l_linenumber INTEGER NOT NULL,
  l_quantity DECIMAL(15, 2) NOT NULL,
  l_extendedprice DECIMAL(15, 2) NOT NULL,
  l_discount DECIMAL(15, 2) NOT NULL,
  l_tax DECIMAL(15, 2) NOT NULL,
  l_returnflag CHAR(1) NOT NULL,
  l_linestatus CHAR(1) NOT NULL,
  l_shipdate DATE NOT NULL,
  l_commitdate DATE NOT NULL,
  l_receiptdate DATE NOT NULL,
  l_shipinstruct CHAR(25) NOT NULL,
  l_shipmode CHAR(10) NOT NULL,
  l_comment VARCHAR(44) NOT NULL
) WITH ('connectors' = '[{
  "name": "file",
  "transport": {"name": "file_input", "config": {"path": "data/lineitem.csv"}},
  "format": {"name": "csv", "config": {"headers": true}}
}]');

CREATE VIEW q1
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q1.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT
  l_returnflag,
  l_linestatus,
  SUM(l_quantity) AS sum_qty,
  SUM(l_extendedprice) AS sum_base_price,
  SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
  SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
  AVG(l_quantity) AS avg_qty,
  AVG(l_extendedprice) AS avg_price,
  AVG(l_discount) AS avg_disc,
  COUNT(*) AS count_order
FROM lineitem
WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
GROUP BY l_returnflag, l_linestatus;

CREATE VIEW q3
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q3.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT
  l_orderkey,
  SUM(l_extendedprice * (1 - l_discount)) AS revenue,
  o_orderdate,
  o_shippriority
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING'
  AND c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15'
  AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate, o_shippriority;

CREATE VIEW q4
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q4.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT
  o_orderpriority,
  COUNT(*) AS order_count
FROM orders
WHERE o_orderdate >= DATE '1993-07-01'
  AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority;

CREATE VIEW q5
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q5.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT
  n_name,
  SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND r_name = 'ASIA'
  AND o_orderdate >= DATE '1994-01-01'
  AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY n_name;

CREATE VIEW q6
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q6.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT SUM(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01'
  AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
  AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01
  AND l_quantity < 24;

CREATE VIEW q12
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q12.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT
  l_shipmode,
  SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
  SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders, lineitem
WHERE o_orderkey = l_orderkey
  AND l_shipmode IN ('MAIL', 'SHIP')
  AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate
  AND l_receiptdate >= DATE '1994-01-01'
  AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l_shipmode;

CREATE VIEW q14
WITH ('connectors' = '[{
  "name": "changes",
  "transport": {"name": "file_output", "config": {"path": "output/q14.csv"}},
  "format": {"name": "csv"}
}]')
AS SELECT
  100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
    / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= DATE '1995-09-01'
  AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH;
