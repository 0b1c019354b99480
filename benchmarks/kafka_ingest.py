#!/usr/bin/env python3
"""How fast deposits come in from a filled Kafka topic.

Starts a private Kafka and PostgreSQL (scripts/services), fills the ingress
topic with kcat, then starts depositd without processors and watches until all
of it waits in the queue. Figures are for everything on this machine together.

  benchmarks/kafka_ingest.py [--records N] [--bytes N] [--users N]
      [--store postgres|embedded] [--programs DIR] [--perf FILE]
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


def arguments():
    out = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("--records", type=int, default=300_000)
    out.add_argument("--bytes", type=int, default=1024)
    out.add_argument("--users", type=int, default=1000)
    out.add_argument("--store", choices=["postgres", "embedded"],
                     default="postgres")
    out.add_argument("--programs", type=Path,
                     default=ROOT / "build" / "release" / "bin")
    out.add_argument("--perf", help="record a profile of depositd there")
    return out.parse_args()


def service(folder, action, name):
    call = [ROOT / "scripts" / "services", action, "--folder", folder, name]
    return subprocess.run(call, check=True, text=True, timeout=180,
                          stdout=subprocess.PIPE).stdout.strip()


class Engine:
    """depositd on free ports; ended when the block is left."""

    def __init__(self, programs, folder, settings):
        call = [programs / "depositd", "--data", folder / "data"]
        for port in ("http", "admin", "node"):
            call += ["--set", f"{port}.listen=127.0.0.1:0"]
        for key, value in settings.items():
            call += ["--set", f"{key}={value}"]
        self.ctl_program = programs / "depositctl"
        self.log = open(folder / "log", "w")
        self.process = subprocess.Popen(call, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        ready = self.process.stdout.readline()
        if not ready.startswith("ready "):
            sys.exit(f"depositd does not start, see {folder / 'log'}")
        words = dict(x.split("=", 1) for x in ready.split()[1:])
        self.node = words["node"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def ctl(self, *words):
        call = [self.ctl_program, "--connect", self.node, *words, "--json"]
        return json.loads(subprocess.run(
            call, check=True, text=True, timeout=60,
            stdout=subprocess.PIPE).stdout)

    def waiting(self):
        queues = self.ctl("queue", "list")
        return sum(x["ready"] for x in queues["queues"])

    def cpu_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def fill(brokers, records, size, users):
    """Keyed by user, as producers are asked to."""
    frame = len(json.dumps({"id": "f0000000", "user": "u0000",
                            "type": "metadata", "payload": ""}))
    payload = "x" * max(1, size - frame)
    with subprocess.Popen(
            ["kcat", "-P", "-q", "-b", brokers, "-t", "deposits.in", "-K", "\t",
             "-X", "linger.ms=50"], stdin=subprocess.PIPE, text=True) as kcat:
        for i in range(records):
            user = f"u{i % users}"
            kcat.stdin.write(
                f'{user}\t{{"id":"f{i}","user":"{user}","type":"metadata",'
                f'"payload":"{payload}"}}\n')
    if kcat.returncode:
        sys.exit("kcat failed")


def watch(engine, records):
    """Seconds from the first record seen waiting to the last."""
    begun = cpu = None
    while True:
        count, now = engine.waiting(), time.monotonic()
        if count and begun is None:
            begun, first, cpu = now, count, engine.cpu_s()
        if count >= records:
            return now - begun, records - first, engine.cpu_s() - cpu
        time.sleep(0.1)


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        services = folder / "services"
        brokers = service(services, "start", "kafka")
        settings = {"kafka.brokers": brokers, "processors.count": 0}
        if given.store == "postgres":
            settings["store.kind"] = "postgres"
            settings["store.url"] = service(services, "start", "postgres")
        try:
            with Engine(given.programs, folder, settings) as engine:
                engine.ctl("kafka", "init")
            fill(brokers, given.records, given.bytes, given.users)
            with Engine(given.programs, folder, settings) as engine:
                profile = given.perf and subprocess.Popen(
                    ["perf", "record", "-q", "-g", "-o", given.perf, "-p",
                     str(engine.process.pid)], stderr=subprocess.DEVNULL)
                seconds, count, cpu = watch(engine, given.records)
                if profile:
                    profile.terminate()
                    profile.wait()
        finally:
            for x in ("kafka", "postgres"):
                subprocess.run([ROOT / "scripts" / "services", "kill",
                                "--folder", services, x], check=False,
                               stdout=subprocess.DEVNULL)
    print(json.dumps({
        "phase": "ingest", "door": "kafka", "store": given.store,
        "items": count, "items_per_second": round(count / seconds),
        "server_cpu_us_per_item": round(cpu * 1e6 / count, 1)}))


if __name__ == "__main__":
    main()
