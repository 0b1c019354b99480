"""The engine kills itself in APTrust's stages: while a bag goes through its
nine, and while what is stored is given back, compared and deleted. Each point
is passed on one store that outlives them all. Afterwards a bag is stored once
with its own bytes, is one version of the inventory, and everything is told of
it once; an order is done once; and nothing is left behind. So it is if the
power is cut there, also with so many files that one flush is for all of them.
"""

import json
import os
import sqlite3
import urllib.parse
from collections import Counter
from contextlib import closing

import harness
from aptrust_samples import Bag, payload
from armed import Held, arm, await_death, crash_programs
from bags import INSTITUTION, BagTest, files_of
from harness import wait_until
from points import BAGS, BAG_ORDERS, COLD, Point
from stored_objects import OBJECT_MARK, stored_objects
from unflushed import PowerCut

SHIM = os.environ["DEPOSITD_UNFLUSHED"]
# More than are flushed one by one.
MANY = 210


def bytes_of(root, identifier):
    """{path: bytes} of the last version of an object."""
    for mark in root.rglob(OBJECT_MARK):
        inventory = json.loads((mark.parent / "inventory.json").read_text())
        if inventory["id"] == identifier:
            state = inventory["versions"][inventory["head"]]["state"]
            return {path: (mark.parent
                           / inventory["manifest"][digest][0]).read_bytes()
                    for digest, paths in state.items() for path in paths}
    return {}


class BagPoints(BagTest):
    """What tests of these points have in common."""

    def engine(self, settings=None, data="data", **more):
        engine = super().engine(settings, data, **more)
        engine.programs = crash_programs(self.folder)
        self.known = set()
        return engine

    def die(self, engine, point, act):
        """Dies at the point while `act` is under way; runs again afterwards."""
        self.kill(engine)
        arm(engine, point)
        engine.start()
        act()
        await_death(self, engine, point)
        self.kill(engine)
        arm(engine, None)
        engine.start()

    def kill(self, engine):
        engine.kill()

    def batches(self, engine):
        return {row["uuid"] for row in engine.rows("batch", "list")}

    def one_batch(self, engine):
        """The one that has come, once it has been reported on. No other may
        have: the next death would be that of its work."""
        def has_come():
            return self.batches(engine) - self.known
        uuid, = wait_until(has_come, 90, pause=0.2)
        self.ended(engine, uuid)
        wait_until(lambda: engine.ask("batch", "show", uuid)["state"]
                   == "completed", 90, pause=0.2)
        self.assertEqual(self.batches(engine) - self.known, {uuid})
        self.known.add(uuid)
        return uuid

    def events(self, engine, bag, **of):
        """(type, file) of what was told of an object that may be gone. The
        engine lets nobody else into its inventory while it runs."""
        self.kill(engine)
        with closing(sqlite3.connect(engine.data / "inventory.db")) as db:
            rows = db.execute("SELECT type, file FROM premis_events "
                              "WHERE object = ?", [bag.identifier()]).fetchall()
        engine.start()
        return Counter(row for row in rows
                       if of.get("type", row[0]) == row[0])

    def check_nothing_is_left(self, engine):
        self.assertEqual(list((engine.data / "work").glob("bid-*")), [])
        self.assertEqual(list(self.receiving.iterdir()), [])
        for root in (engine.data / "objects", self.folder / "far"):
            unfinished = root / "extensions" / "depositd-unfinished"
            if unfinished.exists():
                self.assertEqual(list(unfinished.iterdir()), [])

    def check_bag(self, engine, bag):
        """Stored and recorded once; says what was told of it."""
        root = engine.data / "objects"
        found = bytes_of(root, bag.identifier())
        kept = {f"data/{path}": content
                for path, content in bag.payload.items()}
        tags = bag.tag_files()
        for path in ("bag-info.txt", "aptrust-info.txt"):
            kept[path] = tags[path]
        self.assertEqual(found, kept)
        self.assertEqual(stored_objects(root)[bag.identifier()]["version"],
                         "v1")
        shown = engine.ask("object", "show", bag.identifier())
        self.assertEqual(len(shown["versions"]), 1)
        jobs = engine.rows("job", "list", "--identifier", bag.identifier())
        self.assertEqual([job["state"] for job in jobs], ["completed"])
        self.check_nothing_is_left(engine)
        return self.events(engine, bag)

    def bag(self, number):
        """Their files have the same names."""
        return Bag(f"bag{number}", payload(number))


