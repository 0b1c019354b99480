"""depositd check: what it says of folders that are whole, damaged, in use, of
an early version, and of none."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import harness
from copies import unpack
from engine import EngineFailed
from harness import PROGRAMS, SystemTest, a_deposit, wait_until
from queue_door import QueueDoor

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def contents(folder):
    """{name: digest} of all files below."""
    return {str(path.relative_to(folder)):
            hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Check(SystemTest):
    def check(self, folder, *more):
        return subprocess.run(
            [str(PROGRAMS / "depositd"), "check", str(folder), *more],
            capture_output=True, text=True, timeout=120)

    def golden(self, name="data"):
        return unpack(self.folder / name, GOLDEN / "embedded.tar.xz")

    def faults(self, folder, *more):
        said = self.check(folder, *more)
        self.assertEqual(said.returncode, 1, said)
        return [x for x in said.stdout.splitlines() if x.startswith("fault:")]

    def test_an_early_folder_is_sound_and_stays_as_it_is(self):
        folder = self.golden()
        before = contents(folder)
        said = self.check(folder)
        self.assertEqual(said.returncode, 0, said)
        self.assertEqual(said.stdout.splitlines()[-1], "sound")
        self.assertEqual(contents(folder), before)

    def test_each_damage_is_named(self):
        folder = self.golden()
        blob = next(x for x in (folder / "blobs").rglob("*") if x.is_file())
        blob.unlink()
        (folder / "registry.db").unlink()
        (folder / "registry.db-wal").unlink()
        found = self.faults(folder)
        self.assertTrue(any(blob.name in x for x in found), found)
        self.assertTrue(any("registry.db" in x for x in found), found)
        found = self.faults(folder, "--blobs-elsewhere")
        self.assertFalse(any(blob.name in x for x in found), found)

    def test_a_turned_byte_is_found(self):
        folder = self.golden()
        segment = folder / "journal" / "journal-000000000001.segment"
        with open(segment, "r+b") as file:
            file.seek(4096 + 200)
            byte = file.read(1)
            file.seek(4096 + 200)
            file.write(bytes([byte[0] ^ 1]))
        found = self.faults(folder)
        self.assertTrue(any(segment.name in x for x in found), found)

    def test_tables_ahead_of_the_journal_are_a_fault(self):
        engine = self.start()
        self.depositor(engine, "ann").deposit("a.xml", a_deposit("a"))
        engine.stop()
        self.assertEqual(self.check(engine.data).returncode, 0)
        shutil.rmtree(engine.data / "journal")
        empty = self.start(data="empty")
        empty.stop()
        shutil.copytree(empty.data / "journal", engine.data / "journal")
        self.assertTrue(any("has reached event" in x
                            for x in self.faults(engine.data)))

    def test_tables_that_are_gone_are_missed_behind_a_gap(self):
        engine = self.start({"store.segment_mb": 1})
        key = engine.ask("key", "add", "loader", "--role",
                         "queue_admin")["key"]
        kept, orders = (QueueDoor(engine.address("http"), name, key)
                        for name in ("kept", "orders"))
        for queue in (kept, orders):
            self.addCleanup(queue.close)
        kept.send(["waits in the first segment"])
        # So much that is kept that nothing is written again.
        for queue in (orders, kept):
            for _ in range(10):
                queue.send(["x" * 30000] * 10)
        engine.ctl("queue", "purge", "orders", "--yes")

        def has_gap():
            segments = (engine.data / "journal").glob("journal-*.segment")
            numbers = sorted(int(x.stem.split("-")[1]) for x in segments)
            return numbers[0] == 1 and len(numbers) < numbers[-1]
        wait_until(has_gap)
        engine.stop()
        self.assertEqual(self.check(engine.data).returncode, 0)
        for file in engine.data.glob("projection.db*"):
            file.unlink()
        found = self.faults(engine.data)
        self.assertTrue(any("projection.db" in x and "lacks events" in x
                            for x in found), found)
        with self.assertRaises(EngineFailed):
            engine.start()

    def test_an_inventory_is_missed_where_there_are_objects(self):
        engine = self.start()
        engine.stop()
        (engine.data / "inventory.db").unlink()
        self.assertEqual(self.check(engine.data).returncode, 0)
        (engine.data / "objects" / "266").mkdir()
        self.assertTrue(any("inventory.db" in x
                            for x in self.faults(engine.data)))

    def test_no_engine_begins_tables_anew_that_were_lost(self):
        for shards in (1, 2):
            with self.subTest(shards=shards):
                self.refuses_lost_tables(f"data-{shards}",
                                         {"shards.count": shards})

    def refuses_lost_tables(self, name, settings):
        engine = self.start(settings, data=name)
        self.depositor(engine, "ann").deposit("a.xml", a_deposit("a"))
        engine.stop()
        (engine.data / "objects" / "266").mkdir()
        empty = self.start(data=f"{name}-empty")
        empty.stop()
        for table in ("registry.db", "inventory.db"):
            for file in engine.data.glob(f"{table}*"):
                file.unlink()
            with self.assertRaises(EngineFailed) as refused:
                engine.start()
            self.assertIn(f"{table} is missing", str(refused.exception))
            self.assertFalse((engine.data / table).exists())
            # As it says.
            for file in empty.data.glob(f"{table}*"):
                shutil.copy(file, engine.data)
            engine.start()
            engine.stop()

    def test_no_engine_begins_a_journal_anew_that_was_lost(self):
        for shards in (1, 2):
            with self.subTest(shards=shards):
                engine = self.worked(f"lost-{shards}", shards)
                folder = self.shard_folders(engine, shards)[-1]
                self.refuses_without(engine, folder / "journal",
                                     "holds no journal")
                if shards > 1:
                    self.refuses_without(engine, folder, "holds no journal")
                engine.start()
                engine.stop()

    def test_no_engine_goes_on_with_a_journal_that_was_put_back_alone(self):
        for shards in (1, 2):
            with self.subTest(shards=shards):
                engine = self.worked(f"older-{shards}", shards)
                older = self.folder / f"older-{shards}-journal"
                # Settings and numbers of users are in the first one's.
                folder = self.shard_folders(engine, shards)[0]
                shutil.copytree(folder / "journal", older)
                engine.start()
                engine.add_user("bob", "secret")
                engine.stop()
                shutil.rmtree(folder / "journal")
                shutil.copytree(older, folder / "journal")
                with self.assertRaises(EngineFailed) as refused:
                    engine.start()
                self.assertIn("its tables have reached event",
                              str(refused.exception))
                self.assertTrue(any("but the journal ends at" in x
                                    for x in self.faults(engine.data)))

    def worked(self, name, shards):
        engine = self.start({"shards.count": shards}, data=name)
        self.depositor(engine, "ann").deposit("a.xml", a_deposit("a"))
        engine.stop()
        return engine

    @staticmethod
    def shard_folders(engine, shards):
        return ([engine.data] if shards == 1 else
                [engine.data / "shards" / str(i) for i in range(shards)])

    def refuses_without(self, engine, folder, words):
        aside = self.folder / "aside"
        folder.rename(aside)
        for disk in ("gone", "not mounted"):
            with self.subTest(disk=disk):
                if disk != "gone":
                    folder.mkdir()
                with self.assertRaises(EngineFailed) as refused:
                    engine.start()
                self.assertIn(words, str(refused.exception))
        if folder.exists():
            folder.rmdir()  # as empty as it was
        aside.rename(folder)

    def test_a_folder_in_use_or_of_something_else_is_not_judged(self):
        engine = self.start()
        backup = self.folder / "backup"
        engine.ctl("backup", str(backup))
        said = self.check(engine.data)
        self.assertEqual(said.returncode, 2, said)
        self.assertIn("in use", said.stderr)
        self.assertEqual(self.check(backup).returncode, 0)
        for folder in (self.folder / "absent", self.folder):
            said = self.check(folder)
            self.assertEqual(said.returncode, 2, said)
            self.assertEqual(said.stdout, "")


if __name__ == "__main__":
    harness.main()
