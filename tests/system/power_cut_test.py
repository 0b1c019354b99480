"""Flushed before acknowledged: kill -9 leaves the page cache alive, so here
the writes that nobody flushed are held back and vanish at the kill. Files of
journal, tables and blobs alike; created, renamed and removed names too."""

import os
import time

import harness
from engine import EngineFailed
from rounds import KillRounds
from unflushed import PowerCut

ROUNDS = int(os.environ.get("DEPOSITD_POWER_CUT_ROUNDS", "15"))
SEED = os.environ.get("DEPOSITD_CRASH_SEED", str(time.time_ns()))
SHIM = os.environ["DEPOSITD_UNFLUSHED"]


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
        for number in range(rounds):
            self.run_round(number)
            self.start_again()
            self.verify(f"{label}, round {number}")
            self.verify_documents(f"{label}, round {number}")
            self.verify_contents(f"{label}, round {number}")
        print(f"{label}: {len(self.history.acknowledged)} acknowledged")
        self.assertGreater(len(self.history.acknowledged), least * rounds)
        self.finish()


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


class Bites(UnderPowerCuts):
    """An engine whose flushes do nothing must not pass."""

    def assert_noticed(self, part):
        """With flushes of a part of the folder doing nothing."""
        self.set_up_power_cut(SEED, deaf=part)
        self.instance.start()
        self.add_users()
        for number in range(5):
            self.run_round(number)
            try:
                self.instance.start()
                self.verify(part)
                self.verify_contents(part, 1000)
                self.instance.ctl("queue", "resume", "metadata")
                self.history.settle("suspended", False)
                self.verify_recorded(part, 100)
            except (EngineFailed, AssertionError) as noticed:
                print(f"{part}: {str(noticed)[:200]}")
                return
        self.fail(f"nobody noticed that {part} is never flushed")

    def test_a_missing_flush_of_the_journal_is_noticed(self):
        self.assert_noticed(".segment")

    def test_a_missing_flush_of_the_blobs_is_noticed(self):
        self.assert_noticed("blobs/")
    def test_a_missing_flush_of_the_recorded_dois_is_noticed(self):
        self.assert_noticed("registry.db-wal")


if __name__ == "__main__":
    harness.main()
