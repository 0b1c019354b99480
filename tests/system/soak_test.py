"""Three engines on PostgreSQL and Kafka for hours: clients send, poll, ack and
deposit over HTTP, records come by Kafka, and now and then something happens to
an engine, the database or the broker. What clients saw is judged all the while;
memory, descriptors and disk have to be flat after the first tenth.

DEPOSITD_SOAK_S, DEPOSITD_SEED; DEPOSITD_SOAK_FOLDER gets the pictures."""

import os
import random
import subprocess
import threading
import time
import unittest
from pathlib import Path

from accidents import Accidents
from gauges import Gauges, descriptors, folder_mb, resident_mb
from harness import wait_until
from kafka_tools import NOT_INSTALLED, Server, producer_command, services
from outcome_stream import Outcomes, OutcomeStream
from shared_load import SharedLoad
from soak_picture import picture

SOAK_S = float(os.environ.get("DEPOSITD_SOAK_S", "120"))
SEED = int(os.environ.get("DEPOSITD_SEED", "1"))
FOLDER = os.environ.get("DEPOSITD_SOAK_FOLDER")
UNITS = {"memory": "MB", "descriptors": "open files", "disk": "MB"}

# Tables that have to grow with every deposit for as long as they are kept.
KEPT = ("submission_rows", "submissions_done", "dois", "blobs",
        "content_rows")


class Soak(Accidents, SharedLoad):
    seed = SEED
    pause_s = 0.05
    names = ["a", "b", "c"]
    kinds = ["kill", "stop", "pause", "pause", "server", "broker", "two"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if services("installed").returncode == NOT_INSTALLED:
            raise unittest.SkipTest("KAFKA CANNOT RUN HERE")
        cls.kafka = Server()
        cls.addClassCleanup(cls.kafka.remove)
        cls.kafka.start()

    def victims(self, rng):
        """The third engine lives as long as the test, so that what it leaks is
        seen; it is only stopped for a while."""
        return rng.sample(self.engines[:2], 2)

    def _pause(self, rng, engine, other):
        super()._pause(rng, rng.choice(self.engines), other)

    def _broker(self, rng, engine, _):
        self.kafka.kill()
        self.over.wait(rng.choice([0, 3]))
        self.kafka.start()

    def keep_producing(self):
        self.produce(self.producer, 0.2, self.outcomes.expect)

    def test_for_hours(self):
        self.engines = [self.sharing(name, {
            "processors.inject_delay_ms": 5, "shards.lease_ms": 3000,
            "shutdown.drain_ms": 2000, "log.level": "warn",
            "store.segment_mb": 1,
            "kafka.brokers": self.kafka.address, "kafka.partitions": 4,
            "kafka.ingress_topic": "in", "kafka.egress_topic": "out",
            "kafka.dead_letter_topic": "dead"}).start()
            for name in self.names]
        self.engines[0].ctl("kafka", "init")
        wait_until(lambda: self.settled(self.names))
        self.outcomes = Outcomes()
        stream = OutcomeStream(self.kafka.address, "out", self.outcomes)
        self.addCleanup(stream.close)
        self.producer = subprocess.Popen(
            producer_command(self.kafka.address, "in", "-E"),
            stdin=subprocess.PIPE)
        self.addCleanup(self.producer.kill)
        self.gauges = Gauges()
        self.begin_load()
        records = threading.Thread(target=self.keep_producing)
        records.start()
        try:
            accidents = self.soak(random.Random(SEED))
            self.await_enough()
        finally:
            self.end_load()
            records.join()
            self.draw()
        self.assertEqual(self.producer.wait(120), 0)
        self.check_messages(self.names)
        wait_until(lambda: not self.missing(), 120, pause=0.5)
        self.assertFalse(self.outcomes.wrong[:5])
        print(f"{SOAK_S:.0f} s, {accidents} accidents, "
              f"{self.books.counts['acked']} acked, {self.outcomes.count} "
              "deposits", *self.gauges.lines(),
              f"tables: {self.largest_tables()}", sep="\n", flush=True)
        self.assertFalse(self.gauges.rising())

    def missing(self):
        self.take_over_posted()
        return self.outcomes.missing()

    def take_over_posted(self):
        """Deposits over HTTP have their outcomes in the topic, too."""
        with self.books.lock:
            posted, self.books.posted = self.books.posted, {}
        for name, user in posted.items():
            self.outcomes.expect((user, name))

    def soak(self, rng):
        """Until the time is over; how many accidents there were."""
        ends, count, next_at = time.monotonic() + SOAK_S, 0, 0
        while (now := time.monotonic()) < ends:
            self.measure()
            self.take_over_posted()
            self.books.forget_before(now - 4 * self.claim_s - 60)
            self.outcomes.forget_before(now - 600)
            self.assertFalse(self.books.wrong[:5])
            self.assertFalse(self.outcomes.wrong[:5])
            if now >= next_at:
                kind = self.accident(rng)
                count += 1
                next_at = time.monotonic() + rng.uniform(
                    8, max(20, SOAK_S / 120))
                print(f"{now - self.gauges.begun:.0f} s: {kind}", flush=True)
            self.over.wait(2)
        return count

    def measure(self):
        for name, engine in zip(self.names, self.engines):
            self.gauges.add("memory", name, resident_mb(engine.process.pid),
                            slack=24)
            self.gauges.add("descriptors", name,
                            descriptors(engine.process.pid), slack=24)
        self.gauges.add("disk", "engines", sum(
            folder_mb(self.folder / name) for name in self.names), slack=64)
        self.gauges.add("disk", "database", self.database_mb(), slack=64)

    def database_mb(self):
        """Without what has to be kept of each deposit."""
        kept = ", ".join(f"'{x}'" for x in KEPT)
        try:
            return int(self.sql(
                "SELECT sum(pg_total_relation_size(c.oid)) "
                + self.tables() + f" AND relname NOT IN ({kept})")) / 2**20
        except AssertionError:  # the server is not up yet
            return self.gauges.all["disk"]["database"].samples[-1][1]

    def tables(self):
        return ("FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                f"WHERE nspname = '{self.schema}' AND relkind = 'r'")

    def largest_tables(self):
        return self.sql(
            "SELECT string_agg(name || ' ' || size, ', ') FROM (SELECT relname "
            "AS name, pg_size_pretty(pg_total_relation_size(c.oid)) AS size "
            + self.tables()
            + " ORDER BY pg_total_relation_size(c.oid) DESC LIMIT 8) AS t")

    def draw(self):
        if not FOLDER:
            return
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        for subject, known in self.gauges.all.items():
            Path(FOLDER, f"{subject}.svg").write_text(picture(
                f"{subject.capitalize()} of three engines", UNITS[subject],
                {name: x.samples for name, x in known.items()}),
                encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
