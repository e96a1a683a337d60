//! Circuits of small programs, as text: what is fused, pruned and shared, and in which order halves and updates run.

use crate::{bind, parse};

const TABLES: &str = "
CREATE TABLE t (a BIGINT, s VARCHAR, b INTEGER);
CREATE TABLE u (k BIGINT NOT NULL PRIMARY KEY, a BIGINT, c VARCHAR);
";

/// The circuit of the bound, not rewritten program without its tables (n0 and n1), layouts left out.
fn check(views: &str, expected: &str) {
    let text = format!("{TABLES}{views}");
    let (statements, problems) = parse::parse(&text);
    assert!(problems.is_empty(), "{problems:?}");
    let (program, _) = bind::bind(&statements, &text).unwrap();
    let circuit = super::law::compile(&program).unwrap();
    crate::circuit::check::check(&circuit).unwrap();
    let lines: Vec<String> = circuit.to_string().lines().skip(2).map(without_layout).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, expected, "\n{circuit}");
}

fn without_layout(line: &str) -> String {
    line.rsplit_once(" : ").map_or(line, |(node, _)| node).to_string()
}

#[test]
fn a_chain_is_one_kernel() {
    check(
        "CREATE VIEW v AS SELECT y + 1 AS z FROM (SELECT a + 1 AS y, s FROM t WHERE b < 3) q WHERE s = 'x';",
        "n2 = map n0 [filter (s1 < 3); filter (s2 = 'x'); ((s0 + 1) + 1)]
         n3 = output n2 v0",
    );
}

#[test]
fn a_repeated_expression_is_named_where_a_guard_allows_it() {
    check(
        "CREATE VIEW v AS SELECT y AS y1, y + y AS y2 FROM (SELECT a + a AS y FROM t WHERE a < 9) q;",
        "n2 = map n0 [filter (s0 < 9); let (s0 + s0); s3, (s3 + s3)]
         n3 = output n2 v0",
    );
}

#[test]
fn index_rows_hold_the_key_and_what_is_read() {
    check(
        "CREATE VIEW v AS SELECT t.s, u.k FROM t JOIN u ON t.a = u.a;",
        "n2 = map n0 [filter CASE WHEN (s0 IS NULL) THEN FALSE ELSE TRUE END; COALESCE(s0, 0), s2]
         n3 = exchange n2 key=1
         n4 = index n3 key=1
         n5 = update n4
         n6 = map n1 [filter CASE WHEN (s1 IS NULL) THEN FALSE ELSE TRUE END; COALESCE(s1, 0), s0]
         n7 = exchange n6 key=1
         n8 = index n7 key=1
         n9 = join delta=n3 index=n8 side=left [s3, s1]
         n10 = join delta=n7 index=n4 side=right [s3, s1]
         n11 = update n8
         n12 = union n9, n10
         n13 = output n12 v0",
    );
}

#[test]
fn a_self_join_updates_its_one_index_between_the_halves() {
    check(
        "CREATE VIEW v AS SELECT x.a, y.c FROM u x JOIN u y ON x.k = y.k;",
        "n2 = exchange n1 key=1
         n3 = index n2 key=1
         n4 = join delta=n2 index=n3 side=left [s1, s5]
         n5 = update n3
         n6 = join delta=n2 index=n3 side=right [s1, s5]
         n7 = union n4, n6
         n8 = output n7 v0",
    );
}

#[test]
fn rows_without_key_are_padded_without_state() {
    check(
        "CREATE VIEW v AS SELECT t.b, u.c FROM t LEFT JOIN u ON t.a = u.k;",
        "n2 = map n0 [filter CASE WHEN (s0 IS NULL) THEN FALSE ELSE TRUE END; COALESCE(s0, 0), s1]
         n3 = exchange n2 key=1
         n4 = index n3 key=1
         n5 = update n4
         n6 = map n1 [s0, s2]
         n7 = exchange n6 key=1
         n8 = index n7 key=1
         n9 = anti delta=n3 index=n8
         n10 = join delta=n3 index=n8 side=left [s1, s3]
         n11 = join delta=n7 index=n4 side=right [s1, s3]
         n12 = update n8
         n13 = negate n12
         n14 = join delta=n13 index=n4 side=left [s1, s2]
         n15 = union n9, n14
         n16 = union n10, n11
         n17 = map n15 [s1, NULL]
         n18 = map n0 [filter (s0 IS NULL); s1, NULL]
         n19 = union n16, n17, n18
         n20 = output n19 v0",
    );
}

#[test]
fn views_share_subtrees_and_indexes() {
    check(
        "CREATE VIEW v AS SELECT x.a, y.c FROM u x JOIN u y ON x.k = y.k;
         CREATE VIEW w AS SELECT COUNT(*) AS n FROM u x JOIN u y ON x.k = y.k;",
        "n2 = exchange n1 key=1
         n3 = index n2 key=1
         n4 = join delta=n2 index=n3 side=left [s1, s5]
         n5 = update n3
         n6 = join delta=n2 index=n3 side=right [s1, s5]
         n7 = union n4, n6
         n8 = output n7 v0
         n9 = map n7 []
         n10 = exchange n9 key=0
         n11 = aggregate n10 key=0 scalar [count(*)]
         n12 = output n11 v1",
    );
}

#[test]
fn an_aggregate_by_the_key_of_a_join_stays_on_its_worker() {
    check(
        "CREATE VIEW v AS SELECT x.k, COUNT(*) AS n FROM u x JOIN u y ON x.k = y.k GROUP BY x.k;",
        "n2 = map n1 [s0]
         n3 = exchange n2 key=1
         n4 = index n3 key=1
         n5 = join delta=n3 index=n4 side=left [s0]
         n6 = update n4
         n7 = join delta=n3 index=n4 side=right [s0]
         n8 = union n5, n7
         n9 = aggregate n8 key=1 [count(*)]
         n10 = output n9 v0",
    );
}

#[test]
fn constants_need_no_index_on_the_other_side() {
    check(
        "CREATE VIEW v AS SELECT u.c FROM u JOIN (VALUES (1), (2)) AS x(k) ON u.k = x.k;",
        "n2 = constant [(1), (2)]
         n3 = map n2 [CAST(s0 AS BIGINT)]
         n4 = exchange n3 key=1
         n5 = index n4 key=1
         n6 = update n5
         n7 = map n1 [s0, s2]
         n8 = exchange n7 key=1
         n9 = join delta=n8 index=n5 side=left [s1]
         n10 = output n9 v0",
    );
}

#[test]
fn a_constant_query_is_one_row() {
    check(
        "CREATE VIEW v AS SELECT 1 + 1 AS two;",
        "n2 = constant [()]
         n3 = map n2 [2]
         n4 = output n3 v0",
    );
}

#[test]
fn set_operations_key_by_the_whole_row() {
    check(
        "CREATE VIEW v AS SELECT a, c FROM u EXCEPT SELECT a, s FROM t;",
        "n2 = map n1 [s1, s2]
         n3 = exchange n2 key=2
         n4 = distinct n3
         n5 = index n4 key=2
         n6 = update n5
         n7 = map n0 [s0, s2]
         n8 = exchange n7 key=2
         n9 = index n8 key=2
         n10 = anti delta=n4 index=n9
         n11 = update n9
         n12 = negate n11
         n13 = join delta=n12 index=n5 side=left [s2, s3]
         n14 = union n10, n13
         n15 = output n14 v0",
    );
}
