"""Two engines on one database, killed while a shard goes from one to the other,
and engines whose database goes under them: what clients were told is compared
with what is there afterwards."""

import contextlib
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import harness
from armed import KILLED, arm, await_death, crash_programs
from engine import EngineFailed
from harness import BROKEN, a_deposit, wait_until
from history import History
from load import Load
from points import HAND_OVER, Point
from rounds import KillRounds
from shared_engines import SHARDS, SharedEngines

SEED = os.environ.get("DEPOSITD_CRASH_SEED", str(time.time_ns()))
LEASE_MS = 1200


class Pair(KillRounds, SharedEngines):
    """Engines a and b through everything, and one history."""

    # In every one of four shards.
    users = ["amelie", "boris", "chidi", "hana", "lena", "omar"]

    def set_up_pair(self):
        print(f"seed {SEED}", flush=True)
        self.seed = SEED
        self.chance = random.Random(f"{SEED}/{self.id()}")
        self.history = History()
        self.history.settle("suspended", False)
        self.passwords = {user: f"secret-{user}" for user in self.users}
        self.a, self.b = (self.one(name) for name in ("a", "b"))
        self.instance = self.a
        self.loads = []
        self.pair_up()
        self.add_users()

    def one(self, name):
        engine = self.sharing(name, {
            **self.settings, "shards.lease_ms": LEASE_MS,
            "shutdown.drain_ms": 2000, "store.segment_mb": 1})
        engine.programs = crash_programs(self.folder)
        return engine

    def pair_up(self):
        """Both run, as equals, and die nowhere."""
        down = [x for x in (self.a, self.b) if not x.alive()]
        for engine in down:
            arm(engine, None)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda x: x.start(), down))
        wait_until(lambda: self.settled(["a", "b"]))

    def put_load_on(self, engine, label, operates=False):
        load = Load(engine, self.history, self.passwords,
                    f"{self.seed}/{label}", f"{label}-{engine.data.name}",
                    operates)
        self.loads.append(load)
        load.start()

    def await_acknowledged(self, count):
        enough = len(self.history.acknowledged) + count
        wait_until(lambda: len(self.history.acknowledged) >= enough)

    def kill_both(self):
        self.a.kill()
        self.b.kill()

    def die_with_appends_held_up(self, label, aborted):
        """Both die while the server waits with an append of every shard, which
        it then aborts or commits after their death."""
        self.put_load_on(self.a, label, operates=True)
        self.put_load_on(self.b, label)
        self.await_acknowledged(20)
        with self.appends_held_up():
            self.kill_both()
            if aborted:
                self.abort_appends()
        self.pair_up()
        self.end_load(label)

    @contextlib.contextmanager
    def appends_held_up(self):
        """Until an append of every shard waits."""
        with self.no_append():
            wait_until(lambda: SHARDS <= self.appends_that_wait())
            yield

    @contextlib.contextmanager
    def no_append(self):
        """Every append reads its owner's row; nobody may until the end."""
        with subprocess.Popen(
                ["psql", self.url, "-XAtq"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True) as psql:
            psql.stdin.write("BEGIN;LOCK shard_owners IN EXCLUSIVE MODE;"
                             "SELECT 'held';\n")
            psql.stdin.flush()
            self.assertEqual(psql.stdout.readline(), "held\n")
            yield
            psql.stdin.close()

    def appends_that_wait(self):
        return int(self.sql(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation "
            "= 'shard_owners'::regclass"))

    def abort_appends(self):
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_locks "
                 "WHERE NOT granted AND pid <> pg_backend_pid()")

    def end_load(self, label):
        for load in self.loads:
            self.assertEqual(load.stop(), [], label)
        self.loads = []

    def judge(self, label):
        self.instance = self.chance.choice([self.a, self.b])
        rows = self.verify(label)
        self.verify_documents(label, 10)
        self.verify_contents(label, 10)
        return rows

    def finish_pair(self):
        # The views follow the polls within a slice.
        wait_until(lambda: int(self.sql(
            "SELECT count(DISTINCT shard) FROM submissions")) == SHARDS)
        self.instance = self.a
        self.finish()
        for engine in (self.a, self.b):
            self.assertEqual(engine.stop(), 0, engine.log()[-2000:])


