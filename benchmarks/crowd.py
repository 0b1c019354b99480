"""What 10,000 connections that mean no good cost those who work.

    python3 benchmarks/crowd.py [--port node] [--mood silent] [--connections N]

Starts an engine of its own. `depositbench` measures the native and the EmoDB
door, alone and beside the crowd, which comes from 100 addresses of 127/8 to one
port after the other: `silent` says nothing, `slow` a byte each second,
`garbage` nonsense. Who is closed comes again, 500 a second at most. Prints a
JSON object for each; `least_ratio` (of rates) and `memory_mb_max` at the end
are what the floors are about: 0.8 and 512.
"""

import argparse
import json
import os
import random
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from engine import Engine  # noqa: E402

PORTS = ("node", "http", "admin", "nsq")
MOODS = ("silent", "slow", "garbage")
DOORS = ("native", "emodb")
COME_AGAIN_PER_S = 500


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--port", action="append", choices=PORTS)
    parser.add_argument("--mood", action="append", choices=MOODS)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


class Crowd:
    """Connections to one address; a thread of this process, which is busy only
    with them."""

    def __init__(self, address, mood, count):
        self.address, self.mood, self.count = address, mood, count
        self.chance = random.Random(7)
        self.watch = selectors.DefaultSelector()
        self.made = 0
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
            self.say(s, self.chance.randbytes(200))

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
        for key in list(self.watch.get_map().values()):
            key.fileobj.close()
        self.watch.close()


def rate(engine, options, door):
    """The middle one of several runs."""
    where = engine.ready["node" if door == "native" else "http"]
    found = []
    for _ in range(options.runs):
        done = subprocess.run(
            [str(options.programs / "depositbench"), "P1", "--door", door,
             "--connect", where, "--items", str(options.items), "--json"],
            capture_output=True, text=True, check=True, timeout=600)
        said = json.loads(done.stdout.splitlines()[-1])
        found.append(said["items_per_second"])
    return sorted(found)[len(found) // 2]


def memory_mb(engine):
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main():
    options = arguments()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < options.connections + 1_000:
        raise SystemExit(f"too few descriptors for a crowd: {hard}")
    least, most = 1.0, 0.0
    with tempfile.TemporaryDirectory(prefix="crowd-") as folder:
        settings = {"emodb.anonymous": "true", "nsq.listen": "127.0.0.1:0"}
        with Engine(options.programs, Path(folder) / "data",
                    settings) as engine:
            for door in DOORS:
                alone = rate(engine, options, door)
                for port in options.port or PORTS:
                    for mood in options.mood or MOODS:
                        crowd = Crowd(engine.address(port), mood,
                                      options.connections)
                        crowd.full.wait(120)
                        beside = rate(engine, options, door)
                        crowd.stop()
                        least = min(least, beside / alone)
                        most = max(most, memory_mb(engine))
                        print(json.dumps({
                            "door": door, "port": port, "mood": mood,
                            "alone": alone, "beside": beside,
                            "ratio": round(beside / alone, 3),
                            "came": crowd.made}), flush=True)
    print(json.dumps({"least_ratio": round(least, 3),
                      "memory_mb_max": round(most)}))
    return 0 if least >= 0.8 and most < 512 else 1


if __name__ == "__main__":
    sys.exit(main())
