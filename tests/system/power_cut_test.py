"""Flushed before acknowledged: kill -9 leaves the page cache alive, so here
the writes that nobody flushed are held back and vanish at the kill. Files of
journal, tables and blobs alike; created, renamed and removed names too."""

import os
import time

import harness
from engine import EngineFailed
from history import disagreements
from rounds import USERS, KillRounds
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

    def run_rounds(self, label):
        self.instance.start()
        self.add_users()
        for number in range(ROUNDS):
            self.run_round(number)
            self.start_again()
            self.verify(f"{label}, round {number}")
            self.verify_documents(f"{label}, round {number}")
        print(f"{label}: {len(self.history.acknowledged)} acknowledged")
        self.assertGreater(len(self.history.acknowledged), 10 * ROUNDS)
        self.finish()


class Flushed(UnderPowerCuts):
    def test_what_is_acknowledged_survives_the_loss_of_unflushed_writes(self):
        self.set_up_power_cut(SEED)
        self.run_rounds("nothing unflushed survives")

    def test_or_the_survival_of_some_of_them(self):
        self.set_up_power_cut(SEED, leak=40)
        self.run_rounds("some of it survives")


class Bites(UnderPowerCuts):
    """An engine whose flushes do nothing must not pass."""

    def lost_with_deaf(self, part):
        self.set_up_power_cut(SEED, deaf=part)
        self.instance.start()
        self.add_users()
        for number in range(3):
            self.run_round(number)
            try:
                self.instance.start()
            except EngineFailed as failure:
                return [f"does not even start: {failure}"]
            rows = self.instance.submissions(USERS)
            found = disagreements(self.history, rows)
            if found:
                return found
        return []

    def test_a_missing_flush_of_the_journal_is_noticed(self):
        self.assertTrue(self.lost_with_deaf("journal/"))


if __name__ == "__main__":
    harness.main()
