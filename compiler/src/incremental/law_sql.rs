//! The law on SQL programs: bound plans evaluated from scratch against rewritten, lowered and running ones.

use super::check_programs;
use crate::{bind, parse, rewrite};

const TABLES: &str = "
CREATE TABLE t (a BIGINT, b INTEGER, s VARCHAR);
CREATE TABLE u (k BIGINT NOT NULL PRIMARY KEY, a BIGINT, s VARCHAR);
CREATE TABLE w (a BIGINT NOT NULL, d DECIMAL(10, 2), s VARCHAR(5)) WITH ('materialized' = 'true');
";

/// Each is the text after the tables; the views of one program may read each other.
const PROGRAMS: &[&str] = &[
    "CREATE VIEW v AS SELECT a, b + 1 AS c, s || 'x' AS x FROM t WHERE a < 2 OR b IS NULL;",
    "CREATE VIEW v AS SELECT DISTINCT a, s FROM t;",
    "CREATE VIEW v AS SELECT t.a, t.s, u.k FROM t JOIN u ON t.a = u.a;",
    "CREATE VIEW v AS SELECT t.a, u.s FROM t JOIN u ON t.a = u.a AND t.b < u.k;",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t LEFT JOIN u ON t.a = u.a;",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t LEFT JOIN u ON t.a = u.a AND t.b < u.k;",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t LEFT JOIN u ON t.a = u.a AND t.b < 2 AND u.s = 'a';",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t RIGHT JOIN u ON t.a = u.a AND t.b < u.k;",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t FULL JOIN u ON t.a = u.a;",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t FULL JOIN u ON t.a = u.a AND t.b < u.k;",
    "CREATE VIEW v AS SELECT t.a, t.b, t.s, u.k, u.a AS ua, u.s AS us FROM t FULL JOIN u ON t.a = u.a AND t.b < 2 AND u.k > 0;",
    "CREATE VIEW v AS SELECT t.a, u.k FROM t CROSS JOIN u;",
    "CREATE VIEW v AS SELECT t.a, u.k FROM t, u WHERE t.a > u.k;",
    "CREATE VIEW v AS SELECT x.a, y.b FROM t x JOIN t y ON x.a = y.a;",
    "CREATE VIEW v AS SELECT x.a, y.b FROM t x JOIN t y ON x.a = y.b;",
    "CREATE VIEW v AS SELECT x.a, y.b, z.s FROM t x JOIN t y ON x.a = y.a LEFT JOIN t z ON y.s = z.s;",
    "CREATE VIEW v AS SELECT t.a FROM t JOIN u ON t.a IS NOT DISTINCT FROM u.a AND t.s = u.s;",
    "CREATE VIEW v AS SELECT t.s, w.d, u.k FROM t JOIN w ON t.s = w.s JOIN u ON u.a = w.a;",
    "CREATE VIEW v AS SELECT * FROM t WHERE a IN (SELECT k FROM u);",
    "CREATE VIEW v AS SELECT * FROM t WHERE a NOT IN (SELECT a FROM u);",
    "CREATE VIEW v AS SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.k > t.b);",
    "CREATE VIEW v AS SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a);",
    "CREATE VIEW v AS SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.k > t.b);",
    "CREATE VIEW v AS SELECT a, (SELECT MAX(k) FROM u WHERE u.a = t.a) AS m FROM t;",
    "CREATE VIEW v AS SELECT a, (SELECT COUNT(*) FROM u WHERE u.a < t.a) AS m FROM t;",
    "CREATE VIEW v AS SELECT COUNT(*) AS n, SUM(a) AS total, MIN(s) AS least, MAX(b) AS most FROM t;",
    "CREATE VIEW v AS SELECT a, COUNT(*) AS n, SUM(b) AS total, AVG(b) AS mean FROM t GROUP BY a;",
    "CREATE VIEW v AS SELECT a, COUNT(DISTINCT s) AS n, SUM(DISTINCT b) AS total FROM t GROUP BY a HAVING COUNT(*) > 1;",
    "CREATE VIEW v AS SELECT s, a, MIN(b) AS least, MAX(b) AS most, COUNT(b) AS n FROM t GROUP BY a, s;",
    "CREATE VIEW v AS SELECT a + 1 AS c, SUM(d) AS total, AVG(d) AS mean FROM w GROUP BY a + 1;",
    "CREATE VIEW v AS SELECT COUNT(*) AS n FROM t WHERE a = 1 HAVING COUNT(*) > 1;",
    "CREATE VIEW v AS SELECT a FROM t UNION ALL SELECT k FROM u UNION ALL SELECT a FROM w;",
    "CREATE VIEW v AS SELECT a, s FROM t UNION SELECT k, s FROM u;",
    "CREATE VIEW v AS SELECT a, s FROM t EXCEPT SELECT a, s FROM u;",
    "CREATE VIEW v AS SELECT a, s FROM t INTERSECT SELECT a, s FROM u;",
    "CREATE VIEW v AS SELECT x.a FROM t x LEFT JOIN (SELECT a, COUNT(*) AS n FROM u GROUP BY a) y ON x.a = y.a WHERE y.n IS NULL;",
    "CREATE LOCAL VIEW l AS SELECT a, s, COUNT(*) AS n FROM t GROUP BY a, s;
     CREATE VIEW v AS SELECT a, SUM(n) AS n FROM l GROUP BY a;
     CREATE MATERIALIZED VIEW x AS SELECT l.a, l.s, v.n FROM l JOIN v ON l.a = v.a;",
    "CREATE VIEW p AS SELECT a, s FROM t WHERE a IS NOT NULL;
     CREATE VIEW q AS SELECT p.s, COUNT(*) AS n FROM p JOIN u ON p.a = u.k GROUP BY p.s;
     CREATE VIEW r AS SELECT * FROM q WHERE n = (SELECT MAX(n) FROM q);",
    "CREATE VIEW v AS SELECT x.c FROM (VALUES (1), (2), (NULL)) AS x(c) LEFT JOIN t ON t.a = x.c WHERE t.b IS NULL;",
    "CREATE VIEW v AS SELECT 1 AS one, 'a' AS x;
     CREATE VIEW y AS SELECT * FROM t WHERE s IN ('a', 'ab') OR a IN (SELECT one FROM v);",
    "CREATE VIEW v AS SELECT CASE WHEN b = 0 THEN NULL ELSE a / b END AS q FROM t;",
    "CREATE VIEW v AS SELECT t.a, w.d FROM t JOIN w ON t.a = w.a WHERE w.d > (SELECT AVG(d) FROM w x WHERE x.s = w.s);",
    "CREATE VIEW v AS SELECT t.s, u.k FROM t JOIN u ON t.a = u.a AND u.k / t.b > 0;",
    "CREATE VIEW v AS SELECT t.s, w.d FROM t JOIN w ON CAST(t.b AS DECIMAL(20, 3)) = w.d * 100;",
    "CREATE VIEW v AS SELECT t.s, w.d FROM t LEFT JOIN w ON t.a = w.d * 100.0 AND t.s <> w.s;",
    "CREATE VIEW v AS SELECT t.s, w.d FROM t FULL JOIN w ON t.a / 1.0 IS NOT DISTINCT FROM w.d * 100.000;",
    "CREATE VIEW v AS SELECT x.d, y.d AS e FROM w x JOIN w y ON CAST(x.d AS DECIMAL(38, 20)) = CAST(y.d AS DECIMAL(38, 2));",
];

