"""depositd beside Redis and PostgreSQL at the same work, in one run.

    python3 benchmarks/peers.py [--row NAME] [--rounds N] [--seconds S]

Starts all three in a folder of their own, on loopback, and ends them. Each does
the work in turns, so what the machine does besides falls on all of them; of the
rounds the median counts. All acknowledge what is flushed and nothing else:
Redis with `appendfsync always`, PostgreSQL with its defaults. Items have 1,024
bytes. Prints a table; with --json an object for each row.

What each row asks of whom, and with which client:

* depositd: EmoDB's door, `depositbench`. Its items are of one user here, for
  the peers know none.
* Redis: a list, `redis-benchmark`. A reliable consumer moves an item to a list
  of its own (LMOVE) and removes it when it is done (LPOP): two commands, two
  flushes. They are measured one after the other and their times are added.
* PostgreSQL: a table, `pgbench`. A consumer deletes the oldest row that nobody
  has locked (FOR UPDATE SKIP LOCKED) in one transaction, and keeps it open
  while it works. In groups: COPY with psql, and 100 rows in one transaction.

Debian's packages redis-server, redis-tools and postgresql have to be there.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from engine import Engine  # noqa: E402

BYTES = 1024
GROUP, HUNDRED = 1_000, 100
PATIENCE_S = 600


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--row", action="append", choices=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3,
                        help="that a measurement takes, about")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def run(*command, **more):
    done = subprocess.run([str(x) for x in command], capture_output=True,
                          text=True, check=False, timeout=PATIENCE_S, **more)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout


def one_after_the_other(*rates):
    """Of work that consists of these parts."""
    return 1 / sum(1 / x for x in rates)


class Depositd:
    """Through EmoDB's door."""

    name = "depositd"

    def __init__(self, folder, programs):
        self.bench = programs / "depositbench"
        self.engine = Engine(programs, folder / "depositd", {
            "emodb.anonymous": "true", "memory.body_budget_mb": "1024"})
        self.engine.start()

    def close(self):
        self.engine.kill()

    def measure(self, phase, count, *more):
        said = run(self.bench, phase, "--door", "emodb", "--json", "--connect",
                   self.engine.ready["http"], "--items", max(int(count), 1_000),
                   "--body-bytes", BYTES, *more)
        return json.loads(said.splitlines()[0])["items_per_second"]

    def send(self, clients, count):
        return self.measure("P1s", count, "--connections", clients)

    def receive(self, clients, count):
        return self.measure("P2", count, "--workers", clients,
                            "--prefetch", 1)

    def receive_in_one(self, clients, count):
        return self.measure("P2", count, "--workers", clients,
                            "--prefetch", 1, "--ack-and-poll")

    def send_groups(self, clients, count):
        del clients  # four
        return self.measure("P1", count)

    def receive_groups(self, clients, count):
        return self.measure("P2b", count, "--workers", clients)


class Redis:
    name = "Redis"

    def __init__(self, folder):
        if not shutil.which("redis-server") or not shutil.which(
                "redis-benchmark"):
            raise SystemExit("redis-server and redis-tools are missing")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        data = folder / "redis"
        data.mkdir()
        self.process = subprocess.Popen(
            ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port),
             "--dir", str(data), "--appendonly", "yes", "--appendfsync",
             "always", "--save", ""],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("redis-server does not come up")

    def close(self):
        self.process.kill()
        self.process.wait()

    def command(self, clients, count, *words, pipeline=1):
        said = run("redis-benchmark", "-h", "127.0.0.1", "-p", self.port, "-c",
                   clients, "-n", max(int(count), clients), "-P", pipeline,
                   "--csv", *words)
        return float(said.splitlines()[-1].split(",")[1].strip('"'))

    def empty(self):
        run("redis-cli", "-p", self.port, "del", "waiting", "taken")

    def fill(self, count):
        self.empty()
        self.command(50, count, "rpush", "waiting", "x" * BYTES, pipeline=100)

    def send(self, clients, count):
        self.empty()
        return self.command(clients, count, "rpush", "waiting", "x" * BYTES)

    def receive(self, clients, count):
        self.fill(count)
        return one_after_the_other(
            self.command(clients, count, "lmove", "waiting", "taken", "left",
                         "right"),
            self.command(clients, count, "lpop", "taken"))

    receive_in_one = receive

    def send_groups(self, clients, count):
        self.empty()
        return self.command(clients, count, "rpush", "waiting", "x" * BYTES,
                            pipeline=GROUP)

    def receive_groups(self, clients, count):
        self.fill(count)
        moved = self.command(clients, count, "lmove", "waiting", "taken",
                             "left", "right", pipeline=HUNDRED)
        ended = self.command(clients, count / HUNDRED, "lpop", "taken",
                             HUNDRED)
        return one_after_the_other(moved, ended * HUNDRED)


