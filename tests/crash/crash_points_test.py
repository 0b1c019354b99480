"""The engine kills itself at named points of its sources; what clients were
told is compared with what the next start finds. Each suite goes through its
points on one store that outlives them all."""

import contextlib
import os
import threading
import time
import unittest

import harness
from armed import KILLED, Held, arm, await_death, crash_programs
from deposit_door import Door, multipart
from engine import CommandFailed, EngineFailed
from harness import BROKEN, a_deposit, wait_until
from kafka_test import KafkaFixture, deposits
from kafka_tools import deposit_record
from load import Load
from points import (AT_ONCE, BAG_ORDERS, BAGS, COLD, EMBEDDED, HAND_OVER,
                    KAFKA, POSTGRES, WORK, WORK_ORDERS, Point,
                    points_of_sources)
from postgres_test import Server as PostgresServer
from postgres_test import services as postgres_services
from rounds import KillRounds

SEED = os.environ.get("DEPOSITD_CRASH_SEED", str(time.time_ns()))


class Filler:
    """Posts deposits so large that segments and blobs fill."""

    def __init__(self, engine, history, user, password, label):
        self.engine, self.history, self.label = engine, history, label
        self.user, self.password = user, password
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        with contextlib.closing(Door(self.engine.address("http"), self.user,
                                     self.password, 60)) as door:
            number = 0
            while not self.stopping.wait(0.002):
                number += 1
                name = f"{self.label}-{number}"
                # Every third goes to the blob store, others into the journal.
                size = 60_000 if number % 3 == 0 else 20_000
                content = a_deposit(name, title="A title" * size)
                key = (self.user, name + ".xml")
                self.history.attempt(key, content)
                try:
                    if door.deposit(key[1], content).accepted:
                        self.history.acknowledge(key)
                except BROKEN:
                    return

    def stop(self):
        self.stopping.set()
        self.thread.join(60)


class CrashPoints(KillRounds):
    """One store through all points."""

    settings = {**KillRounds.settings, "store.segment_mb": 1}

    def engine(self, settings=None, data="data", **more):
        engine = super().engine(settings, data, **more)
        engine.programs = crash_programs(self.folder)
        return engine

    def arm(self, point):
        arm(self.instance, point)

    def await_death(self, point):
        await_death(self, self.instance, point)

    def die_at(self, point, number):
        """Work until the engine has killed itself."""
        self.arm(point)
        try:
            self.instance.start()
        except EngineFailed as died:
            # It may be passed before everything is open.
            self.assertEqual(died.code, KILLED, f"{point}: {died.log}")
            return
        self.assertNotEqual(point.doing, "start", f"{point} was not passed")
        label = f"{point.name}-{point.passing}-{number}"
        load = Load(self.instance, self.history, self.passwords,
                    f"{self.seed}/{number}", label)
        user = sorted(self.passwords)[0]
        filler = Filler(self.instance, self.history, user,
                        self.passwords[user], "fill-" + label)
        load.start()
        if point.doing == "filling":
            filler.thread.start()
        if point.doing == "backup":
            with contextlib.suppress(CommandFailed, OSError):
                self.instance.ctl("backup", str(self.folder / label))
        self.await_death(point)
        self.assertEqual(load.stop(), [], point)
        if point.doing == "filling":
            filler.stop()

    def go_through(self, points):
        self.set_up_rounds(SEED)
        self.instance.start()
        self.add_users()
        self.instance.kill()
        for number, point in enumerate(points):
            with self.subTest(str(point)):
                try:
                    self.pass_through(point, number)
                finally:
                    self.instance.kill()
        self.instance.start()
        self.finish()
        self.assertEqual(self.instance.stop(), 0)

    def pass_through(self, point, number):
        self.die_at(point, number)
        again = self.chance.random() < 0.4
        if again:
            self.die_again()
        self.arm(None)
        self.instance.start()
        rows = self.verify(str(point))
        self.verify_documents(str(point), 10)
        self.verify_contents(str(point), 10)
        print(f"{point}{' and again' if again else ''}: "
              f"{len(rows)} submissions", flush=True)

    def die_again(self):
        """In the middle of the recovery from the last death."""
        self.arm(Point(self.chance.choice(
            ["recovery_read", "recovery_released"])))
        with self.assertRaises(EngineFailed) as died:
            self.instance.start(timeout=20)
        self.assertEqual(died.exception.code, KILLED, died.exception.log)


class Embedded(CrashPoints):
    def test_every_point(self):
        self.go_through(EMBEDDED)


