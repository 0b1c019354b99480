"""What jobs cost that wait: memory of those that no worker takes, and time of
those for which the disk has no room.

    python3 benchmarks/waiting_jobs.py [--jobs 1000000] [--no-room 100000]

Starts an engine of its own. Submits batch manifests with so many rows, to a
pipeline whose first stage has no workers, and tells how much memory the engine
has taken since before, as the kernel counts it. A second engine has a pipeline
that begins with merritt.provision, and more is to stay free on its disk than
there is: once all jobs wait there, tells what part of one processor the engine
uses during ten seconds in which nothing changes.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import poster_door  # noqa: E402
from engine import Engine  # noqa: E402
from merritt_samples import manifest  # noqa: E402

PASSWORD = "secret-ben"
ROWS = 100_000
WATCHED_S = 10
NO_WORKERS = """order: [first]
stages:
  first: {state: pending, handler: noop, workers: 0}
"""
NO_ROOM = """order: [first]
stages:
  first: {state: provisioning, handler: merritt.provision, buffer: 64}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--no-room", type=int, default=100_000)
    return parser.parse_args()


def memory_mb(engine):
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    line, = [x for x in status.splitlines() if x.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def cpu_seconds(engine):
    fields = Path(f"/proc/{engine.process.pid}/stat").read_text()
    fields = fields.rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def submit(engine, jobs):
    for first in range(0, jobs, ROWS):
        rows = [f"http://example.org/{i} | | | | | {i}.txt"
                for i in range(first, min(first + ROWS, jobs))]
        uuid = poster_door.submit(
            engine.address("http"), "ben", PASSWORD,
            {"profile": "bench", "type": "single-file-batch-manifest"},
            "rows.checkm", manifest("mrt-single-file-batch-manifest", rows))
        while engine.ask("batch", "show", uuid)["jobs"]["total"] < len(rows):
            time.sleep(0.2)


def started(options, folder, name, text, settings=None):
    pipelines = folder / f"pipelines-{name}"
    pipelines.mkdir()
    (pipelines / "bench.yaml").write_text(text)
    return Engine(options.programs, folder / name,
                  {"pipelines.folder": str(pipelines), **(settings or {})})


def prepare(engine):
    engine.add_user("ben", PASSWORD)
    engine.ctl("collection", "add", "bench", "--owner", "ben", "--pipeline",
               "bench")


def memory_of_waiting(options, folder):
    with started(options, folder, "memory", NO_WORKERS) as engine:
        prepare(engine)
        submit(engine, 100)
        before = memory_mb(engine)
        began = time.monotonic()
        submit(engine, options.jobs)
        seconds = time.monotonic() - began
        time.sleep(2)  # what is freed goes back by and by
        after = memory_mb(engine)
    return {"jobs": options.jobs, "memory_mb": round(after - before),
            "bytes_per_job": round((after - before) * 2**20 / options.jobs),
            "split_per_second": round(options.jobs / seconds)}


def time_of_waiting(options, folder):
    with started(options, folder, "room", NO_ROOM,
                 {"work.free_min_mb": 1_000_000_000}) as engine:
        prepare(engine)
        submit(engine, options.no_room)
        last = -1
        while True:  # until every job has been refused
            found = cpu_seconds(engine)
            if found - last < 0.05:
                break
            last = found
            time.sleep(1)
        before = cpu_seconds(engine)
        time.sleep(WATCHED_S)
        used = (cpu_seconds(engine) - before) / WATCHED_S
    return {"no_room": options.no_room, "processor_used": round(used, 4)}


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="depositd-bench-") as name:
        folder = Path(name)
        print(json.dumps({**memory_of_waiting(options, folder),
                          **time_of_waiting(options, folder)}))


if __name__ == "__main__":
    main()
