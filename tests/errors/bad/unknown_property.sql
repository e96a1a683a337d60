CREATE TABLE t (a INT) WITH ('materialised' = 'true');
