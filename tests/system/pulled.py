"""What tests of pulled work share: schedulers and sources of an engine, the
programs and tables that sources read, and who takes what they feed."""

import http.client
import json
import shlex
import sqlite3
import sys
import unittest
from pathlib import Path
from urllib.parse import quote

import harness
from engine import Engine
from harness import SystemTest, wait_until
from kafka_tools import NoKafka, Server
from queue_door import QueueDoor

SCHEDULER = "s"
QUEUE = "work"

# Soon enough for a test, and not so often that it costs others.
QUICK = {"poll_interval_ms": 100, "retry_delay_ms": 100,
         "retry_delay_ms_max": 200}

# Prints the lines of a file of JSON objects whose `n` is above the cursor, as
# many as are asked for: the file may grow.
FEEDER = """
import json, os, sys
after = int(os.environ["DEPOSITD_CURSOR"] or "0")
left = int(os.environ["DEPOSITD_LIMIT"])
with open(sys.argv[1]) as file:
    for line in file:
        if left and line.endswith("\\n") and json.loads(line)["n"] > after:
            sys.stdout.write(line)
            left -= 1
"""


class ConfiguredEngine(Engine):
    """An engine with a file of settings."""

    config = None

    def command(self):
        return [*super().command(), "--config", str(self.config)]


def words(options):
    """{a_b: x} as the shell's options."""
    out = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            out.append(f"{option}={str(value).lower()}")
        else:
            out += [option, str(value)]
    return out


def need_server(case, service, prepare=None):
    """A private server for the class of a test, which is skipped where there
    is none. `prepare` is given the server before it starts."""
    server = Server(service)
    case.addClassCleanup(server.remove)
    if prepare:
        prepare(server)
    try:
        return server.start()
    except NoKafka as reason:
        print(f"SKIPPED: {reason}", file=sys.stderr, flush=True)
        raise unittest.SkipTest(str(reason)) from None