class Ingest(BagPoints):
    def test_a_bag_is_stored_and_told_once(self):
        engine = self.prepared()
        calm = self.bag(len(BAGS))
        self.store(engine, calm)
        self.one_batch(engine)
        told = self.check_bag(engine, calm)
        self.assertEqual(set(told.values()), {1})
        for number, point in enumerate(BAGS):
            with self.subTest(str(point)):
                bag = self.bag(number)
                self.die(engine, point, lambda bag=bag: self.send(bag))
                self.one_batch(engine)
                self.assertEqual(self.check_bag(engine, bag), told)
                print(f"{point}: {sum(told.values())} events", flush=True)
        self.assertEqual(len(stored_objects(engine.data / "objects")),
                         len(BAGS) + 1)

    def test_work_that_cannot_be_cut_is_left_as_after_a_crash(self):
        engine = self.prepared()
        engine.kill()
        held = Held(self.folder, engine, "bag_put")
        engine.settings["shutdown.drain_ms"] = 100
        engine.start()
        held.begin()
        bag = self.bag(0)
        self.send(bag)
        wait_until(lambda: bag.identifier()
                   in stored_objects(engine.data / "objects"), 90)
        self.assertEqual(engine.stop(), 3, engine.log())
        self.assertIn("work does not end", engine.log())
        held.end()
        engine.start()
        self.one_batch(engine)
        self.assertEqual(set(self.check_bag(engine, bag).values()), {1})


class UnderPowerCuts(BagPoints):
    """A kill is a power cut: what was not flushed is gone."""

    def begin(self, **options):
        (self.folder / "data").mkdir()
        self.power = PowerCut(SHIM, self.folder / "data", self.folder,
                              **options)
        engine = self.engine(self.settings(),
                             environment=self.power.environment)
        engine.start()
        engine.add_user(INSTITUTION, "secret-test")
        engine.ctl("collection", "add", INSTITUTION, "--owner", INSTITUTION,
                   "--pipeline", "aptrust")
        return engine

    def kill(self, engine):
        engine.kill()
        self.power.settle()

    def bag(self, number):
        """Of files that no other bag has."""
        return Bag(f"bag{number}", {
            f"{i % 7}/{i}.txt": f"{i} of {number}\n".encode() * (i + 1)
            for i in range(MANY)})


class PowerCuts(UnderPowerCuts):
    def test_a_bag_of_many_files_is_stored_once(self):
        engine = self.begin()
        points = [*BAGS, Point("file_unstaged", MANY - 10)]
        for number, point in enumerate(points):
            with self.subTest(str(point)):
                bag = self.bag(number)
                self.die(engine, point, lambda bag=bag: self.send(bag))
                self.one_batch(engine)
                told = self.check_bag(engine, bag)
                self.assertEqual(set(told.values()), {1})
                print(f"{point}: {sum(told.values())} events", flush=True)
        self.assertEqual(len(stored_objects(engine.data / "objects")),
                         len(points))

    def test_a_file_that_the_disk_did_not_take_is_staged_again(self):
        """Also if somebody else was told of it first. It dies in the next
        stage, so that only what is on the disk is left."""
        engine = self.begin(bad="staged.part")
        bag = self.bag(0)
        self.die(engine, Point("outcome_ready", 7), lambda: self.send(bag))
        self.one_batch(engine)
        self.assertEqual(set(self.check_bag(engine, bag).values()), {1})


class Bites(UnderPowerCuts):
    """An engine whose flushes do nothing must not pass."""

    def assert_noticed(self, part, point):
        engine = self.begin(deaf=part)
        bag = self.bag(0)
        self.die(engine, point, lambda: self.send(bag))
        with self.assertRaises(AssertionError) as noticed:
            self.one_batch(engine)
            self.check_bag(engine, bag)
        print(f"{part}: {str(noticed.exception)[:200]}", flush=True)

    def test_a_missing_flush_of_staged_files_is_noticed(self):
        self.assert_noticed("/staged", Point("outcome_ready", 6))

    def test_a_missing_flush_of_a_version_is_noticed(self):
        # At the end: the check of what is stored would put it right.
        self.assert_noticed("/content", Point("bag_taken_away"))


