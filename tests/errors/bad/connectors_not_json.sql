CREATE TABLE t (a INT) WITH ('connectors' = '[{"transport": ]');
