"""Back pressure of pulled work: no more waits in the target than was said, for
all and for each user, and a source that is asked for long costs nobody else."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gauges import resident_mb
from harness import wait_until
from pulled import QUEUE, SCHEDULER, PulledTest, main

HIGH, LOW = 400, 200
CAPACITY = 1_000
LOOKS = 25
GROWTH_MB_MAX = 32

# As much as is asked for, for ever.
GENERATOR = """
import os
first = int(os.environ["DEPOSITD_CURSOR"] or "0") + 1
name = os.environ["DEPOSITD_SOURCE"]
for n in range(first, first + int(os.environ["DEPOSITD_LIMIT"])):
    print(f'{{"id": "{name}-{n}", "n": {n}, "filler": "{"x" * 200}"}}')
"""

# The same, but it says when it was asked and answers when it is let.
HELD_GENERATOR = """
import pathlib, sys, time
asked, gate = map(pathlib.Path, sys.argv[1:])
with open(asked, "a") as file:
    file.write("asked\\n")
while not gate.exists():
    time.sleep(0.01)
""" + GENERATOR


class PressureTest(PulledTest):
    def pressed(self, **scheduler):
        """An engine whose queue is there before anything is fed."""
        return self.pulling({f"queues.{QUEUE}.kind": "message"}, **scheduler)

    def add_generator(self, engine, name, **more):
        return self.add_source(engine, name, "exec", **{
            "command": self.program("generator", GENERATOR), "key": "id",
            "cursor": "n", "cursor_start": "0", "capacity": CAPACITY, **more})

    def look(self, engine, most=HIGH):
        """The scheduler's document, after a look at what it must never be."""
        found = self.scheduler(engine)
        self.assertLessEqual(found["left"], most)
        size = engine.ask("queue", "size", QUEUE)["size"]
        self.assertLessEqual(size, most)
        return found

    def await_look(self, engine, condition, most=HIGH):
        """Looks until the condition holds of what was seen."""
        wait_until(lambda: condition(self.look(engine, most)))

    def await_full(self, engine, *names):
        for name in names:
            wait_until(lambda n=name: (x := self.source(engine, n))["buffer"]
                       > x["replenish_threshold"] and not x["replenishing"])


class SuspendedTarget(PressureTest):
    def test_it_stops_at_the_mark_and_goes_on_by_itself(self):
        engine = self.pressed(high=HIGH, low=LOW)
        engine.ctl("queue", "suspend", QUEUE)
        for name in ("a", "b", "c"):
            self.add_generator(engine, name)
        self.await_look(engine, lambda x: x["left"] == HIGH)
        self.await_full(engine, "a", "b", "c")
        self.assertEqual(self.look(engine)["state"], "suspended")
        self.assert_stands_still(engine)
        fed = self.look(engine)["fed"]
        engine.ctl("queue", "resume", QUEUE)
        self.await_look(engine, lambda x: x["state"] == "holding")
        self.drain(engine, fed + 10 * HIGH)

    def assert_stands_still(self, engine):
        names = ("a", "b", "c")
        replenishes = [self.source(engine, x)["replenishes"] for x in names]
        before = resident_mb(engine.process.pid)
        sizes = []
        for _ in range(LOOKS):
            self.assertEqual(self.look(engine)["left"], HIGH)
            sizes.append(resident_mb(engine.process.pid))
        self.assertLess(max(sizes), before + GROWTH_MB_MAX, sizes)
        self.assertEqual([self.source(engine, x)["replenishes"]
                          for x in names], replenishes)
        for name in names:
            self.assertLessEqual(self.source(engine, name)["buffer"], CAPACITY)

    def drain(self, engine, until_fed):
        """Takes what comes while somebody looks; every key once."""
        over = threading.Event()
        keys, problems = [], []

        def work():
            door = self.queue(engine)
            try:
                while not over.is_set():
                    found = door.poll(100)
                    if found:
                        door.ack(x["id"] for x in found)
                    keys.extend(x["payload"]["id"] for x in found)
            except Exception as why:  # told below
                problems.append(why)
        worker = threading.Thread(target=work)
        worker.start()
        try:
            self.await_look(engine, lambda x: x["fed"] >= until_fed)
        finally:
            over.set()
            worker.join(60)
        self.assertEqual(problems, [])
        self.assertEqual(len(keys), len(set(keys)))
        self.assertGreater(len(keys), 9 * HIGH)

    def test_it_holds_until_the_lower_mark(self):
        engine = self.pressed(high=20, low=5)
        self.add_generator(engine, "a")
        self.await_look(engine, lambda x: x["left"] == 20, 20)
        self.assertEqual(self.look(engine, 20)["state"], "holding")
        door = self.queue(engine)
        messages = self.take(door, 20, ack=False)
        # Claimed ones are left as well.
        self.assertEqual(self.look(engine, 20)["left"], 20)
        door.ack(x["id"] for x in messages[:14])
        wait_until(lambda: self.look(engine, 20)["left"] == 6)
        for _ in range(LOOKS):
            self.assertEqual(self.look(engine, 20)["left"], 6)
        door.ack([messages[14]["id"]])
        self.await_look(engine, lambda x: x["left"] == 20, 20)

    def test_marks_change_at_run_time(self):
        engine = self.pressed(high=20)
        self.add_generator(engine, "a")
        self.await_look(engine, lambda x: x["left"] == 20, 20)
        engine.ctl("scheduler", "set", SCHEDULER, "--high", "60")
        # It held between the marks, and 20 is below the new lower one.
        self.await_look(engine, lambda x: x["left"] == 60, 60)
        engine.ctl("scheduler", "set", SCHEDULER, "--high", "10")
        self.take(self.queue(engine), 60, ack=False)
        for _ in range(LOOKS):
            self.assertEqual(self.look(engine, 60)["left"], 60)


