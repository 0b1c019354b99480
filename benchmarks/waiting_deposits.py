#!/usr/bin/env python3
"""How fast deposits that wait become results, at the users' caps.

Starts an engine of its own (and a PostgreSQL, a Kafka) and suspends the queue;
posts deposits of 1 KiB and one DOI over HTTP, or produces them to the ingress
topic. Then resumes the queue and waits until all have ended, with --kafka until
all outcomes are read from the egress topic. Prints one JSON object.

  benchmarks/waiting_deposits.py [--deposits N] [--users N] [--slots N]
      [--store embedded|postgres] [--kafka] [--programs DIR]
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from deposit_door import Door  # noqa: E402
from engine import Engine  # noqa: E402
from kafka_tools import Server, deposit_record, produce  # noqa: E402

CONNECTIONS = 8
JOBS = re.compile(r'^depositd_jobs\{queue="metadata",.*\} (\d+)', re.MULTILINE)


def arguments():
    out = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("--deposits", type=int, default=2000)
    out.add_argument("--users", type=int, default=1)
    out.add_argument("--slots", type=int, default=4)
    out.add_argument("--store", choices=["embedded", "postgres"],
                     default="embedded")
    out.add_argument("--kafka", action="store_true")
    out.add_argument("--programs", type=Path,
                     default=ROOT / "build" / "release" / "bin")
    return out.parse_args()


def deposit(number):
    out = ('<?xml version="1.0" encoding="UTF-8"?>\n'
           '<doi_batch xmlns="http://www.crossref.org/schema/5.3.1" '
           f'version="5.3.1"><head><doi_batch_id>b{number}</doi_batch_id>'
           '<timestamp>20260101000000</timestamp><depositor><depositor_name>'
           'Bench</depositor_name><email_address>bench@example.org'
           '</email_address></depositor><registrant>Bench</registrant></head>'
           '<body><pending_publication><publication><full_title>On queues'
           f'</full_title></publication><doi>10.5555/waits.{number}</doi>'
           '<acceptance_date><month>02</month><day>20</day><year>2026</year>'
           '</acceptance_date></pending_publication></body></doi_batch>')
    return out + "\n" * (1024 - len(out))


def user(number):
    return f"user-{number}"


def post(engine, given):
    for number in range(given.users):
        engine.add_user(user(number), "secret-of-" + user(number))

    def some(part):
        doors = {}
        for number in range(part, given.deposits, CONNECTIONS):
            name = user(number % given.users)
            door = doors.setdefault(name, Door(engine.address("http"), name,
                                               "secret-of-" + name))
            if not door.deposit(f"{number}.xml",
                                deposit(number).encode()).accepted:
                raise SystemExit("a deposit was refused")

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(some, range(CONNECTIONS)))


def publish(brokers, given):
    produce(brokers, "deposits.in",
            [deposit_record(user(number % given.users), f"{number}.xml",
                            deposit(number))
             for number in range(given.deposits)])


def open_deposits(engine):
    host, port = engine.address("admin")
    with urllib.request.urlopen(f"http://{host}:{port}/metrics") as answer:
        return sum(map(int, JOBS.findall(answer.read().decode())))


def await_open(engine, count):
    while open_deposits(engine) != count:
        time.sleep(0.05)


def cpu_s(engine):
    fields = Path(f"/proc/{engine.process.pid}/stat").read_text().split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def measure(engine, brokers, given):
    """Seconds, and those of the engine's processor."""
    engine.ctl("queue", "suspend", "metadata")
    if brokers:
        publish(brokers, given)
    else:
        post(engine, given)
    await_open(engine, given.deposits)
    reader = brokers and subprocess.Popen(
        ["kcat", "-C", "-q", "-b", brokers, "-t", "deposits.out", "-o",
         "beginning", "-c", str(given.deposits)], stdout=subprocess.DEVNULL)
    begun, cpu = time.monotonic(), cpu_s(engine)
    engine.ctl("queue", "resume", "metadata")
    if reader:
        reader.wait()
    else:
        await_open(engine, 0)
    return time.monotonic() - begun, cpu_s(engine) - cpu


def main():
    given = arguments()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = {"processors.count": given.slots}

        def server(name):
            out = Server(name)
            stack.callback(out.remove)
            return out.start().address

        if given.store == "postgres":
            settings["store.kind"] = "postgres"
            settings["store.url"] = server("postgres")
        brokers = server("kafka") if given.kafka else None
        if brokers:
            settings["kafka.brokers"] = brokers
            with Engine(given.programs, folder / "data", settings) as engine:
                engine.ctl("kafka", "init")
        engine = stack.enter_context(
            Engine(given.programs, folder / "data", settings))
        seconds, cpu = measure(engine, brokers, given)
    print(json.dumps({
        "door": "kafka" if given.kafka else "http", "store": given.store,
        "users": given.users, "slots": given.slots,
        "deposits": given.deposits,
        "deposits_per_second": round(given.deposits / seconds),
        "server_cpu_us_per_deposit": round(cpu * 1e6 / given.deposits)}))


if __name__ == "__main__":
    main()
