"""The main job of pulled work: records of three sources of very different speed
are fetched, scheduled by a strategy into a queue, and taken from there; with
prefetching, and again with buffers of one batch, as a plain loop would have it.

Exit code as of main_job: 0 every record came exactly once, 1 one did not, 2
wrong usage, 3 the engine or a server failed.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import time

from engine import CommandFailed, Engine, EngineFailed
from kafka_tools import KafkaFailed, NoKafka, Server
from migrate_ledger import Ledger, Worker
from migrate_picture import Panel, picture
from migrate_sources import SHARES, prepare

QUEUE = "migration"
SCHEDULER = "migration"
WORKERS = 4
HIGH = 50_000  # records that may wait in the queue
LOOK_EVERY_S = 0.2
LINES_EVERY_S = 5
TERMINAL_LINES_EVERY_S = 1


class NotDone(Exception):
    """Something is not as it should be at the end, or there is no end."""


# -- how sources are read -----------------------------------------------------


def prefetching(rate, query_s):
    """Buffers that last while the slowest query runs: read on as soon as two
    such queries are left. Options by source."""
    out = {}
    for name, share in SHARES.items():
        capacity = max(1000, round(3 * share * rate * query_s))
        out[name] = ["--capacity", str(capacity), "--replenish-threshold",
                     str(2 * capacity // 3)]
    return out


def plain(rate, query_s, records):
    """One batch, and the next once it is used up: whoever draws from a source
    waits for each of its queries."""
    batch = round(min(0.7 * SHARES["orders"] * rate * query_s,
                      SHARES["orders"] * records / 8))
    return {name: ["--capacity", str(max(1, batch)),
                   "--replenish-threshold", "0"] for name in SHARES}


def strategy(rate):
    """The target takes so many records per second, from each source its
    share, whatever the others do."""
    parts = [f"limit({max(1, round(share * rate))}/s, {name})"
             for name, share in SHARES.items()]
    return f"fair({', '.join(parts)})"


def configure(engine, sources, buffers, rate):
    """Adds everything, and lets it go once every source has been read: what is
    compared is not the first query."""
    engine.ctl("scheduler", "add", SCHEDULER, "--queue", QUEUE, "--high", "1")
    for source in sources:
        engine.ctl("source", "add", source.name, "--scheduler", SCHEDULER,
                   "--user-field", "owner", "--ends=true", *source.options,
                   *buffers[source.name])
    engine.ctl("strategy", "set", SCHEDULER, strategy(rate))


def await_first_batches(engine, patience_s):
    last = time.monotonic() + patience_s
    while True:
        rows = engine.ask("source", "list")["sources"]
        if all(row["buffer"] > 0 or row["state"] == "ended" for row in rows):
            return
        if time.monotonic() > last:
            raise NotDone("no first batch: " + "; ".join(
                f"{row['name']} {row['state']} {row['error'] or ''}"
                for row in rows))
        time.sleep(LOOK_EVERY_S)


# -- what happens -------------------------------------------------------------


class Progress:
    """A line of throughput now and then: every second on a terminal."""

    def __init__(self, ledger, out=sys.stdout):
        self.ledger = ledger
        self.out = out
        self.every_s = (TERMINAL_LINES_EVERY_S if out.isatty()
                        else LINES_EVERY_S)
        self.last = time.monotonic()
        self.before = ledger.by_source()

    def due(self):
        return time.monotonic() - self.last >= self.every_s

    def show(self, rows):
        now, found = time.monotonic(), self.ledger.by_source()
        took = max(now - self.last, 1e-9)
        parts = []
        for row in rows:
            name = row["name"]
            fed = (found[name] - self.before[name]) / took
            what = (" reading" if row["replenishing"] else
                    "" if row["state"] == "running" else f" {row['state']}")
            parts.append(f"{name} {fed:,.0f}/s ({row['buffer']:,} "
                         f"buffered{what})")
        total = (sum(found.values()) - sum(self.before.values())) / took
        print(f"  {self.ledger.seconds():6.1f} s {total:>9,.0f} records/s "
              f"{sum(found.values()):>11,} of {self.ledger.expected:,}; "
              + ", ".join(parts), file=self.out, flush=True)
        self.last, self.before = now, found


def has_ended(engine, rows):
    """Nothing waits anywhere, and nothing more will come."""
    return (all(row["state"] == "ended" and not row["buffer"]
                and not row["in_flight"] for row in rows)
            and engine.ask("queue", "size", QUEUE)["size"] == 0)


def follow(engine, ledger, give_up_after_s):
    """Until every source has ended and its last record was taken."""
    progress = Progress(ledger)
    news, last_news = -1, time.monotonic()
    while True:
        if ledger.problem:
            raise NotDone(ledger.problem)
        if ledger.taken != news:
            news, last_news = ledger.taken, time.monotonic()
        elif time.monotonic() - last_news > give_up_after_s:
            raise NotDone(f"no news for {give_up_after_s} s, "
                          f"{ledger.taken} of {ledger.expected} came")
        if progress.due() or ledger.taken >= ledger.expected:
            rows = engine.ask("source", "list")["sources"]
            if progress.due():
                progress.show(rows)
            if ledger.taken >= ledger.expected and has_ended(engine, rows):
                progress.show(rows)
                return
        time.sleep(LOOK_EVERY_S)


def migrate(engine, sources, buffers, options):
    """One run; its ledger."""
    configure(engine, sources, buffers, options.rate)
    await_first_batches(engine, options.give_up_after)
    ledger = Ledger({source.name: source.count for source in sources})
    workers = [Worker(engine.address("http"), QUEUE, ledger)
               for _ in range(WORKERS)]
    engine.ctl("scheduler", "set", SCHEDULER, "--high", str(HIGH))
    ledger.start()
    for worker in workers:
        worker.start()
    try:
        follow(engine, ledger, options.give_up_after)
    finally:
        ledger.over.set()
        for worker in workers:
            worker.join(60)
    return ledger


# -- what came of it ----------------------------------------------------------


def account(engine, ledger):
    """The run in figures, and what is wrong with it."""
    out = ledger.summary()
    out["sources"] = {
        row["name"]: {key: row[key] for key in (
            "replenishes", "duplicates", "bad", "done", "total")}
        for row in engine.ask("source", "list")["sources"]}
    return out


def print_account(title, found):
    rates = found["records_per_second"]
    print(f"\n{title}: {found['records']:,} records in "
          f"{found['seconds']:.1f} s; the median second {rates['median']:,}, "
          f"the slowest {rates['least']:,}, the fastest {rates['most']:,}")
    print(f"  missing {found['missing']}, twice {found['repeated']}, "
          f"unknown {found['unknown']}: "
          + ("every key exactly once" if found["exactly_once"]
             else "NOT EXACTLY ONCE"))


def run_one(title, sources, buffers, options, data):
    log = options.results / f"depositd-{data.name}.log"
    print(f"\n{title}", flush=True)
    with Engine(options.programs, data,
                {"emodb.anonymous": "true", "processors.count": 0},
                log=log) as engine:
        ledger = migrate(engine, sources, buffers, options)
        found = account(engine, ledger)
        code = engine.stop()
        if code != 0:
            raise EngineFailed(code, engine.log())
    print_account(title, found)
    return found, Panel(title, ledger.slice_s, ledger.slices())


def run(server, options, data):
    """Both runs with the servers up; what is left in the results."""
    query_s = options.query_ms / 1000
    began = time.monotonic()
    sources = prepare(server.address, data / "sources", options.migrate,
                      query_s)
    print(f"{options.migrate:,} records in "
          f"{time.monotonic() - began:.1f} s: "
          + ", ".join(f"{x.name} {x.count:,}" for x in sources)
          + f"; a query of orders takes {query_s:g} s")
    runs, panels = {}, []
    for key, title, buffers in (
            ("prefetching", "with prefetching",
             prefetching(options.rate, query_s)),
            ("plain", "without prefetching",
             plain(options.rate, query_s, options.migrate))):
        runs[key], panel = run_one(title, sources, buffers, options,
                                   data / key)
        panels.append(panel)
    (options.results / "migration.svg").write_text(picture(
        f"{options.migrate:,} records from three sources: records per second",
        panels))
    (options.results / "summary.json").write_text(
        json.dumps(runs, indent=2) + "\n")
    print(f"\npicture: {options.results / 'migration.svg'}")
    wrong = [key for key, x in runs.items() if not x["exactly_once"]]
    if wrong:
        raise NotDone(f"not every key came exactly once: {', '.join(wrong)}")
    print(f"migration: {options.migrate:,} records twice over, every key "
          f"exactly once; {runs['prefetching']['seconds']:.1f} s with "
          f"prefetching, {runs['plain']['seconds']:.1f} s without")


def main(options, data):
    """With the folders that main_job has prepared."""
    if options.data is None:
        shutil.rmtree(data, ignore_errors=True)
    elif data.exists() and any(data.iterdir()):
        print(f"run: a migration begins in an empty folder, and {data} is not",
              file=sys.stderr)
        return 2
    server = Server("postgres")
    with contextlib.ExitStack() as servers:
        servers.callback(server.remove)
        try:
            server.start()
            print(f"{server.service} runs: {server.address}")
            run(server, options, data)
            return 0
        except (EngineFailed, CommandFailed, NoKafka, KafkaFailed,
                subprocess.CalledProcessError) as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 3
        except NotDone as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 1