class SlowSources(PressureTest):
    def test_one_that_is_asked_for_long_costs_the_others_nothing(self):
        engine = self.pressed()
        asked, gate = self.folder / "asked", self.folder / "gate"
        for path in (asked, gate):
            path.touch()
        self.add_source(
            engine, "slow", "exec", key="id", cursor="n", cursor_start="0",
            capacity=CAPACITY, timeout_ms=600_000,
            command=self.program("held", HELD_GENERATOR, asked, gate))
        door = self.queue(engine)
        wait_until(lambda: self.source(engine, "slow")["replenishes"] >= 1)
        for name in ("a", "b"):
            self.add_generator(engine, name)
        gate.unlink()
        self.await_share(engine, door, "slow")
        before = len(asked.read_text().splitlines())
        # From here on a query of it is under way the whole time.
        wait_until(lambda: self.source(engine, "slow")["replenishing"])
        taken = self.take_many(door, 20 * CAPACITY)
        self.assertGreater(taken["a"], 5 * CAPACITY)
        self.assertGreater(taken["b"], 5 * CAPACITY)
        told = self.source(engine, "slow")
        self.assertTrue(told["replenishing"])
        self.assertEqual((told["state"], told["failures"]), ("running", 0))
        # One query at a time, and the flag is not lost.
        self.assertLessEqual(len(asked.read_text().splitlines()), before + 1)
        gate.touch()
        wait_until(lambda: self.take_many(door, CAPACITY)["slow"] > 0)

    def await_share(self, engine, door, name):
        """Until what it had buffered is used up."""
        wait_until(lambda: self.take_many(door, CAPACITY) and
                   self.source(engine, name)["replenishing"]
                   and self.source(engine, name)["buffer"] == 0)

    def take_many(self, door, count):
        """{source: records} of so many or a few more."""
        out = {"a": 0, "b": 0, "slow": 0}
        while sum(out.values()) < count:
            found = door.poll()
            if found:
                door.ack(x["id"] for x in found)
            for x in found:
                out[x["payload"]["id"].split("-")[0]] += 1
        return out


class Users(PressureTest):
    def test_each_has_a_mark_and_records_of_others_go_on(self):
        engine = self.pressed(high_per_user=5)
        flood = self.numbered("flood", range(1, 501), owner="flood")
        calm = self.numbered("calm", range(501, 504), owner="calm")
        self.add_feeder(engine, "rows", flood + calm, user_field="owner",
                        capacity=CAPACITY)
        door = self.queue(engine)
        self.await_source(engine, "rows", in_flight=8, buffer=495)
        found = self.take(door, 8, ack=False)
        self.assertEqual(self.owners(found), {"flood": 5, "calm": 3})
        self.assertEqual(door.poll(), [])
        ours = [x["id"] for x in found if x["payload"]["owner"] == "flood"]
        door.ack(ours[:2])
        more = self.take(door, 2)
        self.assertEqual(self.owners(more), {"flood": 2})
        # As they stood: nobody overtakes within a user.
        self.assertEqual([x["payload"]["n"] for x in more], [6, 7])
        engine.ctl("scheduler", "set", SCHEDULER, "--high-per-user", "none")
        door.ack(x["id"] for x in found)
        self.assertEqual(len(self.take(door, 493)), 493)
        self.await_source(engine, "rows", done=503, buffer=0)

    def owners(self, messages):
        out = {}
        for x in messages:
            owner = x["payload"]["owner"]
            out[owner] = out.get(owner, 0) + 1
        return out


class Gauge(BaseHTTPRequestHandler):
    """Says how much is left behind a queue, as its server wants it."""

    def do_GET(self):
        self.server.asked += 1
        status, text = self.server.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        """Not on the terminal."""


class Downstream(PressureTest):
    def gauge(self, left):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Gauge)
        server.asked, server.answer = 0, (200, str(left))
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://127.0.0.1:{server.server_address[1]}/left"

    def await_asked(self, server, times=3):
        least = server.asked + times
        wait_until(lambda: server.asked >= least)

    def test_it_says_what_is_left(self):
        server, url = self.gauge(100)
        engine = self.pressed(high=100, low=50, downstream=url)
        self.add_generator(engine, "a")
        self.await_full(engine, "a")
        self.await_asked(server)
        door = self.queue(engine)
        found = self.scheduler(engine)
        self.assertEqual((found["left"], found["fed"], found["state"]),
                         (100, 0, "holding"))
        self.assertEqual(door.size(), 0)
        server.answer = 200, json.dumps({"left": 0})
        wait_until(lambda: door.size() >= 100)
        # One that says nothing of use: the last number holds.
        for answer in ((500, "oh"), (200, "many"), (200, "-1")):
            server.answer = answer
            self.await_asked(server, 2)
            size = door.size()
            self.await_asked(server, 1)
            self.assertEqual(door.size(), size, answer)
            server.answer = 200, "100"
            self.await_asked(server, 1)
        wait_until(lambda: self.scheduler(engine)["state"] == "holding")
        self.await_asked(server)
        size = door.size()
        self.await_asked(server)
        self.assertEqual(door.size(), size)


if __name__ == "__main__":
    main()
