#!/usr/bin/env python3
"""How long Prometheus waits for /metrics of an engine with very many users, of
whom each has an item that waits. Starts its own engine; the users come from a
table of SQLite.
  benchmarks/scrape.py [--users N] [--times N] [--programs FOLDER]
Prints one JSON object: milliseconds, without the way of the first scrape."""

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from engine import Engine  # noqa: E402

FLOOR_MS = 50


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--programs", type=Path,
                        default=ROOT / "build/release/bin")
    return parser.parse_args()


def fill(engine, folder, users):
    path = folder / "users.sqlite"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, who, body)")
        base.executemany("INSERT INTO t VALUES (?, ?, 'x')", (
            (n, f"user-{n}") for n in range(1, users + 1)))
    engine.ctl("scheduler", "add", "many", "--queue", "many", "--high",
               str(2 * users), "--low", str(users))
    engine.ctl("source", "add", "many", "--kind", "sql", "--scheduler", "many",
               "--url", f"sqlite:{path}", "--key", "id", "--user-field", "who",
               "--cursor", "id", "--cursor-start", "0", "--capacity", "50000",
               "--query", "SELECT id, who, body FROM t WHERE id > :cursor "
               "ORDER BY id LIMIT :limit")
    while engine.ask("queue", "show", "many")["ready"] < users:
        time.sleep(1)


def scrape(engine):
    """(milliseconds, bytes) of one."""
    begun = time.perf_counter()
    with urllib.request.urlopen(
            f"http://{engine.ready['admin']}/metrics", timeout=30) as answer:
        text = answer.read()
    return (time.perf_counter() - begun) * 1000, len(text)


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine = Engine(given.programs, folder / "data",
                        {"processors.count": 0})
        engine.start()
        try:
            fill(engine, folder, given.users)
            scrape(engine)
            found = [scrape(engine) for _ in range(given.times)]
        finally:
            engine.kill()
    times = sorted(x for x, _ in found)
    median = statistics.median(times)
    print(json.dumps({"users": given.users, "median_ms": round(median, 2),
                      "worst_ms": round(times[-1], 2),
                      "bytes": found[-1][1]}))
    return 0 if median < FLOOR_MS else 1


if __name__ == "__main__":
    sys.exit(main())
