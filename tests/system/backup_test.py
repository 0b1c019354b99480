"""A backup made while batches are worked on, and an engine started on it: what
it knows, what is stored, and which identifiers were given agree."""

import json
import sqlite3
import threading

import harness
from harness import wait_until
from merritt_samples import object_manifest, text
from pipelines import PipelineTest
from stored_objects import stored_objects

BATCHES_BEFORE = 6
COPIES = 3


class Backup(PipelineTest):
    def catalogue(self, engine):
        """{identifier: number of versions}."""
        return {x["identifier"]: x["versions"]
                for x in engine.rows("object", "list")}

    def stored(self, engine):
        """{identifier: number of versions}, of what is in the folder."""
        return {identifier: int(x["version"][1:]) for identifier, x in
                stored_objects(engine.data / "objects").items()}

    def minted(self, data):
        """Identifiers that were given, once each."""
        file = sqlite3.connect(data / "minter" / "minter.db")
        try:
            return [row[0] for row in
                    file.execute("SELECT identifier FROM minted")]
        finally:
            file.close()

    def settle(self, engine):
        """Every batch to its end; what has lost its files begins again."""
        def ended():
            for job in engine.rows("job", "list", "--state", "failed"):
                engine.ctl("job", "requeue", str(job["id"]), "--to", "pending")
            jobs = engine.rows("job", "list")
            return all(x["state"] == "completed" for x in jobs) and jobs
        return wait_until(ended, timeout=120, pause=0.2)

    def assert_agree(self, engine):
        stored = self.stored(engine)
        self.assertEqual(stored, self.catalogue(engine))
        jobs = engine.rows("job", "list")
        self.assertEqual(
            sorted(stored), sorted(x["identifier"] for x in jobs))
        self.assertTrue(all(count == 1 for count in stored.values()), stored)

    def submit_one(self, engine, name):
        return self.submit(engine, f"{name}.txt", "file",
                           f"{name}\n".encode(), localIdentifier=name)

    def test_all_that_is_durable_agrees_in_a_copy_made_under_load(self):
        engine = self.prepared()
        for n in range(BATCHES_BEFORE):
            self.ended(engine, self.submit_one(engine, f"before-{n}"))
        stop = threading.Event()

        def submit_more():
            n = 0
            while not stop.is_set():
                self.submit_one(engine, f"more-{n}")
                n += 1
        thread = threading.Thread(target=submit_more)
        thread.start()
        try:
            for n in range(COPIES):
                engine.ctl("backup", str(self.folder / f"copy-{n}"))
        finally:
            stop.set()
            thread.join()
        engine.stop()
        for n in range(COPIES):
            self.go_on(f"copy-{n}")

    def go_on(self, data):
        copy = self.start(self.settings(), data=data)
        batches = copy.rows("batch", "list")
        self.assertGreaterEqual(len(batches), BATCHES_BEFORE)
        # Nothing is stored of which the engine does not know. It goes on
        # meanwhile, so what is known is read last.
        stored = {x for x, count in self.catalogue(copy).items() if count}
        known = {x["identifier"] for x in copy.rows("job", "list")}
        self.assertLessEqual(stored, known)
        self.settle(copy)
        self.assert_agree(copy)
        new = self.submit_one(copy, "new")
        self.ended(copy, new)
        job, = self.jobs(copy, new)
        self.assert_agree(copy)
        copy.stop()
        given = self.minted(copy.data)
        self.assertEqual(len(given), len(set(given)))
        self.assertEqual(given.count(job["identifier"]), 1)

    def test_a_job_without_its_working_files_says_so_and_begins_again(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "merritt.process")
        rows = object_manifest(self.source, "a", {"one.txt": text("one", 5)})
        uuid = self.submit(engine, "a.checkm", "object-manifest", rows)
        file = self.submit_one(engine, "b")
        wait_until(lambda: len([
            x for x in engine.rows("job", "list")
            if x["state"] == "processing"]) == 2)
        engine.ctl("backup", str(self.folder / "copy"))
        self.assertFalse((self.folder / "copy" / "work").exists())
        engine.kill()
        copy = self.start(self.settings(), data="copy")
        copy.ctl("pipeline", "unpause", "merritt.process")
        for batch in (uuid, file):
            self.ended(copy, batch, "failed")
            job, = self.jobs(copy, batch)
            self.assertIn("requeue to pending", job["note"])
            copy.ctl("job", "requeue", str(job["id"]), "--to", "pending")
            wait_until(lambda: self.batch(copy, batch)["jobs"]["completed"])
        self.assert_agree(copy)

    def test_objects_that_are_kept_elsewhere_stay_there(self):
        elsewhere = {"storage.local.path": str(self.folder / "vault")}
        engine = self.prepared(elsewhere)
        self.ended(engine, self.submit_one(engine, "a"))
        engine.ctl("backup", str(self.folder / "copy"))
        self.assertIn("backup_done", engine.log())
        self.assertFalse((self.folder / "copy" / "objects").exists())
        engine.stop()
        copy = self.start({**self.settings(), **elsewhere}, data="copy")
        identifier, = self.catalogue(copy)
        files = copy.rows("object", "files", identifier)
        self.assertIn("producer/a.txt", [x["path"] for x in files])

    def test_the_folder_has_what_the_documents_say(self):
        engine = self.prepared()
        self.ended(engine, self.submit_one(engine, "a"))
        folder = self.folder / "copy"
        engine.ctl("backup", str(folder))
        for name in ("journal", "blobs", "objects", "projection.db",
                     "registry.db", "inventory.db", "minter/minter.db",
                     "store.facts"):
            self.assertEqual((folder / name).exists(),
                             (engine.data / name).exists(), name)
        self.assertTrue((folder / "inventory.db").exists())
        # A copy is another store, with a working folder of its own.
        self.assertFalse((folder / "work.id").exists())
        for path in folder.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        refused = engine.ctl_result("backup", str(folder))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not empty", refused.stderr)
        self.assertIn("backup_done", engine.log())
        self.assertTrue(json.loads(
            (folder / "objects" / "ocfl_layout.json").read_text()))
        self.assertEqual(self.stored(engine),
                         {x: int(y["version"][1:]) for x, y in
                          stored_objects(folder / "objects").items()})


if __name__ == "__main__":
    harness.main()
