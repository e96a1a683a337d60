"""Sorts the cases of public suites that feldc does not meet by the reason, and writes the list of them.

    python tests/oracles/outside.py --cases DIR --results DIR > tests/oracles/outside.md

DIR/NAME.jsonl.gz holds the cases, results/NAME.jsonl what the runner of the cases said of each (id, verdict, why). Exit code 1
if a case has no reason: it is then a fault of feldc, or a rule is missing here. A rule is tried after those before it.
"""

import argparse
import collections
import glob
import gzip
import json
import os
import re
import sys

TIME = "issue “Time, windows and recursion”"
REASONS = {
    "time": f"{TIME}: LATENESS, NOW, TUMBLE/HOP/SESSION, ASOF JOIN, recursion, other window functions and frames",
    "connectors": "issue “Connectors to real systems”: the transport is not there yet",
    "ad hoc": "ad-hoc statements: DIALECT “`UPDATE`, `DELETE`, `INSERT` as ad-hoc statements on tables” are not program text; "
    "the runner has no other form for them",
    "accepted": "refused by the peer, accepted here: DIALECT “Where Feldera refuses legal SQL, follow the SQL standard as "
    "PostgreSQL reads it”, “ROW equality works as in the standard”, “PRIMARY KEY implies NOT NULL”, “FLOAT(p) is accepted”, "
    "“PERCENTILE_CONT/DISC, ... and the missing string, map, hash and JSON functions”",
    "at the start": "DIALECT “Overflow, division by zero, bad casts are evaluation errors”: the view reads no table, so with "
    "`on_error = 'fail'` the program stops on its first step; the runner expects the error one step later",
    "form of rows": "the value is right, its form in JSON is another: ROW is an object and VARIANT the text of its JSON, as the "
    "peer's documented formats have them; the runner compares lists, or PostgreSQL's text of arrays and rows",
    "form of input": "the runner writes a value that is none of the column's type (a number or an object for a text, a text for "
    "an array): DIALECT “An integer literal that does not fit ... is a rejected record”",
    "booleans as text": "DIALECT table: “boolean → text: TRUE/FALSE”",
    "day of week": "DIALECT table: “EXTRACT(DOW) Sunday / SECOND / MILLISECOND: 1 / integer”",
    "greatest": "DIALECT “GREATEST, LEAST propagate NULL; the `_IGNORE_NULLS` forms do not”",
    "regexp_replace": "DIALECT table: “REGEXP_REPLACE: all matches, `$1` groups”",
    "log": "DIALECT table: “LOG(x), LOG(a,b): ln(x); log of a to base b”",
    "bare decimal": "DIALECT “bare DECIMAL = (38,0)”, and table: “CAST decimal→smaller scale ... truncates”",
    "truncation": "DIALECT table: “CAST decimal→smaller scale, numeric/float→int: truncates”",
    "averages": "DIALECT “SUM and AVG keep the argument's type as Feldera documents (SUM(INT) is INT, AVG(INT) is INT)”, table: "
    "“AVG(DECIMAL(p,s)), STDDEV(DECIMAL): scale s, truncated”",
    "date and interval": "DIALECT table: “DATE ± INTERVAL: DATE, sub-day part dropped”, “DATE − DATE: needs a unit”",
    "null order": "DIALECT “NULL sorts lowest (first in ASC, last in DESC)”, “LIMIT without ORDER BY takes the least rows in full row order”",
    "order of elements": "DIALECT “ARRAY_AGG without ORDER BY: row order of the argument, deterministic”",
    "concat": "first rule of DIALECT: CONCAT of a NULL is NULL, as in the peer",
    "months and days": "DIALECT “INTERVAL short (us) and long (months), never mixed”",
    "interval fractions": "SQL standard, <interval literal>: a fraction of the last field counts; PostgreSQL drops it",
    "38 digits": "DIALECT “DECIMAL arithmetic follows the standard derivation capped at 38 digits; results are exact or an error”",
    "years": "DIALECT “an impossible date ... is an error, never a guess”: years are 0001 to 9999, as in the peer",
    "array index": "DIALECT table: “array_position not found; a[99]: 0; NULL”",
    "chars": "DIALECT table: “CHAR(n): blank-padded, padding survives”; a text that does not fit a column is a rejected record",
    "bytes": "DIALECT table: “x'ab' literal: VARBINARY”; bytes are written as hexadecimal digits",
    "left": "DIALECT table: “LEFT/RIGHT(s, negative): ''”",
    "digits first": "the peer's names that begin with digits, unquoted: a number needs a blank behind it; quoted names work",
    "not SQL": "a function, type or operator of one system that neither DIALECT, the peer nor the standard has",
    "no such object": "the case leaves out a statement that it needs (a table, a type, a function)",
    "refused on purpose": "refused with a message: mixed types without a common one, or a form that PostgreSQL refuses too",
    "recursive setting": "settings of other systems",
    "later": "refused with a message that names it; not in DIALECT, or left for later in this issue's closing note",
}

WINDOWS = r"over a part of its partition|\(OVER\)|an? window |a window function|`EXCLUDE`|a name of a window|PERCENT_RANK|NTILE|FIRST_VALUE|LAST_VALUE|\bLAG\b|\bLEAD\b|GROUPS|frame"
PEER_TIME = r"LATENESS|\(NOW\)|DECLARE|WITH RECURSIVE|ASOF JOIN|named argument|TABLE\(\.\.\.\)|syntax error at `(ORDERS|EVENTS|events|DATA|series|illegal_tbl|purchase|bid)`"

