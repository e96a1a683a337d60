"""TPC-H and TPC-DS against DuckDB: every query as a view, compared after filling the tables, after deleting a fifth of all
rows, and after inserting half of these again.

    pip install duckdb duckdb-extensions duckdb-extension-tpch duckdb-extension-tpcds
    python tests/oracles/tpc.py --feldc target/release/feldc tpch --scale 0.1
    python tests/oracles/tpc.py --feldc target/release/feldc tpcds --scale 0.01 --queries 1,5,14

The texts and the data are those of DuckDB's extensions. What the two dialects mean differently is made alike on both sides:
averages are taken of DOUBLEs, the LIMIT at the end (whose ties are open) is cut off. Numbers count as equal up to a relative
difference of 1e-4, since quotients of DECIMALs are DOUBLEs there. Exit code 1 if a query differs or is refused.
"""

import argparse
import collections
import datetime
import decimal
import json
import re
import subprocess
import sys
import tempfile
import time

import duckdb
from duckdb_extensions import import_extension

# Steps: the share of rows, by hash, that is absent.
STEPS = [0, 20, 10]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=["tpch", "tpcds"])
    parser.add_argument("--feldc", default="feldc")
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--queries", help="numbers, separated by commas (all)")
    parser.add_argument("--native", action="store_true", help="compile each program instead of interpreting it")
    parser.add_argument("--args", default="", help="further arguments of feldc run, such as '--workers 4'")
    return parser.parse_args()


class Data:
    """The tables in DuckDB: each with all rows as `full_NAME`, and as NAME the rows of the current step."""

    def __init__(self, suite, scale):
        self.connection = duckdb.connect()
        import_extension(suite)
        self.connection.execute(f"LOAD {suite}")
        self.connection.execute(f"CALL {'dbgen' if suite == 'tpch' else 'dsdgen'}(sf={scale})")
        self.queries = dict(self.connection.execute(f"SELECT query_nr, query FROM {suite}_queries()").fetchall())
        self.columns = {}
        for (table,) in self.connection.execute("SHOW TABLES").fetchall():
            self.columns[table] = [row[:2] for row in self.connection.execute(f"DESCRIBE {table}").fetchall()]
            self.connection.execute(f"ALTER TABLE {table} RENAME TO whole")
            self.connection.execute(f"CREATE TABLE full_{table} AS SELECT *, hash(rowid) % 100 AS part FROM whole{self.referenced(table)}")
            self.connection.execute("DROP TABLE whole")

    @staticmethod
    def referenced(table):
        """The demographics are every combination there is: a part will do."""
        return " WHERE cd_demo_sk % 13 = 0" if table == "customer_demographics" else ""

    def step(self, absent):
        for table in self.columns:
            names = ", ".join(name for name, _ in self.columns[table])
            self.connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {names} FROM full_{table} WHERE part >= {absent}")

    def rows(self, table, low, high):
        names = ", ".join(name for name, _ in self.columns[table])
        return self.connection.execute(f"SELECT {names} FROM full_{table} WHERE part >= {low} AND part < {high}").fetchall()

    def result(self, query):
        return self.connection.execute(query).fetchall()


def alike(query):
    """The query with what differs between the dialects made alike."""
    query = re.sub(r"\bLIMIT\s+\d+\s*;?\s*$", "", query.strip().rstrip(";"), flags=re.I)
    for function in ("avg", "stddev_samp"):
        at = 0
        while match := re.compile(rf"\b{function}\s*\(", re.I).search(query, at):
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(query[end], 0)
                end += 1
            query = f"{query[:match.end()]}CAST({query[match.end():end - 1]} AS DOUBLE){query[end - 1:]}"
            at = match.end()
    return query


def declared(table, columns):
    types = {"BIGINT": "BIGINT", "INTEGER": "INTEGER", "DATE": "DATE", "DOUBLE": "DOUBLE", "TIME": "TIME"}
    shown = [f"{name} {types.get(ty, ty)}" for name, ty in columns]
    return f"CREATE TABLE {table} ({', '.join(shown)});\n"


