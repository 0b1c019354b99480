"""How fast jobs walk through stages in which nothing is to be done.

    python3 benchmarks/pipeline.py [--jobs 10000] [--stages 9] [--runs 3]

Starts an engine of its own with a pipeline of `noop` stages. Submits a batch
manifest with so many rows over HTTP and waits for the batch to be completed,
splitting and report included; then batches of one job, one after the other.
Prints one JSON object: `seconds` and `moves_per_second` of the best run, and
`one_job_ms`, the median from the answer to the submission until the batch is
completed, which is looked for every millisecond.
"""

import argparse
import http.client
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import poster_door  # noqa: E402
from engine import Engine  # noqa: E402
from merritt_samples import manifest  # noqa: E402

STATES = ["pending", "estimating", "provisioning", "downloading", "processing",
          "storing", "recording", "notify"]
PASSWORD = "secret-ben"

# Every look makes the engine bring its tables up to date.
POLL_S = 0.1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--stages", type=int, default=9)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--buffer", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--alone", type=int, default=50)
    return parser.parse_args()


def pipeline(stages, workers, buffer):
    names = [f"s{i}" for i in range(1, stages + 1)]
    lines = [f"order: [{', '.join(names)}]",
             f"defaults: {{workers: {workers}, buffer: {buffer}}}", "stages:"]
    for i, name in enumerate(names):
        state = STATES[min(i, len(STATES) - 1)]
        lines.append(f"  {name}: {{state: {state}, handler: noop}}")
    return "\n".join(lines) + "\n"


class Depositor:
    def __init__(self, engine):
        self.address = engine.address("http")
        self.door = http.client.HTTPConnection(*self.address, timeout=60)

    def submit(self, kind, content):
        return poster_door.submit(self.address, "ben", PASSWORD,
                                  {"profile": "bench", "type": kind},
                                  "rows.checkm", content)

    def is_completed(self, uuid):
        login = poster_door.authorization("ben", PASSWORD)
        self.door.request("GET", f"/poster/batches/{uuid}",
                          headers={"Authorization": login})
        found = json.loads(self.door.getresponse().read())
        if found["state"] == "failed":
            raise SystemExit(f"the batch failed: {found}")
        return found["state"] == "completed"

    def await_end(self, uuid, pause):
        while not self.is_completed(uuid):
            time.sleep(pause)


def rows(count):
    return manifest("mrt-single-file-batch-manifest", [
        f"http://example.org/{i} | | | | | {i}.txt" for i in range(count)])


def measure(depositor, options):
    best = None
    content = rows(options.jobs)
    for _ in range(options.runs):
        began = time.monotonic()
        depositor.await_end(
            depositor.submit("single-file-batch-manifest", content), POLL_S)
        seconds = time.monotonic() - began
        best = min(best or seconds, seconds)
    alone = []
    for _ in range(options.alone):
        uuid = depositor.submit("file", b"x")
        began = time.monotonic()
        depositor.await_end(uuid, 0.001)
        alone.append((time.monotonic() - began) * 1000)
    moves = options.jobs * options.stages
    return {"jobs": options.jobs, "stages": options.stages,
            "seconds": round(best, 3),
            "moves_per_second": round(moves / best),
            "one_job_ms": round(statistics.median(alone), 2)}


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="depositd-bench-") as folder:
        pipelines = Path(folder) / "pipelines"
        pipelines.mkdir()
        (pipelines / "bench.yaml").write_text(
            pipeline(options.stages, options.workers, options.buffer))
        with Engine(options.programs, Path(folder) / "data",
                    {"pipelines.folder": str(pipelines)}) as engine:
            engine.add_user("ben", PASSWORD)
            engine.ctl("collection", "add", "bench", "--owner", "ben",
                       "--pipeline", "bench")
            print(json.dumps(measure(Depositor(engine), options)))


if __name__ == "__main__":
    main()