class AtOnce(CrashPoints):
    """Whoever posts to /v2/deposits and hears nothing finds the deposit
    processed, once, if the engine knows of it."""

    def post(self, name, content):
        user = self.users[0]
        kind, body = multipart({"usr": user, "pwd": self.passwords[user]},
                               [("mdFile", name + ".xml", content)])
        self.history.attempt((user, name + ".xml"), content)
        with contextlib.closing(self.door()) as door:
            return door.request("POST", "/v2/deposits", body, kind)

    def door(self):
        user = self.users[0]
        return Door(self.instance.address("http"), user, self.passwords[user])

    def outcome(self, name):
        with contextlib.closing(self.door()) as door:
            found = wait_until(lambda: done_or_unknown(door.poll(name)), 30)
        return found

    def die_at_once(self, point, number):
        self.arm(point)
        self.instance.start()
        name = f"at-once-{number}"
        content = a_deposit(name)
        with self.assertRaises(BROKEN):
            self.post(name, content)
        self.await_death(point)
        self.arm(None)
        self.instance.start()
        found = self.outcome(name + ".xml")
        if point.name == "accept_decided":
            self.assertFalse(found.known, found.document)
        else:
            (status, doi, said), = found.records
            self.assertEqual((status, said), ("Success", "Successfully added"))
            self.assertEqual(doi, "10.5555/" + name)
        again = self.post(name + "-again", content)
        self.assertEqual(again.status, 403 if found.known else 200, again.text)
        self.verify(str(point))

    def test_every_point(self):
        self.set_up_rounds(SEED)
        self.instance.start()
        self.add_users()
        self.instance.kill()
        for number, point in enumerate(AT_ONCE):
            with self.subTest(str(point)):
                try:
                    self.die_at_once(point, number)
                finally:
                    self.instance.kill()


def done_or_unknown(found):
    """The answer of a poll, unless it is to be asked again."""
    return found if found.completed or not found.known else None


class OnPostgres(CrashPoints):
    @classmethod
    def setUpClass(cls):
        if postgres_services("installed", "none").returncode == 3:
            raise unittest.SkipTest("POSTGRESQL IS NOT INSTALLED")
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()
        cls.settings = {**cls.settings, "store.kind": "postgres",
                        "store.url": cls.server.url}

    def test_every_point(self):
        self.go_through(POSTGRES)


class OnKafka(CrashPoints, KafkaFixture):
    """Records in, outcomes or dead letters out: exactly one for each after
    repetitions."""

    def test_every_point(self):
        engine = self.engine_on_kafka("crash")
        self.instance = engine
        engine.start()
        engine.ctl("kafka", "init")
        engine.kill()
        wanted, refused = set(), set()
        for number, point in enumerate(KAFKA):
            self.arm(point)
            lines = dict(deposits(60, f"c{number}"))
            (user, name), _ = next(iter(lines.items()))
            other = deposit_record(user, name, "something else")
            self.produce([*lines.values(), other])
            wanted |= lines.keys()
            refused.add(other)
            try:
                engine.start()
            except EngineFailed as died:
                self.assertEqual(died.code, KILLED, died.log)
            self.await_death(point)
            self.arm(None)
            engine.start()
            events = self.await_outcomes(wanted)
            self.expect_exactly(events, wanted)
            print(f"{point}: {len(events)} outcomes, "
                  f"{len(self.read('out')) - len(events)} repetitions",
                  flush=True)
            engine.kill()
        letters = {x.header("event-id"): x for x in self.read("dead")}
        self.assertEqual(len(letters), len(refused))
        self.assertEqual({x.key + b"\t" + x.value + b"\n"
                          for x in letters.values()}, refused)


class Bites(CrashPoints):
    """An engine with a mistake must not pass. Killed while its journal stands
    just before the append, it has answered what it has not written; an engine
    without the mistake has not."""

    def deposit_and_kill(self, bug):
        """Whether the deposit was answered before the kill."""
        self.set_up_rounds(SEED)
        self.instance.start()
        self.add_users()
        self.instance.kill()
        held = Held(self.folder, self.instance, "append_before")
        if bug is not None:
            self.instance.environment["DEPOSITD_SEEDED_BUG"] = bug
        self.instance.start()
        held.begin()
        user = self.users[0]
        key = (user, "one.xml")
        content = a_deposit("one")
        self.history.attempt(key, content)
        # A right engine never answers; a wrong one does as soon as it can.
        door = Door(self.instance.address("http"), user,
                    self.passwords[user], 60 if bug else 3)
        with contextlib.closing(door):
            try:
                answered = door.deposit(key[1], content).accepted
            except BROKEN:
                answered = False
        if answered:
            self.history.acknowledge(key)
        self.instance.kill()
        held.end()
        self.instance.environment.pop("DEPOSITD_SEEDED_BUG", None)
        self.instance.start()
        return answered

    def test_an_answer_before_the_append_is_noticed(self):
        self.assertTrue(self.deposit_and_kill("reply_before_commit"))
        with self.assertRaisesRegex(AssertionError, "lost"):
            self.verify("reply_before_commit")

    def test_without_the_mistake_nothing_is(self):
        self.assertFalse(self.deposit_and_kill(None))
        self.assertEqual(self.verify("no mistake"), [])


class Table(unittest.TestCase):
    def test_every_point_of_the_sources_is_tried(self):
        tried = {p.name for p in EMBEDDED + AT_ONCE + POSTGRES + KAFKA
                 + HAND_OVER + WORK + WORK_ORDERS + BAGS + BAG_ORDERS + COLD}
        self.assertEqual(set(points_of_sources()), tried)


del KafkaFixture, KillRounds, CrashPoints

if __name__ == "__main__":
    harness.main()