class Feldc:
    """A running program, spoken to by change lines. `contents` is the sum of all changes of the view."""

    def __init__(self, options, program):
        self.folder = tempfile.TemporaryDirectory()
        path = f"{self.folder.name}/program.sql"
        with open(path, "w") as file:
            file.write(program)
        command = [options.feldc, "run", path, "--stdio", *options.args.split()]
        self.errors = open(f"{self.folder.name}/stderr", "w+")
        self.process = subprocess.Popen(
            command if options.native else [*command, "--interpret"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
        )
        self.contents = collections.Counter()
        self.failed = collections.Counter()
        self.steps = 0

    def change(self, table, kind, names, rows):
        for row in rows:
            values = {name: value if isinstance(value, (int, float, str, type(None))) else str(value) for name, value in zip(names, row)}
            self.process.stdin.write(json.dumps({"table": table, kind: values}) + "\n")

    def commit(self):
        self.steps += 1
        self.process.stdin.write(json.dumps({"commit": self.steps}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line, parse_float=decimal.Decimal)
            if "committed" in message:
                return
            if "error" in message:
                raise RuntimeError(message["error"])
            kind = "insert" if "insert" in message else "delete"
            side = self.failed if message["view"] == "error_view" else self.contents
            side[tuple(message[kind].values())] += 1 if kind == "insert" else -1
        raise RuntimeError(self.said())

    def said(self):
        self.errors.seek(0)
        return self.errors.read()[-1500:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def plain(value):
    """One form for values of both sides: numbers as floats, times and dates as text."""
    if isinstance(value, (decimal.Decimal, int, float)) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.datetime)):
        return str(value)
    return value.rstrip() if isinstance(value, str) else value


def key(row):
    """Rows in an order that small differences of numbers seldom change."""
    return [(value is not None, isinstance(value, str), f"{value:.3g}" if isinstance(value, float) else str(value)) for value in row]


def near(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= 1e-4 * max(abs(one), abs(other))
    return one == other


def difference(expected, given):
    expected, given = ([tuple(map(plain, row)) for row in rows] for rows in (expected, given))
    if len(expected) != len(given):
        return f"{len(expected)} rows expected, {len(given)} given"
    rest = collections.defaultdict(list)
    for row in given:
        rest[tuple(v for v in row if not isinstance(v, float))].append(row)
    for row in sorted(expected, key=key):
        candidates = rest[tuple(v for v in row if not isinstance(v, float))]
        match = next((at for at, other in enumerate(candidates) if all(map(near, row, other))), None)
        if match is None:
            return f"expected {row}, near it {candidates[:2]}"
        candidates.pop(match)
    return None


def check(options, data, number):
    """Runs one query through all steps; what it found, or None, and the numbers of rows."""
    query = alike(data.queries[number])
    tables = [table for table in data.columns if re.search(rf"\b{table}\b", query, re.I)]
    data.step(0)
    width = len(data.connection.execute(query).description)
    names = ", ".join(f"c{n}" for n in range(width))
    program = "".join(declared(table, data.columns[table]) for table in tables)
    running = Feldc(options, f"{program}CREATE VIEW q ({names}) AS {query};")
    counts, before = [], None
    try:
        for absent in STEPS:
            for table in tables:
                columns = [name for name, _ in data.columns[table]]
                if before is None:
                    running.change(table, "insert", columns, data.rows(table, absent, 100))
                else:
                    running.change(table, "delete", columns, data.rows(table, before, absent))
                    running.change(table, "insert", columns, data.rows(table, absent, before))
            before = absent
            running.commit()
            data.step(absent)
            negative = [row for row, weight in running.contents.items() if weight < 0]
            if negative:
                return f"negative weight of {negative[0]}", counts
            given = [row for row, weight in running.contents.items() for _ in range(weight)]
            counts.append(len(given))
            failed = sum(running.failed.values())
            found = difference(data.result(query), given)
            if found or failed:
                return f"with {absent} % absent: {found or ''} {failed or 'no'} error rows", counts
        return None, counts
    except (RuntimeError, BrokenPipeError) as error:
        running.process.wait()
        return f"refused or ended: {running.said() or error}", counts
    finally:
        running.close()


def main():
    options = arguments()
    data = Data(options.suite, options.scale)
    numbers = [int(n) for n in options.queries.split(",")] if options.queries else sorted(data.queries)
    good, empty = 0, 0
    for number in numbers:
        start = time.time()
        found, counts = check(options, data, number)
        good += found is None
        empty += found is None and not any(counts)
        print(f"q{number}: {'equal' if found is None else found} (rows {counts}, {time.time() - start:.1f} s)", flush=True)
    print(f"{good} of {len(numbers)} equal, of these {empty} without rows")
    sys.exit(good != len(numbers))


if __name__ == "__main__":
    main()
