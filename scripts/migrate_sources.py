"""Where the records of a migration come from: a PostgreSQL whose queries are
slow, a SQLite file, and a program; every record in one of them, once."""

import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

from migrate_generator import OWNERS, record_id

GENERATOR = Path(__file__).resolve().parent / "migrate_generator.py"

# Most of what is to be moved is in the slow one, as it always is.
SHARES = {"orders": 0.60, "people": 0.25, "events": 0.15}


class MigrationSource:
    """One source: how it is added to an engine, and what it has."""

    def __init__(self, name, count, options):
        self.name = name
        self.count = count
        self.options = options  # of `source add`

    def record_ids(self):
        return (record_id(self.name, n) for n in range(1, self.count + 1))


def counts(records):
    """How many each source has; all of them together are `records`."""
    out = {name: int(records * share) for name, share in SHARES.items()}
    out["orders"] += records - sum(out.values())
    return out


def slow_source(url, count, query_s):
    """Rows of a table of a real PostgreSQL; a query takes `query_s` seconds and
    some, however many rows it is for."""
    fill = (
        "CREATE TABLE orders (number bigint PRIMARY KEY, id text NOT NULL, "
        "owner text NOT NULL);"
        "INSERT INTO orders SELECT n, 'orders-' || lpad(n::text, 9, '0'), "
        f"'owner-' || n % {OWNERS} FROM generate_series(1, {count}) AS n;"
        "ANALYZE orders;")
    subprocess.run(["psql", url, "-XAtqc", fill], check=True, text=True,
                   stdout=subprocess.DEVNULL)
    # Materialized, so that it waits once and not once for each row.
    query = (f"WITH pause AS MATERIALIZED (SELECT pg_sleep({query_s})) "
             "SELECT id, number, owner FROM pause, orders "
             "WHERE number > :cursor::bigint ORDER BY number LIMIT :limit")
    return MigrationSource("orders", count, [
        "--kind", "sql", "--url", url, "--query", query, "--key", "id",
        "--cursor", "number", "--cursor-start", "0",
        "--total-query", "SELECT count(*) FROM orders"])


def fast_source(path, count):
    """Rows of a SQLite file, which is made anew."""
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    with base:
        base.execute("CREATE TABLE people (number INTEGER PRIMARY KEY, "
                     "id TEXT NOT NULL, owner TEXT NOT NULL)")
        base.executemany(
            "INSERT INTO people VALUES (?, ?, ?)",
            ((n, record_id("people", n), f"owner-{n % OWNERS}")
             for n in range(1, count + 1)))
    base.close()
    return MigrationSource("people", count, [
        "--kind", "sql", "--url", f"sqlite:{path.resolve()}", "--query",
        "SELECT id, number, owner FROM people WHERE number > :cursor "
        "ORDER BY number LIMIT :limit", "--key", "id", "--cursor", "number",
        "--cursor-start", "0", "--total-query", "SELECT count(*) FROM people"])


def program_source(name, count, *more):
    """What a program prints; `more` are its further words."""
    command = [sys.executable, str(GENERATOR), name, str(count),
               *map(str, more)]
    return MigrationSource(name, count, [
        "--kind", "exec", "--command", shlex.join(command), "--key", "id",
        "--cursor", "number", "--cursor-start", "0"])


def prepare(url, folder, records, query_s):
    """All three, filled. `url` is that of a PostgreSQL."""
    how_many = counts(records)
    folder.mkdir(parents=True, exist_ok=True)
    return [slow_source(url, how_many["orders"], query_s),
            fast_source(folder / "people.sqlite", how_many["people"]),
            program_source("events", how_many["events"])]