class PulledTest(SystemTest):
    def pulling_engine(self, settings=None, **more):
        """Not started yet; anybody may take messages."""
        return self.engine({"emodb.anonymous": "true", "processors.count": 0,
                            **(settings or {})}, **more)

    def pulling(self, settings=None, **scheduler):
        """An engine with one scheduler; its options as keywords."""
        engine = self.pulling_engine(settings).start()
        self.add_scheduler(engine, **scheduler)
        return engine

    def add_scheduler(self, engine, name=SCHEDULER, queue=QUEUE, **options):
        return engine.ask("scheduler", "add", name, "--queue", queue,
                          *words(options))

    def add_source(self, engine, name, kind, scheduler=SCHEDULER, **options):
        return engine.ask("source", "add", name, "--kind", kind, "--scheduler",
                          scheduler, *words({**QUICK, **options}))

    # -- what sources read --------------------------------------------------

    def program(self, name, text, *arguments):
        """The command of a Python program that is written down for it and has
        nothing but the standard library: it is started over and over."""
        path = self.folder / f"{name}.py"
        path.write_text(text)
        return shlex.join([sys.executable, "-S", str(path),
                           *map(str, arguments)])

    def lines(self, name, records):
        """Appends records with a rising `n` to the file of a feeder."""
        path = self.folder / f"{name}.jsonl"
        with open(path, "a") as file:
            file.write("".join(json.dumps(x) + "\n" for x in records))
        return path

    def add_feeder(self, engine, name, records, **options):
        """A source of kind exec whose records `lines` adds to; keys are `id`,
        made of name and number unless said otherwise."""
        path = self.lines(name, records)
        command = self.program("feeder", FEEDER, path)
        return self.add_source(engine, name, "exec", **{
            "command": command, "key": "id", "cursor": "n",
            "cursor_start": "0", **options})

    @staticmethod
    def numbered(name, numbers, **more):
        return [{"id": f"{name}-{n}", "n": n, **more} for n in numbers]

    def sqlite(self, name, *statements):
        """Runs statements on a file; its url."""
        path = self.folder / f"{name}.sqlite"
        base = sqlite3.connect(path)
        with base:
            for statement in statements:
                if isinstance(statement, str):
                    base.execute(statement)
                else:
                    base.executemany(*statement)
        base.close()
        return f"sqlite:{path}"

    # -- what is fed --------------------------------------------------------

    def queue(self, engine, queue=QUEUE, key=None):
        door = QueueDoor(engine.address("http"), queue, key)
        self.addCleanup(door.close)
        return door

    def take(self, door, count, timeout=60, ack=True):
        """Waits for so many messages and acknowledges them."""
        out = []

        def enough():
            found = door.poll()
            if found and ack:
                door.ack(x["id"] for x in found)
            out.extend(found)
            return len(out) >= count
        wait_until(enough, timeout)
        self.assertEqual(len(out), count)
        return out

    def payloads(self, door, count, timeout=60):
        return [x["payload"] for x in self.take(door, count, timeout)]

    def keys(self, door, count, timeout=60):
        """Sorted; all of them are there, and none twice."""
        return sorted(x["id"] for x in self.payloads(door, count, timeout))

    # -- what is told -------------------------------------------------------

    def source(self, engine, name):
        return engine.ask("source", "show", name)

    def scheduler(self, engine, name=SCHEDULER):
        return engine.ask("scheduler", "show", name)

    def look_at_source(self, engine, name):
        """The same document, over HTTP: looking again and again costs less."""
        status, found = self.api(engine, f"sources/{quote(name, safe='')}")
        self.assertEqual(status, 200, found)
        return found

    def await_source(self, engine, name, timeout=60, **wanted):
        """Until its document has these values; the document."""
        found = {}

        def it_has():
            found.update(self.look_at_source(engine, name))
            return all(found[key] == value for key, value in wanted.items())
        try:
            wait_until(it_has, timeout)
        except AssertionError:
            self.fail(f"{name} is not {wanted} in {timeout} s but {found}")
        return found

    def await_more_replenishes(self, engine, name, count=2):
        """Until it was read again so often from now on."""
        def replenishes():
            return self.look_at_source(engine, name)["replenishes"]
        least = replenishes() + count
        wait_until(lambda: replenishes() >= least)

    def record(self, engine, name, key):
        return engine.ask("source", "record", name, key)

    def await_record(self, engine, name, key, state):
        wait_until(lambda: self.record(engine, name, key)["state"] == state)
        return self.record(engine, name, key)

    def api(self, engine, path):
        """(status, document) of GET at the admin port."""
        line = http.client.HTTPConnection(*engine.address("admin"), timeout=60)
        try:
            line.request("GET", "/api/v1/" + path)
            answer = line.getresponse()
            text = answer.read()
        finally:
            line.close()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text

    def api_record(self, engine, name, key):
        return self.api(
            engine, f"sources/{name}/records/{quote(key, safe='')}")

    def assert_refused(self, engine, *arguments, says, code=1):
        """The command ends with that code and a reason."""
        done = engine.ctl_result(*arguments)
        self.assertEqual(done.returncode, code, (arguments, done))
        self.assertIn(says, done.stderr, arguments)

    # -- a neighbour that has to go on --------------------------------------

    def add_neighbour(self, engine):
        """A source `good` beside the one that is wrong."""
        self.good = 0
        self.add_feeder(engine, "good", [])

    def assert_neighbour_goes_on(self, engine, door, count=5):
        """What it gets now arrives, and nothing else does."""
        numbers = range(self.good + 1, self.good + count + 1)
        self.good += count
        self.lines("good", self.numbered("good", numbers))
        self.assertEqual(self.keys(door, count),
                         sorted(f"good-{n}" for n in numbers))


def odbc_driver():
    """The driver of SQLite; None where it is not installed."""
    found = [*Path("/usr/lib").glob("*/odbc/libsqlite3odbc.so"),
             *Path("/usr/lib/odbc").glob("libsqlite3odbc.so")]
    return found[0] if found else None


def main():
    harness.main()