class Orders(BagPoints):
    def restore(self, engine, point, bag):
        self.die(engine, point, lambda: engine.ctl_result(
            "object", "restore", bag.identifier()))
        self.one_batch(engine)
        files = files_of(self.given_back(
            engine, f"{bag.name}.tar").read_bytes())
        for path, content in bag.payload.items():
            self.assertEqual(files[f"data/{path}"], content, path)
        self.assertEqual(self.events(engine, bag, type="dissemination"),
                         {("dissemination", ""): 1})

    def compare(self, engine, point, bag):
        file = "data/readme.txt"
        self.die(engine, point, lambda: engine.ctl_result(
            "fixity", "run", bag.identifier(), "--file", file, "--force"))
        self.one_batch(engine)
        # Of the ingest, and of this one.
        self.assertEqual(self.events(engine, bag, type="fixity check")
                         [("fixity check", file)], 2)

    def delete(self, engine, point, bag):
        target = urllib.parse.quote(bag.identifier())
        status, said = self.http(engine, "POST", f"/poster/delete/{target}")
        self.assertEqual(status, 202, said)
        reference = said["reference"]
        self.die(engine, point, lambda: self.as_operator(
            engine, "bob", "deletion", "approve", reference, "--yes"))
        self.one_batch(engine)
        self.assertEqual(bytes_of(engine.data / "objects", bag.identifier()),
                         {})
        gone = engine.ctl_result("object", "show", bag.identifier())
        self.assertEqual(gone.returncode, 1, gone.stdout)
        told = self.events(engine, bag, type="deletion")
        self.assertEqual(set(told.values()), {1})
        self.assertEqual(len(told), len(bag.payload) + 3)
        wait_until(lambda: engine.ask("deletion", "show", reference)["state"]
                   == "queued", 90, pause=0.2)
        request, = [row for row in engine.rows("deletion", "list")
                    if row["reference"] == reference]
        self.assertEqual(request["objects"], 1)

    def test_an_order_is_done_once(self):
        engine = self.prepared()
        engine.ctl("operator", "add", "bob", "--role", "operate", "--users",
                   INSTITUTION, "--password-stdin", text="secret-bob\n")
        for number, point in enumerate(BAG_ORDERS):
            with self.subTest(str(point)):
                bag = self.bag(number)
                self.store(engine, bag)
                self.one_batch(engine)
                getattr(self, point.doing)(engine, point, bag)
                self.check_nothing_is_left(engine)
                print(f"{point}: {point.doing}", flush=True)

    def test_what_cold_storage_gives_back_is_restored_once(self):
        engine = self.start({**self.settings(), "storage.far.path":
                             str(self.folder / "far"),
                             "storage.far.cold": "true"})
        engine.add_user(INSTITUTION, "secret-test")
        engine.ctl("collection", "add", INSTITUTION, "--owner", INSTITUTION,
                   "--pipeline", "aptrust", "--storage", "far")
        for number, point in enumerate(COLD):
            bag = self.bag(number)
            self.store(engine, bag)
            self.one_batch(engine)
            self.die(engine, point, lambda bag=bag: engine.ctl_result(
                "object", "restore", bag.identifier()))
            # It is brought back, and given back by an order that follows.
            found = wait_until(lambda: len(self.batches(engine) - self.known)
                               == 2 and self.batches(engine) - self.known,
                               90, pause=0.2)
            for uuid in found:
                self.ended(engine, uuid)
            self.assertEqual(self.batches(engine) - self.known, found)
            self.known |= found
            files = files_of(self.given_back(
                engine, f"{bag.name}.tar").read_bytes())
            self.assertEqual(files["data/readme.txt"],
                             bag.payload["readme.txt"])
            self.assertEqual(self.events(engine, bag, type="dissemination"),
                             {("dissemination", ""): 1})
            print(f"{point}: {point.doing}", flush=True)


del BagTest, BagPoints, UnderPowerCuts

if __name__ == "__main__":
    harness.main()