class HandOver(Pair):
    def test_every_point(self):
        self.set_up_pair()
        for number, point in enumerate(HAND_OVER):
            begun = time.monotonic()
            with self.subTest(str(point)):
                again = self.pass_through(point, f"{point.name}-{number}")
                rows = self.judge(str(point))
                print(f"{point} {point.doing}{again}: {len(rows)} submissions"
                      f" in {time.monotonic() - begun:.1f} s", flush=True)
        self.finish_pair()

    def pass_through(self, point, label):
        dead = getattr(self, "die_" + point.doing)(point, label)
        again = self.die_again(dead)
        self.pair_up()
        self.end_load(label)
        return again

    def die_alone(self, point, label):
        """At the start, with all shards to take back."""
        self.assertEqual(self.b.stop(), 0)
        self.put_load_on(self.a, label)
        self.await_acknowledged(20)
        self.a.kill()
        arm(self.a, point)
        self.start_to_die(self.a, point)
        return self.a

    def die_join(self, point, label):
        self.assertEqual(self.b.stop(), 0)
        self.put_load_on(self.a, label, operates=True)
        self.await_acknowledged(20)
        arm(self.b, point)
        self.start_to_die(self.b, point)
        return self.b

    def die_give(self, point, label):
        self.assertEqual(self.b.stop(), 0)
        self.a.kill()
        arm(self.a, point)
        self.a.start()
        self.put_load_on(self.a, label, operates=True)
        self.await_acknowledged(20)
        arm(self.b, None)
        self.b.start()
        await_death(self, self.a, point)
        return self.a

    def die_stop(self, point, label):
        self.a.kill()
        arm(self.a, point)
        self.a.start()
        wait_until(lambda: self.settled(["a", "b"]))
        operator = self.chance.choice([self.a, self.b])
        for engine in (self.a, self.b):
            self.put_load_on(engine, label, operates=engine is operator)
        self.await_acknowledged(40)
        self.a.process.send_signal(signal.SIGTERM)
        await_death(self, self.a, point)
        return self.a

    def start_to_die(self, engine, point):
        """It may be passed before everything is open, or just after."""
        try:
            engine.start()
        except EngineFailed as died:
            self.assertEqual(died.code, KILLED, f"{point}: {died.log}")
            engine.kill()
            return
        await_death(self, engine, point)

    def die_again(self, dead):
        """While it comes back, or the other one as well."""
        other = self.b if dead is self.a else self.a
        kind = self.chance.random()
        if kind < 0.25 and other.alive():
            other.kill()
            return " and the other"
        if kind < 0.5:
            point = Point(self.chance.choice(
                ["lease_taken", "recovery_read", "shard_opened",
                 "shard_brought_up"]))
            arm(dead, point)
            self.start_to_die(dead, point)
            return f" and at {point}"
        return ""


class Bites(Pair):
    def test_engines_that_answer_too_early_are_noticed(self):
        """Every append is held up before anybody deposits, so that what is
        answered cannot have been written: the first deposit of each shard."""
        self.set_up_pair()
        self.kill_both()
        for engine in (self.a, self.b):
            engine.environment["DEPOSITD_SEEDED_BUG"] = "reply_before_commit"
        self.pair_up()
        with self.no_append(), ThreadPoolExecutor(len(self.users)) as pool:
            pool.map(self.deposit, self.users)
            wait_until(lambda: self.appends_that_wait() >= SHARDS
                       and len(self.history.acknowledged) >= SHARDS)
            self.kill_both()
            self.abort_appends()
        for engine in (self.a, self.b):
            del engine.environment["DEPOSITD_SEEDED_BUG"]
        self.pair_up()
        with self.assertRaisesRegex(AssertionError, "lost|unknown"):
            self.judge("reply_before_commit")

    def deposit(self, user):
        key = (user, f"early-{user}.xml")
        content = a_deposit(key[1])
        self.history.attempt(key, content)
        with contextlib.closing(self.door(self.a, user)) as door, \
                contextlib.suppress(BROKEN):
            if door.deposit(key[1], content).accepted:
                self.history.acknowledge(key)


class ServerTrouble(Pair):
    """The server is stopped at once, cuts all connections, or has appends in
    its hands when both engines die."""

    def test_what_was_acknowledged_is_there_afterwards(self):
        self.set_up_pair()
        for trouble in (self.cut, self.stop_at_once):
            begun = time.monotonic()
            label = trouble.__name__
            with self.subTest(label):
                self.survive(trouble, label)
                rows = self.judge(label)
                self.kill_both()
                self.pair_up()
                self.judge(label + ", recovered")
                print(f"{label}: {len(rows)} submissions in "
                      f"{time.monotonic() - begun:.1f} s", flush=True)
        for aborted in (True, False):
            begun = time.monotonic()
            label = "aborted" if aborted else "committed"
            with self.subTest(label):
                self.die_with_appends_held_up(label, aborted)
                rows = self.judge(label)
                print(f"{label}: {len(rows)} submissions in "
                      f"{time.monotonic() - begun:.1f} s", flush=True)
        self.finish_pair()

    def survive(self, trouble, label):
        self.put_load_on(self.a, label, operates=True)
        self.put_load_on(self.b, label)
        self.await_acknowledged(self.chance.randint(20, 200))
        trouble()
        for engine in (self.a, self.b):
            wait_until(lambda e=engine: self.serves(e, label))
        self.end_load(label)
        for engine in (self.a, self.b):
            self.assertTrue(engine.alive(), engine.log()[-2000:])

    def serves(self, engine, label):
        """Every shard takes a deposit through the engine."""
        for user in self.users:
            name = f"{label}-{engine.data.name}-{time.monotonic_ns()}"
            key = (user, name + ".xml")
            content = a_deposit(name)
            self.history.attempt(key, content)
            door = self.door(engine, user)
            try:
                if not door.deposit(key[1], content).accepted:
                    return False
                self.history.acknowledge(key)
            except BROKEN:
                return False
            finally:
                door.close()
        return True

    def cut(self):
        cut = self.sql("SELECT count(pg_terminate_backend(pid)) FROM "
                       "pg_stat_activity WHERE datname = current_database() "
                       "AND pid <> pg_backend_pid()")
        self.assertGreater(int(cut), 2 * SHARDS)

    def stop_at_once(self):
        self.server.kill()
        self.server.start()


del KillRounds, SharedEngines, Pair

if __name__ == "__main__":
    harness.main()
