"""Flushed before acknowledged: kill -9 leaves the page cache alive, so here
the writes that nobody flushed are held back and vanish at the kill. Files of
journal, tables and blobs alike; created, renamed and removed names too."""

import datetime
import os
import time

import harness
from engine import EngineFailed
from harness import a_deposit
from rounds import KillRounds
from unflushed import PowerCut

ROUNDS = int(os.environ.get("DEPOSITD_POWER_CUT_ROUNDS", "15"))
SEED = os.environ.get("DEPOSITD_CRASH_SEED", str(time.time_ns()))
SHIM = os.environ["DEPOSITD_UNFLUSHED"]


def ended_before(moment, rows, count=5):
    """The last deposits that the journal calls ended: not all were told."""
    ended = sorted((row["finished_at"], row["user"], row["file_name"])
                   for row in rows if row["status"] == "completed"
                   and row["finished_at"] < moment.isoformat())
    return {(user, name) for _, user, name in ended[-count:]}


class UnderPowerCuts(KillRounds):
    def set_up_power_cut(self, seed, **options):
        (self.folder / "data").mkdir()
        self.power = PowerCut(SHIM, self.folder / "data", self.folder,
                              **options)
        self.set_up_rounds(seed, environment=self.power.environment)

    def settle_disk(self):
        self.power.settle()

    def run_rounds(self, label, rounds=ROUNDS, least=10):
        self.instance.start()
        self.add_users()
        ended_last = set()
        for number in self.rounds(rounds, least):
            self.run_round(number)
            cut_at = datetime.datetime.now(datetime.timezone.utc)
            self.start_again()
            rows = self.verify(f"{label}, round {number}")
            ended_last |= ended_before(cut_at, rows)
            self.verify_documents(f"{label}, round {number}")
            self.verify_contents(f"{label}, round {number}")
        print(f"{label}: {len(self.history.acknowledged)} acknowledged")
        self.assertGreater(len(self.history.acknowledged), least * rounds)
        self.finish()
        self.verify_each_recorded(f"{label}, ended before a cut",
                                  sorted(ended_last))


class Flushed(UnderPowerCuts):
    def test_what_is_acknowledged_survives_the_loss_of_unflushed_writes(self):
        self.set_up_power_cut(SEED)
        self.run_rounds("nothing unflushed survives")

    def test_or_the_survival_of_some_of_them(self):
        self.set_up_power_cut(SEED, leak=40)
        self.run_rounds("some of it survives")

    def test_or_kills_in_the_middle_of_flushes(self):
        self.set_up_power_cut(SEED, slow_ms=20)
        self.run_rounds("flushes are slow", min(ROUNDS, 3), least=1)


class Losing(UnderPowerCuts):
    def lose_flushes(self, part):
        """With flushes of a part of the folder doing nothing: whatever the
        engine flushed there since its second start is gone after the kill."""
        self.set_up_power_cut(SEED)
        self.instance.start()
        self.add_users()
        self.assertEqual(self.instance.stop(), 0)
        self.power.deafen(part)
        self.instance.start()
        self.deposit_some()
        self.instance.kill()
        self.settle_disk()
        self.power.deafen("")

    def look_for_it(self, label):
        self.instance.start()
        self.verify(label)
        self.verify_contents(label, 1000)
        self.verify_recorded(label, 100)

    def assert_noticed(self, part):
        self.lose_flushes(part)
        with self.assertRaises((EngineFailed, AssertionError)) as noticed:
            self.look_for_it(part)
        print(f"{part}: {str(noticed.exception)[:200]}")

    def deposit_some(self):
        """Acknowledged and seen completed: a small one, which lies in the
        journal, and a large one, which is a blob."""
        for user in self.users:
            self.deposit_one(user, f"some-{user}.xml", "A title")
            self.deposit_one(user, f"large-{user}.xml", "A title" * 40_000)

    def deposit_one(self, user, name, title):
        key = (user, name)
        content = a_deposit(key[1], title=title)
        self.history.attempt(key, content)
        door = self.door(self.instance, user)
        self.assertTrue(door.deposit(key[1], content).accepted)
        self.history.acknowledge(key)
        self.history.complete(key, self.outcome(door, key[1]).document)


class Bites(Losing):
    """An engine whose flushes do nothing must not pass."""

    def test_a_missing_flush_of_the_journal_is_noticed(self):
        """Also the tables', which are a copy of it that would hide the loss."""
        self.assert_noticed(".segment:projection.db")

    def test_one_of_the_tables_alone_loses_nothing(self):
        self.lose_flushes("projection.db")
        self.look_for_it("projection.db")

    def test_a_missing_flush_of_the_blobs_is_noticed(self):
        self.assert_noticed("blobs/")

    def test_a_missing_flush_of_the_recorded_dois_is_noticed(self):
        self.assert_noticed("registry.db-wal")


class Dropped(Losing):
    """Slices of the tables are not flushed, as the journal has them; before a
    segment of it goes, the tables must be."""

    settings = {**KillRounds.settings, "store.segment_mb": 1}

    def deposit_some(self):
        first = next(iter(sorted((self.folder / "data" / "journal")
                                 .glob("*.segment"))))
        for number in range(200):
            if not first.exists():
                return
            for user in self.users:
                self.deposit_one(user, f"{user}-{number}.xml",
                                 "A title" * 20_000)
        self.fail(f"{first} is still there")

    def test_segments_go_after_the_tables_are_flushed(self):
        self.lose_flushes("nothing at all")
        self.look_for_it("dropped")

    def test_a_missing_flush_of_the_tables_is_noticed(self):
        self.assert_noticed("projection.db")


if __name__ == "__main__":
    harness.main()
