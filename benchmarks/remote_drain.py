"""How fast a node of processors drains a queue of an engine on this machine.

    python3 benchmarks/remote_drain.py [--items N] [--slots N] [--delay-ms N]

The queue is filled first (1,000 users, Zipf-skewed, 1 KiB), so that nothing but
draining is measured: pick, hand out, a handler that only waits for a moment,
outcome, two commits. Prints one JSON object.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from engine import Engine  # noqa: E402

QUEUE = "bench.p2"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin")
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--slots", type=int, default=128)
    parser.add_argument("--delay-ms", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--wait-s", type=int, default=120)
    return parser.parse_args()


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shown(engine):
    return engine.ask("queue", "show", QUEUE)


def wait_for(condition, within):
    until = time.monotonic() + within
    while not condition():
        if time.monotonic() > until:
            raise SystemExit("it took too long")
        time.sleep(0.02)


def fill(engine, options):
    """depositbench fills a queue and then drains it; the second part is cut
    short, because the queue hands out nothing."""
    engine.ctl("queue", "suspend", QUEUE)
    filling = subprocess.Popen(
        [str(options.programs / "depositbench"), "P2", "--connect",
         engine.ready["node"], "--items", str(options.items)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: shown(engine)["ready"] >= options.items, 120)
    finally:
        filling.kill()
        filling.wait()


def start_node(engine, options, number):
    line = [str(options.programs / "depositd"), "--processors-only", "--join",
            engine.ready["node"]]
    for setting in (f"node.name=bench-{number}",
                    f"processors.count={options.slots}",
                    f"processors.inject_delay_ms={options.delay_ms}"):
        line += ["--set", setting]
    node = subprocess.Popen(line, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    node.stdout.readline()
    return node


def run(folder, options):
    settings = {
        "processors.count": 0,
        f"queues.{QUEUE}.kind": "deposit",
        f"queues.{QUEUE}.concurrency": 64,
        f"queues.{QUEUE}.pending_limit": "none",
    }
    nodes = []
    with Engine(options.programs, Path(folder) / "data", settings) as engine:
        try:
            fill(engine, options)
            nodes = [start_node(engine, options, i)
                     for i in range(options.nodes)]
            wait_for(lambda: shown(engine)["processors"]
                     == options.slots * options.nodes, 30)
            pids = [engine.process.pid, *(node.pid for node in nodes)]
            spent = [cpu_seconds(pid) for pid in pids]
            engine.ctl("queue", "resume", QUEUE)
            began = time.monotonic()
            wait_for(lambda: shown(engine)["finished"] >= options.items,
                     options.wait_s)
            took = time.monotonic() - began
            spent = [cpu_seconds(pid) - before
                     for pid, before in zip(pids, spent)]
        finally:
            for node in nodes:
                node.kill()
                node.wait()
    per_item = 1e6 / options.items
    return {
        "phase": "remote_drain",
        "items": options.items,
        "slots": options.slots,
        "nodes": options.nodes,
        "items_per_second": round(options.items / took),
        "server_cpu_us_per_item": round(spent[0] * per_item, 1),
        "node_cpu_us_per_item": round(sum(spent[1:]) * per_item, 1),
    }


def main():
    options = arguments()
    options.programs = Path(options.programs)
    with tempfile.TemporaryDirectory(prefix="remote-drain-") as folder:
        print(json.dumps(run(folder, options)))


if __name__ == "__main__":
    main()
