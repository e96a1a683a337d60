CREATE TABLE t (a INT) WITH ('connectors' = '[{"transport": {"name": "file_input", "config": {"pth": "a.json"}}, "format": {"name": "json"}}]');