class Postgres:
    name = "PostgreSQL"

    TABLE = ("drop table if exists waiting; "
             "create table waiting (id bigserial primary key, body text)")
    SEND = f"insert into waiting (body) values (repeat('x', {BYTES}));"
    RECEIVE = ("delete from waiting where id = (select id from waiting order "
               "by id for update skip locked limit {count}) returning body;")
    RECEIVE_MANY = ("delete from waiting where id = any (array(select id from "
                    "waiting order by id for update skip locked limit {count}))"
                    " returning body;")

    def __init__(self, folder):
        self.folder = folder
        # The server has a user of its own, who must get there.
        os.chmod(folder, 0o755)
        self.url = self.start()
        self.do("alter system set max_connections = 300")
        self.service("stop")
        self.url = self.start()
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
        self.pgbench = programs[-1] if programs else "pgbench"

    def service(self, action, *more):
        return run(ROOT / "scripts/services", action, "--folder",
                   self.folder / "postgres", *more)

    def start(self):
        return self.service("start", "--until", os.getpid()).strip()

    def close(self):
        self.service("kill")

    def do(self, words):
        run("psql", "-q", "-X", "-d", self.url, "-c", words)

    def fill(self, count):
        self.do(self.TABLE)
        self.do(f"insert into waiting (body) select repeat('x', {BYTES}) "
                f"from generate_series(1, {int(count)})")
        self.do("vacuum analyze waiting")

    def script(self, clients, count, text):
        path = self.folder / "script.sql"
        path.write_text(text + "\n")
        said = run(self.pgbench, "-n", "-M", "prepared", "-f", path, "-c",
                   clients, "-j", 2, "-t", max(int(count / clients), 1),
                   self.url)
        line = next(x for x in said.splitlines() if x.startswith("tps = "))
        return float(line.split()[2])

    def send(self, clients, count):
        self.do(self.TABLE)
        return self.script(clients, count, self.SEND)

    def receive(self, clients, count):
        self.fill(count)
        return self.script(clients, count, self.RECEIVE.format(count=1))

    receive_in_one = receive

    def send_groups(self, clients, count):
        self.do(self.TABLE)
        rows = self.folder / "rows"
        rows.write_text(("x" * BYTES + "\n") * GROUP)
        script = self.folder / "copy.sql"
        each = max(int(count / GROUP / clients), 1)
        script.write_text(f"\\copy waiting (body) from '{rows}'\n" * each)
        began = time.monotonic()
        all_of_them = [subprocess.Popen(
            ["psql", "-q", "-X", "-d", self.url, "-f", str(script)])
            for _ in range(clients)]
        for one in all_of_them:
            if one.wait(PATIENCE_S) != 0:
                raise SystemExit("psql failed")
        return each * GROUP * clients / (time.monotonic() - began)

    def receive_groups(self, clients, count):
        self.fill(count)
        return HUNDRED * self.script(clients, count / HUNDRED,
                                     self.RECEIVE_MANY.format(count=HUNDRED))


# What is done, by how many at once, and how many a second are expected here:
# the first look at how much work fills the time.
ROWS = {
    "send-16": ("send", 16, 20_000),
    "send-64": ("send", 64, 40_000),
    "send-256": ("send", 256, 50_000),
    "receive-8": ("receive", 8, 8_000),
    "receive-64": ("receive", 64, 20_000),
    "receive-in-one-8": ("receive_in_one", 8, 12_000),
    "receive-in-one-64": ("receive_in_one", 64, 40_000),
    "send-groups": ("send_groups", 4, 200_000),
    "receive-groups": ("receive_groups", 8, 150_000),
}

SAID = {
    "send": "{} send one item at a time",
    "receive": "{} receive one item and acknowledge it",
    "receive_in_one": "{}, depositd's with `ackpoll`",
    "send_groups": "{} send 1,000 at a time",
    "receive_groups": "{} receive and acknowledge 100 at a time",
}


def measure(peers, row, options):
    """Medians by name of a peer, and of what depositd does to each."""
    work, clients, expected = ROWS[row]
    rates = {x.name: [] for x in peers}
    for _ in range(options.rounds):
        for x in peers:
            known = rates[x.name]
            guess = known[-1] if known else expected
            rates[x.name].append(
                getattr(x, work)(clients, guess * options.seconds))
    own = rates[Depositd.name]
    ratios = {name: statistics.median(a / b for a, b in zip(own, each))
              for name, each in rates.items() if name != Depositd.name}
    return ({name: statistics.median(each) for name, each in rates.items()},
            ratios)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        folder = Path(name)
        peers = []
        try:
            peers.append(Depositd(folder, options.programs))
            peers.append(Redis(folder))
            peers.append(Postgres(folder))
            report(peers, options)
        finally:
            for x in peers:
                x.close()


def report(peers, options):
    others = [x.name for x in peers if x.name != Depositd.name]
    if not options.json:
        heads = ["items/s", Depositd.name, *others,
                 *(f"to {x}" for x in others)]
        print("| " + " | ".join(heads) + " |")
        print("|---" * len(heads) + "|", flush=True)
    for row in options.row or ROWS:
        rates, ratios = measure(peers, row, options)
        if options.json:
            print(json.dumps({"row": row, "rates": rates, "ratios": ratios}),
                  flush=True)
            continue
        cells = [SAID[ROWS[row][0]].format(ROWS[row][1]),
                 *(f"{rates[x.name]:,.0f}" for x in peers),
                 *(f"{ratios[x]:.2f}" for x in others)]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
