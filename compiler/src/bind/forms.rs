//! What programs can call that is no entry of the function library: the binder itself makes something of it. A list for
//! people (`feldc functions`) and for suggestions; a test binds each example, so that no entry outlives what it names.

pub struct Form {
    pub family: &'static str,
    /// As in programs, upper case; several for the same thing.
    pub names: &'static [&'static str],
    /// The call with its parameters.
    pub call: &'static str,
    pub result: &'static str,
    /// When the result is NULL.
    pub nulls: &'static str,
    pub doc: &'static str,
    /// An expression over the columns `i`, `x`, `s`, `b`, `d`, `ts` of a table.
    pub example: &'static str,
}

const CONDITIONAL: &str = "conditions and choices";
const CONVERSION: &str = "conversions";
const TIME: &str = "parts and units of time";
const TEXT: &str = "forms of text functions";
const PERIOD: &str = "periods: (start, end) or (start, interval), both ends included";
const SUBQUERY: &str = "tests of subqueries";
const AGGREGATE: &str = "aggregates";
const COLLECTION: &str = "arrays, maps and rows";
const WINDOW: &str = "functions over windows";

const ANY_NULL: &str = "when an argument is";
const NEVER: &str = "never";
const COMMON: &str = "the common type";

macro_rules! forms {
    ($($family:ident: [$($name:literal)+] $call:literal -> $result:expr, $nulls:expr, $doc:literal, $example:literal;)+) => {
        &[$(Form {
            family: $family, names: &[$($name),+], call: $call, result: $result, nulls: $nulls, doc: $doc, example: $example,
        }),+]
    };
}

