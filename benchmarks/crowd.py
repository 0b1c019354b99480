"""What 10,000 connections that mean no good cost those who work.

    python3 benchmarks/crowd.py [--port node] [--mood silent] [--rounds N]

Starts an engine of its own. For each port, `depositbench` measures the rate
of honest clients, of that port's own door where it has one, in turns: alone,
beside the crowd, alone, beside the crowd, ..., alone. A round's ratio is the
rate beside the crowd to the mean of the two around it, so what the machine
does besides, and what an engine's age costs, falls out; of the rounds the
median counts. The crowd comes from 100 addresses of 127/8: `silent` says
nothing, `slow` a byte each second, `garbage` nonsense and what is almost a
request. Who is closed comes again, 500 a second at most. It stands for other
machines and so gets the CPU that nobody else wants; still it takes some, and
the clients take more, so on a machine of few processors the rates say as much
of them as of the server. What the server itself does is therefore counted,
too, in CPU of its process, which does not depend on who else is busy:
`server_us` for each honest request, alone and beside the crowd, their
`cpu_ratio`, and `crowd_cores`, what the crowd costs when nobody else comes.
Prints a JSON object for each port and mood, with the spread of the ratios:
what is wider than the distance to the floor was measured on a busy machine.
`ratios`, `cpu_ratios` and `memory_mb_max` at the end are what the floors are
about: 0.8 for each port and 512; it fails by the rates and the memory.
"""

import argparse
import dataclasses
import json
import os
import random
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from engine import Engine  # noqa: E402

# Whose rate is measured while the crowd is at a port. HTTP of operations and of
# NSQ have no measured door of their own: their neighbours'.
HONEST = {"node": "native", "http": "emodb", "admin": "emodb", "nsq": "nsq",
          "nsq_http": "nsq"}
ADDRESS = {"native": "node", "emodb": "http", "nsq": "nsq"}
MOODS = ("silent", "slow", "garbage")
RATIO_MIN, MEMORY_MB_MAX = 0.8, 512
ITEMS_MAX = 300_000
COME_AGAIN_PER_S = 500
# Garbage that gets further where HTTP is spoken.
ALMOST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: much\r\n\r\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--port", action="append", choices=HONEST)
    parser.add_argument("--mood", action="append", choices=MOODS)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--door", choices=ADDRESS,
                        help="measure this door, whatever the port")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3,
                        help="that a measurement takes, about")
    return parser.parse_args()


class Crowd:
    """Connections to one address; a thread of this process, which is busy only
    with them."""

    def __init__(self, address, mood, count):
        self.address, self.mood, self.count = address, mood, count
        self.chance = random.Random(7)
        self.watch = selectors.DefaultSelector()
        self.made = 0
        self.cpu_s = 0.0
        self.ends = threading.Event()
        self.full = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def stop(self):
        self.ends.set()
        self.thread.join()

    def come(self):
        s = socket.socket()
        s.setblocking(False)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        s.bind((f"127.7.0.{self.made % 100 + 1}", 0))
        self.made += 1
        s.connect_ex(self.address)
        self.watch.register(s, selectors.EVENT_READ)
        if self.mood == "garbage":
            self.say(s, ALMOST if self.made % 2 else self.chance.randbytes(200))

    def say(self, s, what):
        try:
            s.send(what)
        except OSError:
            pass

    def listen(self):
        for key, _ in self.watch.select(0.01):
            try:
                if key.fileobj.recv(4096):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            self.watch.unregister(key.fileobj)
            key.fileobj.close()

    def there(self):
        return len(self.watch.get_map())

    def run(self):
        began = spoke = time.monotonic()
        while not self.ends.is_set():
            now = time.monotonic()
            if self.made < self.count:
                due = 100  # as fast as they are taken in, once
            else:
                if not self.full.is_set():  # what follows is measured
                    os.setpriority(os.PRIO_PROCESS,
                                   threading.get_native_id(), 19)
                self.full.set()
                allowed = (now - began) * COME_AGAIN_PER_S + self.count
                due = min(self.count - self.there(), int(allowed) - self.made)
            for _ in range(due):
                self.come()
            if self.made < self.count:
                began = now
            if self.mood == "slow" and now - spoke > 1:
                spoke = now
                for key in list(self.watch.get_map().values()):
                    self.say(key.fileobj, b"G")
            self.listen()
            self.cpu_s = time.thread_time()
        for key in list(self.watch.get_map().values()):
            key.fileobj.close()
        self.watch.close()


def server_cpu_s(engine):
    """Of all its threads, since its start."""
    stat = Path(f"/proc/{engine.process.pid}/stat").read_text()
    user, system = stat.rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Run:
    """One measurement of honest clients."""
    rate: float  # items per second
    server_us: float  # CPU of the server for each


