CREATE TABLE t (a INT) WITH ('connectors' = '[{"transport": {"name": "file_inptu", "config": {"path": "a.json"}}, "format": {"name": "json"}}]');
