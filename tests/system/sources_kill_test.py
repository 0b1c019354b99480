"""kill -9 in mid-migration: three sources (a PostgreSQL with a cursor, SQS, a
folder), killed and started again many times. Every key becomes an item once,
and none is missing.

A message may be delivered again after a kill; that is the queue's promise and
not what is judged. One key under two ids of messages is.
"""

import contextlib
import json
import os
import random
import subprocess
import threading
import time

from harness import BROKEN, wait_until
from kafka_tools import NoKafka, Server
from pulled import QUEUE, SCHEDULER, PulledTest, main, need_server
from queue_door import QueueDoor, QueueRefused
from sqs_client import SqsQueue, key_files

KILLS = int(os.environ.get("DEPOSITD_SOURCES_KILLS", "20"))
KILLS_SERVED = int(os.environ.get("DEPOSITD_SOURCES_KILLS", "5"))
SEED = os.environ.get("DEPOSITD_SEED", str(time.time_ns()))
ROWS, FILES, MESSAGES = 1_500, 30, 15  # for each kill
WEIGHTS = {"rows": 100, "files": 2, "messages": 1}  # all last to the end
HIGH = 300
STEP_MAX = 900  # keys that may be seen between two kills, but for a batch
TTL_S = 2  # what was claimed and not acknowledged comes again after it
VISIBLE_AGAIN_S = 5


class Witness:
    """What was delivered. Thread-safe; ids are those of messages."""

    def __init__(self):
        self.mutex = threading.Lock()
        self.ids = {}      # key -> ids under which it came
        self.deliveries = 0
        self.problems = []

    def saw(self, messages):
        with self.mutex:
            for x in messages:
                self.ids.setdefault(key_of(x["payload"]), set()).add(x["id"])
                self.deliveries += 1

    def seen(self):
        with self.mutex:
            return len(self.ids)

    def judge(self, wanted):
        """Complaints; none is right."""
        twice = {key: ids for key, ids in self.ids.items() if len(ids) > 1}
        return ([f"scheduled {len(ids)} times: {key}"
                 for key, ids in sorted(twice.items())]
                + [f"missing: {key}"
                   for key in sorted(wanted - self.ids.keys())]
                + [f"nobody's: {key}"
                   for key in sorted(self.ids.keys() - wanted)])


def key_of(payload):
    """Rows and messages have one; a file is known by its path."""
    return payload["id"] if "id" in payload else "file " + payload["name"]


class Consumer(threading.Thread):
    """Takes and acknowledges until the engine breaks or it is told to stop."""

    def __init__(self, address, witness):
        super().__init__(daemon=True)
        self.address = address
        self.witness = witness
        self.over = threading.Event()

    def run(self):
        door = QueueDoor(self.address, QUEUE, timeout=20)
        with contextlib.closing(door):
            while not self.over.is_set():
                try:
                    found = door.poll(50, TTL_S)
                    self.witness.saw(found)
                    if found:
                        door.ack(x["id"] for x in found)
                except BROKEN:
                    return
                except QueueRefused as why:
                    self.witness.problems.append(str(why))
                    return
                if not found:
                    self.over.wait(0.01)


class Judge(PulledTest):
    def test_it_names_what_is_wrong(self):
        witness = Witness()
        witness.saw([{"id": "1", "payload": {"id": "a"}},
                     {"id": "1", "payload": {"id": "a"}},
                     {"id": "2", "payload": {"name": "b"}}])
        self.assertEqual(witness.judge({"a", "file b"}), [])
        witness.saw([{"id": "3", "payload": {"id": "a"}}])
        self.assertEqual(witness.judge({"a", "c"}), [
            "scheduled 2 times: a", "missing: c", "nobody's: file b"])


