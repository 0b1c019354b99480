"""kill -9 at random moments under load, on every store that there is to choose:
what was acknowledged is there exactly once, nothing is invented, what was
finished stays finished, and settings of operators survive.

DEPOSITD_CRASH_ROUNDS, DEPOSITD_CRASH_SEED; DEPOSITD_CRASH_KEEP is a folder that
gets what an engine had when it disagreed."""

import os
import subprocess
import time
from pathlib import Path

import harness
from history import History
from kill_servers import BlobsInS3, LeasedShards, OnPostgres, OverKafka
from rounds import KillRounds

ROUNDS = int(os.environ.get("DEPOSITD_CRASH_ROUNDS", "50"))
SEED = os.environ.get("DEPOSITD_CRASH_SEED", str(time.time_ns()))
KEEP = os.environ.get("DEPOSITD_CRASH_KEEP")


class Kept(KillRounds):
    def setUp(self):
        super().setUp()
        self.begun = time.monotonic()

    def keeping(self, what):
        """Runs it; if it fails, what the engine had stays."""
        try:
            what()
        except BaseException:
            self.instance.kill()
            if KEEP:
                self.keep(Path(KEEP, f"{type(self).__name__}-{SEED}"))
            raise

    def keep(self, where):
        where.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", *self.places(), where], check=True)
        print(f"kept in {where}", flush=True)

    def summarise(self, rounds, acknowledged, finished):
        print(f"{type(self).__name__}: {rounds} rounds, {acknowledged} "
              f"acknowledged, {finished} seen finished, "
              f"{time.monotonic() - self.begun:.0f} s, seed {SEED}",
              flush=True)


class Kills:
    """For KillRounds of a store that keeps things."""

    least = 10  # acknowledged, of a round
    elsewhere = []  # what `depositd check` is told of the folder

    def test_nothing_is_lost_or_invented_over_many_kills(self):
        self.set_up_rounds(SEED)
        self.keeping(self.kill_over_and_over)

    def kill_over_and_over(self):
        self.instance.start()
        self.add_users()
        for number in self.rounds(ROUNDS, self.least):
            before = len(self.history.acknowledged)
            self.run_round(number)
            if self.chance.random() < 0.2:
                self.check_folder(f"round {number}")
            self.start_again()
            rows = self.verify(f"round {number}")
            self.verify_documents(f"round {number}")
            self.verify_contents(f"round {number}")
            print(f"round {number}: "
                  f"{len(self.history.acknowledged) - before} acknowledged, "
                  f"{len(rows)} in all, "
                  f"{len(self.history.documents)} seen finished", flush=True)
        acknowledged = len(self.history.acknowledged)
        finished = len(self.history.documents)
        # Rounds without work would prove nothing.
        self.assertGreater(acknowledged, self.least * ROUNDS)
        self.assertGreater(finished, ROUNDS)
        self.finish()
        self.assertEqual(self.instance.stop(), 0)
        self.check_folder("at the end")
        self.summarise(number + 1, acknowledged, finished)

    def check_folder(self, label):
        """What a kill leaves is sound as it lies there."""
        said = subprocess.run(
            [harness.PROGRAMS / "depositd", "check", self.instance.data,
             *self.elsewhere], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, f"{label}: {said}")


class Embedded(Kills, Kept):
    pass


class Shards(Kills, Kept):
    settings = {**KillRounds.settings, "shards.count": 3}


class OneLoop(Kills, Kept):
    """Sockets, actors and small groups of the journal on one thread."""

    settings = {**KillRounds.settings, "threads.one_loop": "true"}


class SmallParts(Kills, Kept):
    """Segments go all the time, bodies are read back from the disk, and large
    ones have a folder of their own."""

    large = 0.1
    elsewhere = ["--blobs-elsewhere"]

    def set_up_rounds(self, seed, **engine_options):
        self.settings = {**self.settings, "store.segment_mb": 1,
                         "memory.body_budget_mb": 1, "blobs.kind": "folder",
                         "blobs.path": str(self.folder / "blobs")}
        super().set_up_rounds(seed, **engine_options)


class Changing(Kills, Kept):
    """Each life has other settings than the one before."""

    def start_again(self):
        for key, values in (("store.segment_mb", [1, 4, 64]),
                            ("threads.one_loop", ["false", "true"]),
                            ("memory.body_budget_mb", [1, 256]),
                            ("processors.count", [1, 3, 16]),
                            ("shutdown.drain_ms", [0, 10_000])):
            self.instance.settings[key] = self.chance.choice(values)
        super().start_again()


class Postgres(Kills, OnPostgres, Kept):
    def check_folder(self, label):
        """Nothing durable is in it."""


class PostgresShards(Kills, LeasedShards, Kept):
    def check_folder(self, label):
        """Nothing durable is in it."""


class S3(Kills, BlobsInS3, Kept):
    elsewhere = ["--blobs-elsewhere"]


class Kafka(Kills, OverKafka, Kept):
    pass


class Memory(Kept):
    """Keeps nothing: each life begins empty, and is true to itself."""

    settings = {**KillRounds.settings, "store.kind": "memory"}

    def test_each_life_begins_empty(self):
        self.set_up_rounds(SEED)
        self.keeping(self.live_over_and_over)

    def live_over_and_over(self):
        lives = acknowledged = finished = 0
        self.instance.start()
        while lives < ROUNDS or (lives < 4 * ROUNDS + 20
                                 and acknowledged <= ROUNDS):
            self.history = History()
            self.add_users()
            self.run_round(lives)
            lives += 1
            acknowledged += len(self.history.acknowledged)
            finished += len(self.history.documents)
            self.start_again()
            self.assertEqual(self.instance.submissions(), [])
            self.assertEqual(self.instance.rows("user", "list"), [])
            self.assertFalse(self.suspended())
        self.assertGreater(acknowledged, ROUNDS)
        self.summarise(lives, acknowledged, finished)


if __name__ == "__main__":
    harness.main()