/// Programs in which some rows fail; their errors are compared too.
const FAILING: &[&str] = &[
    "CREATE VIEW v AS SELECT a / b AS q, s FROM t;",
    "CREATE VIEW v AS SELECT a FROM t WHERE 2 / b > 0;",
    "CREATE VIEW v AS SELECT a FROM t WHERE b <> 0 AND 2 / b > 0;",
    "CREATE VIEW v AS SELECT a, CASE WHEN b = 0 THEN 0 ELSE a / b END AS q, COALESCE(b, a / b) AS c FROM t;",
    "CREATE VIEW v AS SELECT s, SUM(a / b) AS q FROM t GROUP BY s;",
    "CREATE VIEW v AS SELECT t.s, u.k / t.b AS q FROM t JOIN u ON t.a = u.a;",
    "CREATE VIEW v AS SELECT a / b AS q, a / b + 1 AS p FROM t WHERE a IS NOT NULL;",
];

#[test]
fn sql_programs() {
    check_all(PROGRAMS, false);
}

#[test]
fn failing_programs() {
    check_all(FAILING, true);
}

fn check_all(programs: &[&str], errors: bool) {
    let mut failures = vec![];
    for text in programs {
        let text = format!("{TABLES}{text}");
        let (statements, problems) = parse::parse(&text);
        assert!(problems.is_empty(), "{text}\n{problems:?}");
        let (bound, _) = bind::bind(&statements, &text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"));
        let rewritten = rewrite::rewrite(bound.clone());
        for seed in 0..4 {
            let check = std::panic::AssertUnwindSafe(|| check_programs(&bound, &rewritten, seed, 8, errors));
            if std::panic::catch_unwind(check).is_err() {
                failures.push(format!("seed {seed}: {text}"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} programs fail:\n{}", failures.len(), failures.join("\n"));
}