def bench(engine, options, door, items):
    used = server_cpu_s(engine)
    done = subprocess.run(
        [str(options.programs / "depositbench"), "P1", "--door", door,
         "--connect", engine.ready[ADDRESS[door]], "--items", str(items),
         "--json"], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"an honest client failed: {done.stderr.strip()}")
    return Run(json.loads(done.stdout.splitlines()[-1])["items_per_second"],
               (server_cpu_s(engine) - used) / items * 1e6)


def items_for(engine, options, door):
    """As many as take the time wanted, but no more than memory is to be counted
    with; the runs warm the engine up."""
    items = 20_000
    for _ in range(2):
        rate = bench(engine, options, door, items).rate
        items = min(int(rate * options.seconds), ITEMS_MAX)
    return max(items, 10_000)


def forget_peak(engine):
    """The peak of memory is counted from now."""
    Path(f"/proc/{engine.process.pid}/clear_refs").write_text("5")


def memory_mb(engine):
    """The peak."""
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


class Beside:
    """What one crowd's rounds found."""

    def __init__(self):
        self.runs, self.came, self.cpu, self.server = [], 0, [], []

    def measure(self, engine, options, door, items, port, mood):
        crowd = Crowd(engine.address(port), mood, options.connections)
        crowd.full.wait(120)
        self.server.append(cores_used(engine, options.seconds))
        began, used = time.monotonic(), crowd.cpu_s
        self.runs.append(bench(engine, options, door, items))
        self.cpu.append((crowd.cpu_s - used) / (time.monotonic() - began))
        crowd.stop()
        self.came += crowd.made


def cores_used(engine, seconds):
    """By the server, while only the crowd is there."""
    began, used = time.monotonic(), server_cpu_s(engine)
    time.sleep(seconds)
    return (server_cpu_s(engine) - used) / (time.monotonic() - began)


def median(values, digits=None):
    return round(statistics.median(values), digits)


def compare(engine, options, port, mood, items):
    """The document of one port and mood."""
    door = options.door or HONEST[port]
    alone, beside = [], Beside()
    forget_peak(engine)
    for _ in range(options.rounds):
        alone.append(bench(engine, options, door, items))
        beside.measure(engine, options, door, items, port, mood)
    alone.append(bench(engine, options, door, items))

    def compared(of):
        """Alone to beside, of the two around each."""
        return sorted((of(before) + of(after)) / 2 / of(run)
                      for run, before, after
                      in zip(beside.runs, alone, alone[1:]))

    ratios = [1 / x for x in reversed(compared(lambda x: x.rate))]
    cpu = compared(lambda x: x.server_us)
    return {"door": door, "port": port, "mood": mood,
            "ratio": median(ratios, 3),
            "ratios": [round(x, 3) for x in ratios],
            "cpu_ratio": median(cpu, 3),
            "cpu_ratios": [round(x, 3) for x in cpu],
            "server_us": {"alone": median([x.server_us for x in alone], 1),
                          "beside": median([x.server_us for x in beside.runs],
                                           1)},
            "crowd_cores": median(beside.server, 3),
            "alone": median([x.rate for x in alone]),
            "beside": median([x.rate for x in beside.runs]),
            "came": beside.came,
            "crowd_cpus": median(beside.cpu, 2),
            "memory_mb": round(memory_mb(engine))}


def main():
    options = arguments()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < options.connections + 1_000:
        raise SystemExit(f"too few descriptors for a crowd: {hard}")
    ratios, cpu_ratios, most = {}, {}, 0
    with tempfile.TemporaryDirectory(prefix="crowd-") as folder:
        settings = {"emodb.anonymous": "true", "nsq.listen": "127.0.0.1:0",
                    "nsq.http.listen": "127.0.0.1:0",
                    "memory.body_budget_mb": "64"}
        with Engine(options.programs, Path(folder) / "data",
                    settings) as engine:
            items = {}
            for port in options.port or HONEST:
                door = options.door or HONEST[port]
                if door not in items:
                    items[door] = items_for(engine, options, door)
                found = []
                for mood in options.mood or MOODS:
                    said = compare(engine, options, port, mood, items[door])
                    print(json.dumps(said), flush=True)
                    found.append(said)
                    most = max(most, said["memory_mb"])
                ratios[port] = min(x["ratio"] for x in found)
                cpu_ratios[port] = min(x["cpu_ratio"] for x in found)
    print(json.dumps({"ratios": ratios, "cpu_ratios": cpu_ratios,
                      "memory_mb_max": most}))
    return 0 if (min(ratios.values()) >= RATIO_MIN
                 and most < MEMORY_MB_MAX) else 1


if __name__ == "__main__":
    sys.exit(main())
