"""The restore drill of PostgreSQL: back to a point in time with the lines of
docs/operations/backup.md, while Kafka stays where it is. Records since the
point are read again; outcomes of before are repeated as they were, the others
happen again under ids of their own; nothing that a reader of ids needs is
dropped."""

import shutil
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from drill import Drill, owner_of
from harness import SystemTest, a_deposit, main, wait_until
from kafka_tools import (NOT_INSTALLED, Server, deposit_record, outcomes,
                         produce, read_topic, services)

POINT = "before-upgrade"
USERS = [f"user-{n}" for n in range(5)]


class TimeTravel(SystemTest):
    @classmethod
    def setUpClass(cls):
        for service in ("kafka", "postgres"):
            tried = services("installed", service=service)
            if tried.returncode == NOT_INSTALLED:
                raise unittest.SkipTest(tried.stderr.strip().upper())
        cls.kafka = Server()
        cls.addClassCleanup(cls.kafka.remove)
        cls.kafka.start()

    def setUp(self):
        super().setUp()
        self.postgres = Server("postgres")
        self.addCleanup(self.postgres.remove)
        self.postgres.start()
        place = Path(self.postgres.folder, "postgres")
        self.variables = {
            "URL": self.postgres.address, "PGDATA": place / "data",
            "WAL": place / "wal", "BASE": place / "base"}
        owner = owner_of(place / "data")
        for name in ("WAL", "BASE"):
            self.variables[name].mkdir(mode=0o700)
            shutil.chown(self.variables[name], owner)
        self.drill = Drill(self.folder, self.variables, self.systemd, owner)

    def systemd(self, verb, unit):
        if unit == "depositd":
            if verb == "start":
                self.drill.meet(self.instance.start())
            elif self.instance.alive():
                self.instance.stop()
        else:
            self.assertEqual(unit, "postgresql")
            if verb in ("stop", "restart"):
                self.postgres.stop()
            if verb in ("start", "restart"):
                self.postgres.start()

    def typed(self, name):
        code, said = self.drill.type(name)
        self.assertEqual(code, 0, said)
        return said

    def sql(self, text):
        return subprocess.run(
            ["psql", self.postgres.address, "-XAtqc", text], check=True,
            capture_output=True, text=True).stdout.strip()

    # -- records ------------------------------------------------------------

    def begin(self, label, shards):
        self.topics = {kind: f"{label}.{kind}"
                       for kind in ("in", "out", "dead")}
        self.instance = self.engine({
            "store.kind": "postgres", "store.url": self.postgres.address,
            "shards.count": shards, "node.name": "a",
            "shards.lease_ms": 4000,
            "kafka.brokers": self.kafka.address, "kafka.partitions": 3,
            "kafka.ingress_topic": self.topics["in"],
            "kafka.egress_topic": self.topics["out"],
            "kafka.dead_letter_topic": self.topics["dead"]})
        self.systemd("start", "depositd")
        # A broker that was kept waiting is not one for a moment.
        wait_until(lambda: self.instance.ctl_result(
            "kafka", "init").returncode == 0)
        self.produced = set()

    def produce(self, label, count):
        """So many deposits, and a record that is none behind them."""
        keys = {(USERS[n % len(USERS)], f"{label}-{n}.xml")
                for n in range(count)}
        produce(self.kafka.address, self.topics["in"], [
            deposit_record(user, name, a_deposit(name[:-4]).decode())
            for user, name in sorted(keys)] + [f"p\t{label}\n".encode()])
        self.produced |= keys
        return keys

    def read(self, kind):
        return read_topic(self.kafka.address, self.topics[kind])

    def told(self):
        """Outcomes by event id. One that means two things is an error."""
        return outcomes(self.read("out"))

    def await_told(self, wanted):
        """Until each has so many outcomes; {event id: outcome}."""
        def complete():
            found = self.told()
            have = Counter((x["user"], x["id"]) for x in found.values())
            return found if have == wanted else None
        return wait_until(complete, 120, pause=0.5)

    # -- the drill ----------------------------------------------------------

    def go_there_and_back(self, label, shards, target):
        """`target` changes the typed lines from the name to another."""
        self.begin(label, shards)
        door = self.depositor(self.instance, "press")
        self.typed("archive")
        first = self.produce("first", 40)
        self.await_told(Counter(first))
        self.typed("base")
        # Only in the archive of the log.
        second = self.produce("second", 30)
        self.await_told(Counter(first | second))
        self.instance.ctl("suspend")
        self.assertTrue(door.deposit("open.xml", a_deposit("open")).accepted)
        marked = self.typed("mark")
        before = self.told()
        self.instance.ctl("resume")
        third = self.produce("third", 30)
        self.assertTrue(door.deposit("late.xml", a_deposit("late")).accepted)
        http = {("press", "open.xml"), ("press", "late.xml")}
        after = self.await_told(Counter(self.produced | http))
        self.spoil()
        target(marked)
        self.typed("back")
        wait_until(lambda: self.typed("look").strip() == "f")
        self.typed("go on")
        # As it was at the point.
        self.assertTrue(self.instance.ask("status")["suspended"])
        self.instance.ctl("resume")
        # What happened since the point happens once more, but for what came
        # by another door.
        again = third | {("press", "open.xml")}
        found = self.await_told(Counter(
            list(self.produced | http) + list(again)))
        self.judge(before, after, found, again)
        self.judge_letters()
        door = self.door(self.instance, "press")
        self.assertFalse(door.poll("late.xml").known)
        self.outcome(door, "open.xml")
        self.assertEqual(self.instance.stop(), 0)

    def spoil(self):
        """What one wants to go back from."""
        self.sql("TRUNCATE submission_rows")

    def judge(self, before, after, found, again):
        # The set of those from before the point, each as it was.
        self.assertLessEqual(before.items(), found.items())
        self.assertLessEqual(after.items(), found.items())
        new = {key: x for key, x in found.items() if key not in after}
        self.assertEqual({(x["user"], x["id"]) for x in new.values()}, again)
        for x in new.values():
            self.assertEqual(x["outcome"], "done", x)
        # To the store itself they happened once: none was known already.
        rows = self.instance.submissions()
        self.assertEqual(sorted((x["user"], x["file_name"]) for x in rows),
                         sorted(self.produced | {("press", "open.xml")}))
        self.assertEqual({x["status"] for x in rows}, {"completed"})

    def judge_letters(self):
        """An id for each, and none for two."""
        def complete():
            letters = {}
            for x in self.read("dead"):
                known = letters.setdefault(x.header("event-id"), x.value)
                self.assertEqual(known, x.value)
            counted = Counter(letters.values())
            return set(counted) == {b"first", b"second", b"third"} \
                and counted[b"third"] >= 1 and counted
        counted = wait_until(complete)
        self.assertEqual((counted[b"first"], counted[b"second"]), (1, 1))

    def test_to_a_name_with_many_shards(self):
        self.go_there_and_back("name", 4, lambda marked: None)

    def test_to_a_moment_with_one_shard(self):
        def target(marked):
            moment = marked.strip().split("|")[1]
            self.drill.replace(f"recovery_target_name = '{POINT}'",
                               f"recovery_target_time = '{moment}'")
        self.go_there_and_back("moment", 1, target)


if __name__ == "__main__":
    main()