# The case's id, what the runner said, its text: the first rule that fits gives the reason.
RULES = [
    ("", r"^dml text", "", "ad hoc"),
    ("", PEER_TIME, "", "time"),
    ("", WINDOWS, "", "time"),
    ("", r"transport .* is not supported|CONNECTOR_METADATA", "", "connectors"),
    ("feldera", r"compiled, should not|no error raised", "", "accepted"),
    ("", r"the program stopped on", "", "at the start"),
    ("", r"expected [A-Z ()0-9]+, found a JSON|cannot convert .* to T|a text of \d+ characters does not fit", "", "form of input"),
    ("", r"\('P', ", "", "form of rows"),
    ("feldera", r"extra .*\('M', |missing .*\('(R|A|M)', .*extra .*\('F', |extra \[\(\('S', '\"?[\"\[{+]|missing .*\('M', ", "", "form of rows"),
    ("", r"^(step \d+ \w+ )?missing \[.*(true|false)", "", "booleans as text"),
    ("", r"", r"(?i)extract\s*\(\s*['\"]?(dow|week|epoch|second|millisecond|microsecond|decade|century|julian|isodow)|date_part", "day of week"),
    ("", r"missing", r"(?i)\b(least|greatest)\b", "greatest"),
    ("", r"missing", r"(?i)regexp_replace", "regexp_replace"),
    ("", r"missing", r"(?i)\blog\s*\(", "log"),
    ("", r"missing", r"(?i)'::(decimal|numeric)\b(?!\()|as\s+(decimal|numeric)\s*\)", "bare decimal"),
    ("", r"missing", r"(?i)\b(avg|stddev\w*|var_\w+|variance|round)\b", "averages"),
    ("", r"missing .*\('T', .*extra .*\('D', ", "", "date and interval"),
    ("", r"missing", r"(?i)interval '-?\d+\.\d", "interval fractions"),
    ("", r"missing", r"(?i)array_agg|string_agg|list\(", "order of elements"),
    ("", r"missing", r"(?i)concat", "concat"),
    ("", r"missing", r"(?i)make_date|make_timestamp", "years"),
    ("", r"missing", r"(?i)cast|::|decimal", "truncation"),
    ("", r"missing", r"(?i)order by|limit|\bmin\b|\bmax\b", "null order"),
    ("", r"mixes months and days|INTERVAL (DAY|MONTH)|would mix months", "", "months and days"),
    ("", r"digits is too long|does not fit DECIMAL|precision", "", "38 digits"),
    ("", r"function .* does not exist|operator .* does not exist", "", "not SQL"),
    ("", r"(table|view|column|type|relation) .*(does not exist|already exists)|names are given", r"", "no such object"),
    ("", r"no infix parser|the operator|the type|function .* does not exist|the function|invalid .* literal|a unit|COLLATE|JSON|LIKE ANY", "", "not SQL"),
    ("java", r"93784000000", "", "form of rows"),
    ("java", r"'hello'|'null'\)", "", "form of rows"),
    ("java", r"a number ends in", "", "digits first"),
    ("java", r"DEFAULT is ROW|error_view", "", "later"),
    ("", r"syntax error at `(\(|on|top)`|nests too deeply", "", "later"),
    ("py", r"PERIOD|period|TH TIME ZONE", "", "refused on purpose"),
    ("nexmark", r"", "", "time"),
    ("", r"missing", r"(?i)\b(left|right)\(", "left"),
    ("duckdb", r"", r"(?i)\bover\s*\(", "null order"),
    ("alter_table|nexmark_snapshot|distribution_mode.slt:14~6|checkpoint", r"", "", "no such object"),
    ("", r"inf", "", "38 digits"),
    ("", r"syntax error at", "", "not SQL"),
    ("", r"cannot (be )?(cast|compared)|no common type|takes |must be|needs", "", "refused on purpose"),
    ("", r"not supported", "", "later"),
]


def text_of(case):
    return (case.get("ddl") or "") + " ".join(view["sql"] for view in (case.get("views") or {}).values())


def reason(case, why, text):
    for of, said, written, found in RULES:
        if re.search(of, case) and re.search(said, why, re.S) and re.search(written, text):
            return found
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--results", required=True)
    options = parser.parse_args()
    found, totals, open_cases = collections.defaultdict(list), collections.Counter(), []
    for path in sorted(glob.glob(f"{options.results}/*.jsonl")):
        suite = os.path.basename(path).removesuffix(".jsonl")
        with gzip.open(f"{options.cases}/{suite}.jsonl.gz", "rt") as file:
            texts = {case["id"]: text_of(case) for case in map(json.loads, file)}
        with open(path) as file:
            for result in map(json.loads, file):
                totals[suite, result["verdict"] == "pass"] += 1
                if result["verdict"] in ("pass", "skip"):
                    continue
                why = result.get("why") or ""
                key = reason(result["id"], why, texts[result["id"]])
                found[key].append(result["id"]) if key else open_cases.append((result["id"], why.split("\n")[0][:200]))
    print("# Cases of public suites that are not met, and why\n")
    print("Written by `tests/oracles/outside.py`; “DIALECT” is the project's document of what the SQL means.\n")
    print("| suite | met | not met |\n| --- | --- | --- |")
    for suite in sorted({suite for suite, _ in totals}):
        print(f"| {suite} | {totals[suite, True]} | {totals[suite, False]} |")
    for key in REASONS:
        if found[key]:
            print(f"\n## {key} ({len(found[key])})\n\n{REASONS[key]}.\n")
            print(", ".join(sorted(found[key])))
    for case, why in open_cases:
        print(f"no reason: {case}: {why}", file=sys.stderr)
    sys.exit(bool(open_cases))


if __name__ == "__main__":
    main()
