#!/usr/bin/env python3
"""How long a newcomer waits behind somebody who fills every slot.

Starts a private PostgreSQL and several engines that share its shards, lets one
user without a cap keep all slots busy, then lets others come with one deposit
each. For each of them: how many items of the flooder were started between its
arrival and its first start. A slot starts one at most, but for those that were
on their way: what is started within --grace-ms of the arrival is counted apart.

  benchmarks/newcomers.py [--engines N] [--slots N] [--handler-ms N]
      [--users N] [--flood N] [--shards N] [--grace-ms N] [--programs DIR]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from deposit_door import Door  # noqa: E402
from engine import Engine  # noqa: E402
from kafka_tools import Server  # noqa: E402

DEPOSIT = "<doi_batch xmlns='http://www.crossref.org/schema/5.3.1'/>"


def arguments():
    out = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("--engines", type=int, default=3)
    out.add_argument("--slots", type=int, default=12, help="in all engines")
    out.add_argument("--handler-ms", type=int, default=200)
    out.add_argument("--users", type=int, default=50)
    out.add_argument("--flood", type=int, default=1500)
    out.add_argument("--shards", type=int, default=8)
    out.add_argument("--grace-ms", type=int, default=50)
    out.add_argument("--programs", type=Path,
                     default=ROOT / "build" / "release" / "bin")
    return out.parse_args()


def send(engine, user, numbers):
    door = Door(engine.address("http"), user, f"secret-{user}")
    for number in numbers:
        if not door.deposit(f"{number}.xml", DEPOSIT.encode()).accepted:
            sys.exit(f"a deposit of {user} was refused")
    door.close()


def send_in_parts(engines, user, count, parts=8):
    with ThreadPoolExecutor(parts) as pool:
        for part in range(parts):
            pool.submit(send, engines[part % len(engines)], user,
                        range(part, count, parts))


def rows(server, query):
    done = subprocess.run(["psql", server.address, "-XAtqc", query],
                          capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


def judge(starts, newcomers, grace_us):
    """Per newcomer: (wait in ms, overtaken, of these after the grace)."""
    for arrived, started in newcomers:
        after = [x for x in starts if arrived < x < started]
        late = [x for x in after if x > arrived + grace_us]
        yield (started - arrived) / 1000, len(after), len(late)


def run(given, server, folder):
    each = given.slots // given.engines
    engines = []
    for n in range(given.engines):
        engines.append(Engine(given.programs, folder / f"e{n}", {
            "store.kind": "postgres", "store.url": server.address,
            "shards.count": given.shards, "node.name": f"e{n}",
            "processors.count": each,
            "processors.inject_delay_ms": given.handler_ms,
            "queues.metadata.pending_limit": given.flood + 1}).start())
    try:
        first = engines[0]
        first.ctl("queue", "set", "metadata", "--concurrency", "none")
        names = [f"user-{n}" for n in range(given.users)]
        for name in ["flood", *names]:
            first.add_user(name, f"secret-{name}")
        for name in names:  # the first login of each is slow
            Door(first.address("http"), name, f"secret-{name}").poll("no.xml")
        first.ctl("queue", "suspend", "metadata")
        send_in_parts(engines, "flood", given.flood)
        first.ctl("queue", "resume", "metadata")
        while int(rows(server, "SELECT count(*) FROM submissions "
                       "WHERE started IS NOT NULL")[0][0]) < 4 * given.slots:
            time.sleep(0.05)
        threads = [threading.Thread(
            target=send, args=(engines[n % given.engines], name, [0]))
                   for n, name in enumerate(names)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        micros = "(1e6 * extract(epoch FROM {}))::bigint"
        waited = ("SELECT shard, \"user\", " + micros.format("received")
                  + ", " + micros.format("started") + " FROM submissions "
                  "WHERE \"user\" <> 'flood' AND started IS NOT NULL")
        while len(found := rows(server, waited)) < given.users:
            time.sleep(0.1)
        starts = [int(x[0]) for x in rows(
            server, "SELECT " + micros.format("started") + " FROM submissions "
            "WHERE \"user\" = 'flood' AND started IS NOT NULL")]
        own = rows(server, "SELECT DISTINCT shard FROM submissions "
                   "WHERE \"user\" = 'flood'")[0][0]
    finally:
        for engine in engines:
            engine.kill()
    out = {"slots": given.slots, "engines": given.engines,
           "handler_ms": given.handler_ms, "users": given.users}
    for label, chosen in (
            ("same_shard", [x for x in found if x[0] == own]),
            ("other_shards", [x for x in found if x[0] != own])):
        judged = list(judge(starts, [(int(x[2]), int(x[3])) for x in chosen],
                            given.grace_ms * 1000))
        if judged:
            out[label] = {
                "users": len(judged),
                "wait_ms_max": round(max(x[0] for x in judged)),
                "overtaken_max": max(x[1] for x in judged),
                f"overtaken_after_{given.grace_ms}_ms_max":
                    max(x[2] for x in judged)}
    print(json.dumps(out))


def main():
    given = arguments()
    server = Server("postgres").start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(given, server, Path(folder))
    finally:
        server.remove()


if __name__ == "__main__":
    main()