/// By family, in the order in which they are shown.
pub const FORMS: &[Form] = forms! {
    CONDITIONAL: ["CASE"] "CASE WHEN condition THEN x ... [ELSE y] END" -> COMMON, "as the chosen result; without ELSE when no condition holds", "The first result whose condition holds.", "CASE WHEN b THEN 1 ELSE i END";
    CONDITIONAL: ["CASE"] "CASE x WHEN y THEN r ... [ELSE r] END" -> COMMON, "as the chosen result; without ELSE when nothing is equal", "The first result whose value equals x.", "CASE i WHEN 1 THEN 2 END";
    CONDITIONAL: ["IF"] "IF(condition, x, y)" -> COMMON, "as the chosen result", "The second argument where the condition holds, else the third.", "IF(b, 1, i)";
    CONDITIONAL: ["COALESCE" "IFNULL" "NVL"] "COALESCE(x, ...)" -> COMMON, "when all arguments are", "The first argument that is not NULL.", "COALESCE(i, 0)";
    CONDITIONAL: ["NULLIF"] "NULLIF(x, y)" -> "the first argument's type", "when the arguments are equal, or the first is NULL", "The first argument, or NULL where it equals the second.", "NULLIF(i, 0)";
    CONDITIONAL: ["AND" "OR"] "p AND q, p OR q" -> "BOOLEAN", "when the operands that are known do not decide", "Conjunction and disjunction of three truth values; an operand that need not be known cannot fail.", "b AND i > 0 OR b";
    CONDITIONAL: ["BETWEEN"] "x [NOT] BETWEEN [SYMMETRIC] y AND z" -> "BOOLEAN", "when the comparisons do not decide", "Does x lie from y to z, or with SYMMETRIC from z to y?", "i BETWEEN SYMMETRIC 3 AND 1";
    CONDITIONAL: ["IN"] "x [NOT] IN (y, ...)" -> "BOOLEAN", "when nothing is equal and something is NULL", "Does x equal one of the values?", "i IN (1, 2)";
    CONDITIONAL: ["IS NULL" "IS NOT NULL"] "x IS NULL, x IS NOT NULL" -> "BOOLEAN", NEVER, "Is the value missing?", "i IS NOT NULL";
    CONDITIONAL: ["BLACKBOX"] "BLACKBOX(x)" -> "the argument's type", ANY_NULL, "The argument itself.", "BLACKBOX(i)";
    CONVERSION: ["CAST"] "CAST(x AS type), x::type" -> "the type", ANY_NULL, "The value in another type; an error where it has no place there. The entries are listed under casts.", "i::BIGINT";
    CONVERSION: ["TRY_CAST" "SAFE_CAST"] "TRY_CAST(x AS type)" -> "the type", "when an argument is, or the value has no place in the type", "As CAST, with NULL instead of an error.", "SAFE_CAST(s AS INTEGER)";
    TIME: ["EXTRACT" "DATE_PART"] "EXTRACT(unit FROM x), DATE_PART(unit, x)" -> "BIGINT", ANY_NULL, "A field of a time or an interval; the entries are listed under parts of times.", "EXTRACT(YEAR FROM ts)";
    TIME: ["DATE_TRUNC" "TIMESTAMP_TRUNC" "TIME_TRUNC"] "DATE_TRUNC(x, unit), DATE_TRUNC(unit, x)" -> "the argument's type", ANY_NULL, "The time cut off at a unit.", "DATE_TRUNC(d, MONTH)";
    TIME: ["FLOOR" "CEIL"] "FLOOR(x TO unit), CEIL(x TO unit)" -> "the argument's type", ANY_NULL, "The start of the unit around a time, or of the next.", "FLOOR(ts TO HOUR)";
    TIME: ["TIMESTAMPDIFF" "DATEDIFF"] "TIMESTAMPDIFF(unit, x, y)" -> "BIGINT", ANY_NULL, "Whole units from the first time to the second.", "TIMESTAMPDIFF(DAY, ts, d)";
    TIME: ["TIMESTAMPADD" "DATEADD"] "TIMESTAMPADD(unit, n, x)" -> "the time's type", ANY_NULL, "A time some units later.", "TIMESTAMPADD(DAY, i, d)";
    TIME: ["DATE_ADD" "DATE_SUB"] "DATE_ADD(x, interval), DATE_SUB(x, interval)" -> "the time's type", ANY_NULL, "A time an interval later or earlier.", "DATE_ADD(d, INTERVAL '1' DAY)";
    TIME: ["AT TIME ZONE"] "x AT TIME ZONE zone" -> "TIMESTAMP of an instant, TIMESTAMP WITH TIME ZONE of a TIMESTAMP", ANY_NULL, "What the clock of a zone, by its name or as +HH:MI, shows at an instant; or the instant at which it shows a timestamp.", "ts AT TIME ZONE 'Europe/Paris'";
    TIME: ["-"] "(x - y) unit [TO unit]" -> "INTERVAL of the units", ANY_NULL, "The difference of two times as an interval.", "(ts - ts) DAY TO SECOND IS NULL";
    TIME: ["INTERVAL"] "INTERVAL n unit [TO unit]" -> "INTERVAL of the units", ANY_NULL, "An interval: of months, or of days and seconds.", "d + INTERVAL '1' MONTH";
    TEXT: ["POSITION"] "POSITION(x IN y)" -> "INTEGER", ANY_NULL, "Where the first text occurs in the second; 0 where it does not.", "POSITION('a' IN s)";
    TEXT: ["SUBSTRING"] "SUBSTRING(x FROM n [FOR m])" -> "VARCHAR", ANY_NULL, "Some characters from a position on.", "SUBSTRING(s FROM 2 FOR 3)";
    TEXT: ["OVERLAY"] "OVERLAY(x PLACING y FROM n [FOR m])" -> "VARCHAR", ANY_NULL, "The first text with the second written over it from a position on.", "OVERLAY(s PLACING 'a' FROM 2)";
    TEXT: ["TRIM"] "TRIM([LEADING | TRAILING | BOTH] [x FROM] y)" -> "VARCHAR", ANY_NULL, "The text without some characters, else without blanks, at its ends.", "TRIM(LEADING 'a' FROM s)";
    TEXT: ["LIKE" "ILIKE" "RLIKE" "SIMILAR TO"] "x [NOT] LIKE y [ESCAPE z]" -> "BOOLEAN", ANY_NULL, "Does the text match the pattern? ILIKE ignores case; RLIKE, which has no ESCAPE, takes a regular expression.", "s NOT SIMILAR TO 'a|b' ESCAPE '!'";
    TEXT: ["~" "~*" "!~" "!~*"] "x ~ y" -> "BOOLEAN", ANY_NULL, "Does the regular expression match a part of the text? With * whatever the case, with ! the opposite.", "s !~* 'a'";
    TEXT: ["~~" "~~*" "!~~" "!~~*"] "x ~~ y" -> "BOOLEAN", ANY_NULL, "LIKE as an operator; with * ILIKE, with ! the opposite.", "s ~~* 'a%'";
    PERIOD: ["OVERLAPS"] "p OVERLAPS q" -> "BOOLEAN", "when the known ends do not decide", "Do the periods have a time in common?", "(d, d) OVERLAPS (d, INTERVAL '1' DAY)";
    PERIOD: ["CONTAINS"] "p CONTAINS q" -> "BOOLEAN", "when the known ends do not decide", "Does the first period contain the second, or a point in time?", "(d, d) CONTAINS d";
    PERIOD: ["EQUALS"] "p EQUALS q" -> "BOOLEAN", "when the known ends do not decide", "Have the periods the same ends?", "(d, d) EQUALS (d, d)";
    PERIOD: ["PRECEDES"] "p [IMMEDIATELY] PRECEDES q" -> "BOOLEAN", ANY_NULL, "Does the first period end before the second starts, or just then?", "(d, d) IMMEDIATELY PRECEDES (d, d)";
    PERIOD: ["SUCCEEDS"] "p [IMMEDIATELY] SUCCEEDS q" -> "BOOLEAN", ANY_NULL, "Does the first period start behind the end of the second, or just then?", "(d, d) SUCCEEDS (d, d)";
    SUBQUERY: ["EXISTS"] "[NOT] EXISTS (query)" -> "BOOLEAN", NEVER, "Has the query a row?", "EXISTS (SELECT 1 FROM t u WHERE u.i = t.i)";
    SUBQUERY: ["IN"] "x [NOT] IN (query)" -> "BOOLEAN", "when no row is equal and something is NULL", "Does x equal a row of the query?", "i IN (SELECT i FROM t)";
    SUBQUERY: ["ANY" "SOME" "ALL"] "x op ANY (query), x op ALL (query)" -> "BOOLEAN", "when the known rows do not decide", "Does the comparison hold for a row of the query, or for all?", "i > ALL (SELECT i FROM t)";
    AGGREGATE: ["COUNT"] "COUNT(*), COUNT([DISTINCT] x)" -> "BIGINT", NEVER, "How many rows, or how many values that are not NULL.", "COUNT(DISTINCT i)";
    AGGREGATE: ["COUNTIF"] "COUNTIF(condition)" -> "BIGINT", NEVER, "For how many rows the condition holds.", "COUNTIF(b)";
    AGGREGATE: ["SUM"] "SUM([DISTINCT] x)" -> "the argument's type; 38 digits for DECIMAL", "without values", "The sum, exact also of floats.", "SUM(DISTINCT i)";
    AGGREGATE: ["AVG"] "AVG([DISTINCT] x)" -> "the argument's type", "without values", "The mean, cut off to the digits of the type.", "AVG(x)";
    AGGREGATE: ["MIN" "MAX"] "MIN(x), MAX(x)" -> "the argument's type", "without values", "The least and the greatest value.", "MIN(s)";
    AGGREGATE: ["EVERY" "BOOL_AND" "LOGICAL_AND"] "EVERY(condition)" -> "BOOLEAN", "without values", "Does the condition hold for all rows?", "EVERY(b)";
    AGGREGATE: ["SOME" "BOOL_OR" "LOGICAL_OR"] "SOME(condition)" -> "BOOLEAN", "without values", "Does the condition hold for some row?", "SOME(b)";
    AGGREGATE: ["ANY_VALUE"] "ANY_VALUE(x)" -> "the argument's type", "without values", "Some value: the least, so that it is the same for any order of the rows.", "ANY_VALUE(s)";
    AGGREGATE: ["BIT_AND" "BIT_OR" "BIT_XOR"] "BIT_AND([DISTINCT] n)" -> "the argument's type", "without values", "The bits that are set in all values, in some, in an odd number of them; of integers or of bytes, which must be of one length.", "BIT_XOR(i)";
    AGGREGATE: ["MODE"] "MODE(x)" -> "the argument's type", "without values", "The most frequent value, the least of equally frequent ones.", "MODE(s)";
    AGGREGATE: ["ARG_MIN" "ARG_MAX"] "ARG_MAX(value, key)" -> "the value's type", "without keys", "The value beside the greatest (least) key; of several the greatest (least).", "ARG_MAX(s, i)";
    AGGREGATE: ["STDDEV" "STDDEV_SAMP" "STDDEV_POP" "VARIANCE" "VAR_SAMP" "VAR_POP"] "STDDEV([DISTINCT] x)" -> "the argument's type", "without values; of a sample with one", "Standard deviation and variance, of a sample (also STDDEV and VARIANCE) or a population, from exact sums.", "STDDEV(x)";
    AGGREGATE: ["COVAR_POP" "COVAR_SAMP" "CORR" "REGR_COUNT" "REGR_AVGX" "REGR_AVGY" "REGR_SXX" "REGR_SYY" "REGR_SXY" "REGR_SLOPE" "REGR_INTERCEPT" "REGR_R2"] "CORR(y, x)" -> "DOUBLE or the arguments' type; BIGINT for REGR_COUNT", "without pairs", "Statistics of the pairs in which neither is NULL.", "CORR(x, i)";
    AGGREGATE: ["STRING_AGG" "LISTAGG"] "STRING_AGG([DISTINCT] text [, separator] [ORDER BY key, ...])" -> "VARCHAR", "without values", "The texts joined, in the order of the keys, else of the texts.", "STRING_AGG(s, ', ' ORDER BY i DESC)";
    AGGREGATE: ["ARRAY_AGG"] "ARRAY_AGG([DISTINCT] x [IGNORE NULLS] [ORDER BY key, ...])" -> "ARRAY of the argument's type", "without rows", "The values with the NULLs, in the order of the keys, else of the values.", "ARRAY_AGG(s ORDER BY i DESC)";
    AGGREGATE: ["JSON_AGG" "JSON_ARRAYAGG"] "JSON_AGG([DISTINCT] x [IGNORE NULLS] [ORDER BY key, ...])" -> "VARIANT", "without rows", "The array of ARRAY_AGG as a VARIANT.", "JSON_AGG(s)";
    AGGREGATE: ["JSON_OBJECT_AGG" "JSON_OBJECTAGG"] "JSON_OBJECT_AGG(key, value)" -> "VARIANT", "without keys", "The map of MAP_AGG, with its keys as texts, as a VARIANT.", "JSON_OBJECT_AGG(s, i)";
    AGGREGATE: ["MAP_AGG"] "MAP_AGG(key, value)" -> "MAP of the arguments' types", "without keys", "A map of the keys that are not NULL; of several values of a key the greatest.", "MAP_AGG(s, i)";
    AGGREGATE: ["PERCENTILE_CONT" "PERCENTILE_DISC" "MEDIAN"] "PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x), MEDIAN(x)" -> "the type of x", "without values", "The value at a part of the order, between two of them interpolated (CONT) or the first of at least that part (DISC).", "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY i)";
    AGGREGATE: ["GROUPING" "GROUPING_ID"] "GROUPING(x, ...)" -> "BIGINT", NEVER, "For each argument a bit: is it left out of this grouping set?", "1";
    AGGREGATE: ["GROUP_ID"] "GROUP_ID()" -> "BIGINT", NEVER, "How many equal grouping sets are written before this one.", "1";
    COLLECTION: ["ARRAY"] "ARRAY[x, ...]" -> "ARRAY of the common type", NEVER, "An array of values.", "ARRAY[i, 1]";
    COLLECTION: ["MAP"] "MAP[key, value, ...]" -> "MAP of the common types", NEVER, "A map; of equal keys the last counts.", "MAP['a', i]";
    COLLECTION: ["ARRAY"] "ARRAY(query)" -> "ARRAY of the column's type, or of rows", NEVER, "The rows of the query, in its order, else in their own.", "ARRAY(SELECT i FROM t u ORDER BY u.s)";
    COLLECTION: ["MAP"] "MAP(query)" -> "MAP of the types of the query's two columns", NEVER, "A map of the rows whose key is not NULL; of several values of a key the greatest.", "MAP(SELECT s, i FROM t)";
    COLLECTION: ["ROW"] "ROW(x, ...), (x, y, ...)" -> "ROW", NEVER, "A row of values.", "ROW(i, s)";
    COLLECTION: ["[]"] "a[n], m[key], v['name'], a[SAFE_OFFSET(n)]" -> "the element's type", "when there is none", "An element by its position from 1 (with SAFE_OFFSET from 0), a value by its key.", "ARRAY[i][1]";
    COLLECTION: ["TRANSFORM"] "TRANSFORM(a, x -> e)" -> "ARRAY of the values", ANY_NULL, "The value of the expression for each element.", "TRANSFORM(ARRAY[i], x -> x + 1)";
    COLLECTION: ["ARRAY_EXISTS" "ARRAY_FILTER"] "ARRAY_EXISTS(a, x -> condition)" -> "BOOLEAN; the array's type", ANY_NULL, "Does the condition hold for an element? Those elements for which it does.", "ARRAY_EXISTS(ARRAY[i], x -> x > 1)";
    COLLECTION: ["VARIANT_FILTER" "VARIANT_DEEP_FILTER"] "VARIANT_FILTER(v, (key, x) -> condition)" -> "VARIANT", "when an argument is, or the condition does not hold for a scalar", "The fields of an object for which the condition holds; DEEP those at any depth and elements too, by their paths such as a.b[1].c, without what is in one that is left out.", "VARIANT_DEEP_FILTER(PARSE_JSON(s), (p, x) -> p <> 'a.b')";
    COLLECTION: ["VARIANT_MAP" "VARIANT_DEEP_MAP"] "VARIANT_MAP(v, (key, x) -> e)" -> "VARIANT", "when an argument is, or the value for a scalar is", "An object with the expression's values for those of its fields; DEEP for the scalars at any depth, by their paths such as a.b[1].c.", "VARIANT_MAP(PARSE_JSON(s), (k, x) -> TYPEOF(x))";
    COLLECTION: ["IS EMPTY" "IS NOT EMPTY"] "a IS [NOT] EMPTY" -> "BOOLEAN", ANY_NULL, "Has the array or map no element?", "ARRAY[i] IS NOT EMPTY";
    COLLECTION: ["ANY" "SOME" "ALL"] "x op ANY (a), x op ALL (a)" -> "BOOLEAN", "when the known elements do not decide", "Does the comparison hold for an element of the array, or for all?", "i = ANY (ARRAY[1, 2])";
    COLLECTION: ["UNNEST" "GENERATE_SERIES"] "FROM UNNEST(a, ...) [WITH ORDINALITY], FROM GENERATE_SERIES(first, last)" -> "rows", NEVER, "A row for each element of arrays or entry of a map, for each integer.", "(SELECT COUNT(*) FROM UNNEST(ARRAY[i]))";
    COLLECTION: ["REGEXP_MATCHES" "REGEXP_SPLIT_TO_TABLE"] "FROM REGEXP_MATCHES(text, pattern [, flags]), FROM REGEXP_SPLIT_TO_TABLE(text, pattern [, flags])" -> "rows", NEVER, "A row with the array of REGEXP_MATCH for the first match, with flag g for every match; a row for each part between the matches.", "(SELECT COUNT(*) FROM REGEXP_MATCHES(s, 'a', 'g'))";
    WINDOW: ["ROW_NUMBER" "RANK" "DENSE_RANK"] "RANK() OVER (PARTITION BY x ORDER BY y)" -> "BIGINT", NEVER, "The place of the row in its partition; equal rows share it but for ROW_NUMBER.", "RANK() OVER (ORDER BY i)";
    WINDOW: ["OVER"] "aggregate OVER ([PARTITION BY x, ...])" -> "as the aggregate", "as the aggregate", "The aggregate of all rows of the partition, beside each of them.", "SUM(i) OVER (PARTITION BY s)";
};

/// Every name, more than once where a name has several forms.
pub fn names() -> impl Iterator<Item = &'static str> {
    FORMS.iter().flat_map(|form| form.names.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::{bind, set_function};
    use crate::diagnostic::{Style, render};
    use crate::parse::parse;

    #[test]
    fn every_form_is_there() {
        for form in FORMS {
            let text = format!(
                "CREATE TABLE t (i INT, x DECIMAL(9, 2), s VARCHAR, b BOOLEAN, d DATE, ts TIMESTAMP); \
                 CREATE VIEW v AS SELECT {} AS a FROM t;",
                form.example
            );
            let (statements, errors) = parse(&text);
            assert!(errors.is_empty(), "{}", render(&errors, "p.sql", &text, Style::Plain));
            let errors = bind(&statements, &text).err().unwrap_or_default();
            assert!(errors.is_empty(), "{}", render(&errors, "p.sql", &text, Style::Plain));
            assert!(form.doc.ends_with(['.', '?']), "{}", form.doc);
        }
    }

    #[test]
    fn no_aggregate_is_missing() {
        for name in set_function::names() {
            assert!(names().any(|listed| listed == name), "{name} is not in the list of forms");
        }
    }
}
