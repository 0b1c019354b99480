"""What it costs to pull work: records per second, slow sources, memory.

    python3 benchmarks/sources.py [--phase rate|valleys|memory]...
        [--records 1000000] [--rate 20000] [--delay-s 5] [--seconds 30]
        [--buffered 1000000] [--kind exec|sqlite]

Starts engines of its own, with the embedded store. Prints one JSON object for
each phase:

rate     three sources into the durable engine, without marks and with nobody
         who takes anything: records per second from the first tenth to the
         last. The sources run beside it, on the same processors.
valleys  the target takes --rate records per second, a third from each of three
         sources. Once with queries that take no time; once with one source that
         takes --delay-s per query and reads ahead; once with that source and a
         buffer of one second, as a plain loop would have it. Each is measured
         for --seconds from when all buffers are filled. `median_to_delay_0` and
         `least_to_delay_0`: the median and the slowest second against the
         median of the first run.
memory   what the engine takes more when --buffered records with keys of 16
         bytes wait in one buffer, as the kernel counts it; bodies included,
         whose size stands beside it.

Floors: 80,000 records per second; a median second of at least 0.95 of the run
without delay and none below 0.8; 200 bytes per record.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from engine import Engine  # noqa: E402
from migrate_generator import record_id  # noqa: E402
from migrate_sources import fast_source, program_source  # noqa: E402

PHASES = ("rate", "valleys", "memory")
SCHEDULER = "bench"
NAMES = ("first", "secnd", "third")
NO_MARK = 1_000_000_000
ENDLESS = 1_000_000_000
BUFFER = 100_000       # records of a source, where it is not what is measured
MEMORY_BATCH = 20_000  # at a time, so that a batch is not what is measured
LOOK_S = 0.1


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--phase", action="append", choices=PHASES)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=("exec", "sqlite"), default="sqlite")
    parser.add_argument("--rate", type=int, default=20_000)
    parser.add_argument("--delay-s", type=float, default=5)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--buffered", type=int, default=1_000_000)
    parser.add_argument("--patience-s", type=int, default=600)
    return parser.parse_args()


# -- engines and their sources ------------------------------------------------


def started(given, folder, name):
    return Engine(given.programs, folder / name, {"processors.count": 0})


def add_scheduler(engine, high):
    engine.ctl("scheduler", "add", SCHEDULER, "--queue", SCHEDULER, "--high",
               str(high))


def add_source(engine, source, capacity, threshold):
    engine.ctl("source", "add", source.name, "--scheduler", SCHEDULER,
               "--capacity", str(capacity), "--replenish-threshold",
               str(threshold), "--timeout-ms", "120000", *source.options)


def source_rows(engine):
    return {x["name"]: x for x in engine.ask("source", "list")["sources"]}


def wait_for(given, engine, condition):
    """Until it holds of the sources; one that fails ends the benchmark."""
    until = time.monotonic() + given.patience_s
    while not condition(rows := source_rows(engine)):
        errors = [x["error"] for x in rows.values() if x["error"]]
        if errors:
            raise SystemExit(f"a source failed: {errors[0]}")
        if time.monotonic() > until:
            raise SystemExit(f"it took longer than {given.patience_s} s")
        time.sleep(LOOK_S)


class Meter(threading.Thread):
    """Looks again and again how many records were fed; counts of times between
    two looks are taken from the line through them."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine = engine
        self.over = threading.Event()
        self.looks = []  # (when, records fed)
        self.look()

    def look(self):
        before = time.monotonic()
        fed = self.engine.ask("scheduler", "show", SCHEDULER)["fed"]
        self.looks.append(((before + time.monotonic()) / 2, fed))

    def run(self):
        while not self.over.is_set():
            self.look()
            self.over.wait(LOOK_S)

    def last(self):
        return self.looks[-1]

    def fed_at(self, when):
        looks = self.looks
        for (t0, n0), (t1, n1) in zip(looks, looks[1:]):
            if t0 <= when <= t1:
                return n0 + (n1 - n0) * (when - t0) / max(t1 - t0, 1e-9)
        raise ValueError(f"nobody looked at {when}")

    def reached_at(self, fed):
        """When so many were fed."""
        looks = self.looks
        for (t0, n0), (t1, n1) in zip(looks, looks[1:]):
            if n0 < fed <= n1:
                return t0 + (t1 - t0) * (fed - n0) / (n1 - n0)
        raise ValueError(f"{fed} were never fed")


def cpu_seconds(engine):
    """Of its own; programs that it runs are not counted."""
    fields = Path(f"/proc/{engine.process.pid}/stat").read_text()
    fields = fields.rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# -- records per second -------------------------------------------------------


def three_sources(given, folder, records):
    """With all records between them, and a few more."""
    each = records // len(NAMES) + 1
    if given.kind == "exec":
        return [program_source(name, each) for name in NAMES]
    out = []
    for name in NAMES:
        source = fast_source(folder / f"{name}.sqlite", each)
        source.name = name
        out.append(source)
    return out