class Killed(PulledTest):
    kills = KILLS

    @classmethod
    def setUpClass(cls):
        cls.postgres = need_server(cls, "postgres")
        cls.sqs = Server("sqs")
        cls.addClassCleanup(cls.sqs.remove)
        try:
            cls.sqs.start()
        except NoKafka as reason:
            cls.sqs = None
            print(f"WITHOUT SQS: {reason}", flush=True)

    def setUp(self):
        super().setUp()
        print(f"seed {SEED}", flush=True)
        self.chance = random.Random(SEED)
        self.witness = Witness()
        self.wanted = set()
        self.names = ["rows", "files"]

        self.rows, self.files, self.messages = (
            x * self.kills for x in (ROWS, FILES, MESSAGES))

    def store(self):
        """Settings of it."""
        return {"store.segment_mb": 4}

    # -- what there is ------------------------------------------------------

    def add_rows(self, engine):
        fill = ("DROP TABLE IF EXISTS things; CREATE TABLE things AS "
                "SELECT n AS number, 'row-' || n AS id, "
                "'user-' || n % 5 AS owner "
                f"FROM generate_series(1, {self.rows}) "
                "AS n; ALTER TABLE things ADD PRIMARY KEY (number)")
        subprocess.run(["psql", self.postgres.address, "-XAtqc", fill],
                       check=True, capture_output=True)
        self.wanted |= {f"row-{n}" for n in range(1, self.rows + 1)}
        self.add_source(
            engine, "rows", "sql", url=self.postgres.address, key="id",
            user_field="owner", cursor="number", cursor_start="0",
            capacity=400, query="SELECT id, number, owner FROM things WHERE "
                                "number > :cursor::bigint ORDER BY number "
                                "LIMIT :limit")

    def add_files(self, engine):
        folder = self.folder / "in"
        for n in range(self.files):
            path = folder / f"{n % 7}" / f"{n}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self.wanted.add(f"file {n}.txt")
        # The whole folder each time: ten times a second is most of the work.
        self.add_source(engine, "files", "folder", path=folder, capacity=100,
                        poll_interval_ms=1000)

    def add_messages(self, engine):
        if not self.sqs:
            return
        self.queue_there = SqsQueue(self.sqs.address, type(self).__name__)
        keys = [f"message-{n}" for n in range(self.messages)]
        self.queue_there.send(json.dumps({"id": key}) for key in keys)
        self.wanted |= set(keys)
        self.names.append("messages")
        self.add_source(engine, "messages", "sqs", url=self.queue_there.url,
                        key="id", capacity=100,
                        visibility_timeout_s=VISIBLE_AGAIN_S,
                        **key_files(self.folder))

    # -- rounds -------------------------------------------------------------

    def run_until(self, engine, count):
        """Two consumers until so many keys were seen, then the kill: whatever
        is under way breaks."""
        consumers = [Consumer(engine.address("http"), self.witness)
                     for _ in range(2)]
        for consumer in consumers:
            consumer.start()
        wait_until(lambda: self.witness.seen() >= count
                   or self.witness.problems, pause=0.001)
        engine.kill()
        for consumer in consumers:
            consumer.join(60)
            self.assertFalse(consumer.is_alive())
        self.assertEqual(self.witness.problems, [])

    def rest(self, engine):
        """Everything that is left, and two more looks at every source."""
        consumers = [Consumer(engine.address("http"), self.witness)
                     for _ in range(2)]
        for consumer in consumers:
            consumer.start()
        try:
            try:
                wait_until(
                    lambda: self.witness.seen() >= len(self.wanted), 120)
            except AssertionError as why:
                told = [self.source(engine, name) for name in self.names]
                missing = self.witness.judge(self.wanted)[:20]
                raise AssertionError(
                    f"{missing} with {self.scheduler(engine)}, {told}"
                ) from why
            for name in self.names:
                self.await_source(engine, name, buffer=0, in_flight=0)
            for name in self.names:
                self.await_more_replenishes(engine, name)
            if self.sqs:
                # The last ones that a kill has left there come again.
                wait_until(lambda: self.queue_there.left() == 0, pause=0.2)
            for name in self.names:
                self.await_source(engine, name, buffer=0, in_flight=0)
        finally:
            for consumer in consumers:
                consumer.over.set()
                consumer.join(60)
        self.assertEqual(self.witness.problems, [])

    def test_nothing_is_scheduled_twice_and_nothing_skipped(self):
        engine = self.pulling(self.store(), high=HIGH)
        for add in (self.add_rows, self.add_files, self.add_messages):
            add(engine)
        engine.ctl("strategy", "set", SCHEDULER, "weighted("
                   + ", ".join(f"{x}:{WEIGHTS[x]}" for x in self.names) + ")")
        for number in range(self.kills):
            before = self.witness.seen()
            self.run_until(engine, before
                           + self.chance.randint(1, STEP_MAX))
            # A kill after the end would prove nothing.
            self.assertLess(self.witness.seen(), len(self.wanted))
            engine.start()
            self.assertEqual(self.scheduler(engine)["name"], SCHEDULER)
            print(f"kill {number}: {self.witness.seen() - before} keys, "
                  f"{self.witness.seen()} of {len(self.wanted)}", flush=True)
        self.rest(engine)
        self.assertEqual(self.witness.judge(self.wanted)[:20], [])
        for name, count in (("rows", self.rows), ("files", self.files)):
            told = self.source(engine, name)["records"]
            self.assertEqual((told["finished"], told["failed"]), (count, 0))
        self.assertEqual(engine.stop(), 0)


class KilledOverPostgres(Killed):
    """Whose tables are on the server as well."""

    kills = KILLS_SERVED

    def store(self):
        subprocess.run(["psql", self.postgres.address, "-XAtqc",
                        "CREATE SCHEMA store"], check=True)
        return super().store() | {
            "store.kind": "postgres",
            "store.url": self.postgres.address
            + "?options=-csearch_path%3Dstore"}


if __name__ == "__main__":
    main()
