//! A program's text in the usual layout: keywords in upper case, each clause on a line of its own, comments where they
//! were. Works on tokens alone, so everything that is not a blank or a keyword's case stays as it was written.

mod keyword;
mod layout;
mod lex;
mod query;
mod tree;

use lex::{Kind, Token};

/// Lines are kept this long where they can be, in characters.
pub const WIDTH: usize = 100;

const PASSES: usize = 4;

/// The laid out text.
///
/// # Errors
/// When the layout would change more than blanks and the case of words, or would itself be laid out otherwise. Then it is our
/// fault, and the text is better left alone.
pub fn format(text: &str) -> Result<String, String> {
    // A comment in an odd place may come to a better one, where the next pass sees more.
    let mut formatted = laid_out(text)?;
    for _ in 0..PASSES {
        let again = laid_out(&formatted)?;
        if again == formatted {
            break;
        }
        formatted = again;
    }
    // A comment may have changed places with the comma behind it.
    let sorted = |text| lex::tokens(text).into_iter().partition::<Vec<_>, _>(Token::is_comment);
    let ((comments, code), (comments_after, code_after)) = (sorted(text), sorted(&formatted));
    for (before, after) in [(&comments, &comments_after), (&code, &code_after)] {
        if let Some((token, _)) = before.iter().zip(after).find(|(before, after)| !same(before, after)) {
            return Err(format!("the layout would change \"{}\"", token.text));
        }
        if before.len() != after.len() {
            return Err("the layout would lose something".into());
        }
    }
    match laid_out(&formatted)? == formatted {
        true => Ok(formatted),
        false => Err("the layout would change when made again".into()),
    }
}

fn laid_out(text: &str) -> Result<String, String> {
    let mut tokens = lex::tokens(text);
    keyword::mark(&mut tokens);
    let nodes = tree::tree(&tokens)?;
    Ok(layout::program(&nodes))
}

/// Words may differ in case; nothing else may differ.
fn same(before: &Token<'_>, after: &Token<'_>) -> bool {
    before.kind == after.kind
        && match before.kind {
            Kind::Word => before.text.eq_ignore_ascii_case(after.text),
            _ => before.text == after.text,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(format(text).as_deref(), Ok(expected));
    }

    #[test]
    fn case_and_end_may_be_names() {
        check("create view v as select (case) from t", "CREATE VIEW v AS\nSELECT (CASE)\nFROM t\n");
        check(
            "select case when a then (case when b then 1 end) end",
            "SELECT CASE WHEN a THEN (CASE WHEN b THEN 1 END) END\n",
        );
    }

    #[test]
    fn each_clause_has_a_line() {
        check(
            "create view v as select a,b , count( * ) n from t join u on t.k=u.k left outer join x using(k) where a>1 and b is not null group by a,b having count(*)>1 order by a desc nulls last limit 3;",
            "CREATE VIEW v AS
SELECT a, b, count(*) n
FROM t
JOIN u ON t.k = u.k
LEFT OUTER JOIN x USING (k)
WHERE a > 1 AND b IS NOT NULL
GROUP BY a, b
HAVING count(*) > 1
ORDER BY a DESC NULLS LAST
LIMIT 3;
",
        );
        check(
            "with a as (select 1 as x), b as (values (1),(2)) select * from a union all select * from b",
            "WITH a AS (SELECT 1 AS x),\nb AS (VALUES (1), (2))\nSELECT *\nFROM a\nUNION ALL\nSELECT *\nFROM b\n",
        );
    }

    #[test]
    fn what_is_long_is_broken() {
        let name = "a_name_of_some_length";
        check(
            &format!("create table t ({name}1 bigint not null, {name}2 decimal(12,2), {name}3 varchar, date date);"),
            &format!(
                "CREATE TABLE t (\n  {name}1 BIGINT NOT NULL,\n  {name}2 DECIMAL(12, 2),\n  {name}3 VARCHAR,\n  date DATE\n);\n"
            ),
        );
        check(
            &format!(
                "select {name}1, {name}2, f({name}3, {name}4, {name}5, {name}6, {name}7), {name}3 from t where {name}1 = 1 and {name}2 between 1 and 2 and ({name}3 = 3 or {name}4 = 5)"
            ),
            &format!(
                "SELECT
  {name}1,
  {name}2,
  f(
    {name}3,
    {name}4,
    {name}5,
    {name}6,
    {name}7
  ),
  {name}3
FROM t
WHERE {name}1 = 1
  AND {name}2 BETWEEN 1 AND 2
  AND ({name}3 = 3 OR {name}4 = 5)
"
            ),
        );
        check(
            &format!(
                "select case when {name}1 = 1 then {name}2 when {name}2 = 2 and x then 5 else {name}4 end as y from (select {name}1 from t where {name}1 > 1) q"
            ),
            &format!(
                "SELECT CASE
    WHEN {name}1 = 1 THEN {name}2
    WHEN {name}2 = 2 AND x THEN 5
    ELSE {name}4
  END AS y
FROM (
  SELECT {name}1
  FROM t
  WHERE {name}1 > 1
) q
"
            ),
        );
    }

    #[test]
    fn comments_stay_where_they_are() {
        check(
            "-- head\n\n\n/* two\n   lines */ create table t (a bigint, -- first\n b bigint -- second\n);-- end\nselect a -- the a\n, b\n-- all of it\nfrom t /* inside */ where x; -- last",
            "-- head

/* two
   lines */
CREATE TABLE t (
  a BIGINT, -- first
  b BIGINT -- second
); -- end
SELECT
  a, -- the a
  b
-- all of it
FROM t /* inside */
WHERE x; -- last
",
        );
    }

    #[test]
    fn spaces_never_change_a_token() {
        check(
            "select - -1, a- -b, -a, a||b, x::bigint, m['k'], array[1,2], t.*, U&'d\\0061' , x'00', 1.5e-3, a<>b, (a), 1 .g from t",
            "SELECT\n  - -1,\n  a - -b,\n  -a,\n  a || b,\n  x::BIGINT,\n  m['k'],\n  ARRAY[1, 2],\n  t.*,\n  U&'d\\0061',\n  x'00',\n  1.5e-3,\n  a <> b,\n  (a),\n  1 .g\nFROM t\n",
        );
        check(
            "create type r as (m map<varchar, bigint array>, \"Q t\" int);",
            "CREATE TYPE r AS (m MAP<VARCHAR, BIGINT ARRAY>, \"Q t\" INT);\n",
        );
        check("set  on_error='fail' ;", "SET on_error = 'fail';\n");
        check("", "");
        check("-- only\n", "-- only\n");
        let connectors = "CREATE TABLE t (a BIGINT) WITH ('connectors' = '[{\n  \"x\": 1\n}]');\n";
        check(connectors, connectors);
    }
}