def measure_rate(given, folder):
    sources = three_sources(given, folder, given.records)
    with started(given, folder, "rate") as engine:
        add_scheduler(engine, NO_MARK)
        meter = Meter(engine)
        cpu = cpu_seconds(engine)
        meter.start()
        for source in sources:
            add_source(engine, source, BUFFER, BUFFER // 2)
        wait_for(given, engine, lambda _: meter.last()[1] >= given.records)
        cpu = cpu_seconds(engine) - cpu
        meter.over.set()
        meter.join()
    first, last = given.records / 10, given.records
    took = meter.reached_at(last) - meter.reached_at(first)
    return {"phase": "rate", "kind": given.kind, "records": given.records,
            "records_per_second": round((last - first) / took),
            "server_cpu_us_per_record": round(1e6 * cpu / given.records, 1)}


# -- slow sources -------------------------------------------------------------


def seconds_of(given, folder, name, delay_s, capacity, threshold):
    """Records fed in each of so many seconds, once all buffers are filled."""
    share = max(1, given.rate // len(NAMES))
    with started(given, folder, name) as engine:
        add_scheduler(engine, 1)  # filled first, fed then
        for source in NAMES:
            slow = source == NAMES[-1]
            # What the others have lasts anyway: they are read at once.
            add_source(engine, program_source(source, ENDLESS, ENDLESS,
                                              delay_s if slow else 0),
                       *((capacity, threshold) if slow
                         else (BUFFER, BUFFER // 2)))
        parts = ", ".join(f"limit({share}/s, {x})" for x in NAMES)
        engine.ctl("strategy", "set", SCHEDULER, f"fair({parts})")
        wait_for(given, engine, lambda rows: all(
            x["buffer"] > x["replenish_threshold"] for x in rows.values()))
        meter = Meter(engine)
        engine.ctl("scheduler", "set", SCHEDULER, "--high", str(NO_MARK))
        meter.start()
        begin = time.monotonic() + 1  # limits start full
        while meter.last()[0] < begin + given.seconds:
            if not meter.is_alive():
                raise SystemExit("the engine does not say what it has fed")
            time.sleep(LOOK_S)
        meter.over.set()
        meter.join()
    marks = [meter.fed_at(begin + n) for n in range(given.seconds + 1)]
    return [round(b - a) for a, b in zip(marks, marks[1:])]


def measure_valleys(given, folder):
    share = max(1, given.rate // len(NAMES))
    # Lasts for two of its queries when the next one starts.
    threshold = round(2 * share * given.delay_s)
    ahead = threshold + round(1.5 * share * given.delay_s)
    runs = {
        "delay_0": seconds_of(given, folder, "delay_0", 0, ahead, threshold),
        "prefetching": seconds_of(given, folder, "prefetching", given.delay_s,
                                  ahead, threshold),
        "plain": seconds_of(given, folder, "plain", given.delay_s, share, 0)}
    base = max(statistics.median(runs["delay_0"]), 1)
    out = {"phase": "valleys", "rate": given.rate, "delay_s": given.delay_s}
    for name, each in runs.items():
        out[name] = {
            "median_to_delay_0": round(statistics.median(each) / base, 3),
            "least_to_delay_0": round(min(each) / base, 3),
            "seconds_each": each}
    return out


# -- memory -------------------------------------------------------------------


def memory_bytes(engine):
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    line, = [x for x in status.splitlines() if x.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def fill(given, engine, name, count):
    source = program_source(name, count, MEMORY_BATCH)
    add_source(engine, source, count, count - 1)
    # One of them is in the queue, which is at its mark.
    wait_for(given, engine, lambda rows: rows[name]["buffer"] >= count - 1
             and not rows[name]["replenishing"])
    time.sleep(2)  # what is freed goes back by and by


def measure_memory(given, folder):
    count = given.buffered
    with started(given, folder, "memory") as engine:
        add_scheduler(engine, 1)
        fill(given, engine, NAMES[0], 100)
        before = memory_bytes(engine)
        fill(given, engine, "record", count)
        taken = memory_bytes(engine) - before
    key = record_id("record", count)
    body = json.dumps({"id": key, "number": count, "owner": "owner-0"},
                      separators=(",", ":"))
    own = len(key) + len("record") + len(body)
    return {"phase": "memory", "records": count, "key_bytes": len(key),
            "key_user_body_bytes": own,
            "bytes_per_record": round(taken / count),
            "bytes_per_record_beside_user_and_body":
                round(taken / count - (own - len(key)))}


def main():
    given = arguments()
    measures = {"rate": measure_rate, "valleys": measure_valleys,
                "memory": measure_memory}
    for phase in given.phase or PHASES:
        with tempfile.TemporaryDirectory(prefix="depositd-bench-") as name:
            print(json.dumps(measures[phase](given, Path(name))), flush=True)


if __name__ == "__main__":
    main()
