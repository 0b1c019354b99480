"""Two engines that share shards, and one stands still in the middle of a stage
that nothing can cut short. Whether it is told to stop or frozen, the other
goes on with its shards once the lease is over, and what both had a hand in is
done once."""

import signal
from collections import Counter

import harness
from aptrust_samples import Bag, payload
from armed import Held, crash_programs
from bags import INSTITUTION, SECRET, BagTest
from harness import wait_until
from shared_engines import QUEUES, SharedEngines
from stored_objects import stored_objects

CUT_SHORT = 3


class HungStage(SharedEngines, BagTest):
    def sharing_bags(self, name, settings=None):
        engine = self.sharing(name, {
            **self.settings(), "work.folder": str(self.folder / "work"),
            "storage.local.path": str(self.folder / "objects"),
            "shutdown.drain_ms": 100, **(settings or {})})
        engine.programs = crash_programs(self.folder)
        return engine

    def setUp(self):
        super().setUp()
        self.first = self.sharing_bags("a")
        self.held = Held(self.folder, self.first, "bag_put")
        self.held.begin()
        self.first.start()
        self.first.add_user(INSTITUTION, SECRET)
        self.first.ctl("collection", "add", INSTITUTION, "--owner",
                       INSTITUTION, "--pipeline", "aptrust")
        self.bag = Bag("bag", payload(1))
        BagTest.send(self, self.bag)
        wait_until(lambda: self.bag.identifier() in self.stored(), 90)
        # Joins while it stands still, so that shards change hands as well.
        self.second = self.sharing_bags("b").start()
        wait_until(lambda: self.settled(["a", "b"]))
        for i, queue in enumerate(QUEUES):
            SharedEngines.send(self, self.second, queue, [i])

    def stored(self):
        return stored_objects(self.folder / "objects")

    def check(self, engine):
        """By any engine: all of it is there, and was done once."""
        def is_over():
            rows = engine.rows("batch", "list")
            return [x["state"] for x in rows] == ["completed"]
        wait_until(is_over, 120, pause=0.2)
        job, = engine.rows("job", "list", "--identifier",
                           self.bag.identifier())
        self.assertEqual(job["state"], "completed")
        shown = engine.ask("object", "show", self.bag.identifier())
        self.assertEqual(len(shown["versions"]), 1)
        self.assertEqual({x["version"] for x in self.stored().values()},
                         {"v1"})
        told = Counter(self.sql("SELECT type || ' ' || file FROM premis_events")
                       .splitlines())
        self.assertEqual(set(told.values()), {1}, told)
        self.assertEqual(self.polled(engine, QUEUES), [*range(len(QUEUES))])

    def test_who_is_told_to_stop_leaves_its_shards_when_the_lease_ends(self):
        self.assertEqual(self.first.stop(), CUT_SHORT, self.first.log())
        self.assertIn("work does not end", self.first.log())
        wait_until(lambda: self.settled(["b"]))
        self.check(self.second)

    def test_who_was_frozen_does_nothing_more_when_it_wakes_up(self):
        self.first.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: self.settled(["b"]))
        wait_until(lambda: [x["state"] for x in self.second.rows(
            "batch", "list")] == ["completed"], 120, pause=0.2)
        self.held.end()
        self.first.process.send_signal(signal.SIGCONT)
        wait_until(lambda: self.settled(["a", "b"]))
        self.check(self.first)
        self.assertTrue(self.first.alive())
        self.assertEqual(self.first.stop(), 0, self.first.log())
        self.assertEqual(self.second.stop(), 0, self.second.log())


if __name__ == "__main__":
    harness.main()
