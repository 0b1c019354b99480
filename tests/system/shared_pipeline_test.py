"""Batches and jobs in three engines that share their users: whichever of them
dies in the middle, every job is completed once."""

import json

import harness
import poster_door
from engine import EngineFailed
from harness import BROKEN, wait_until
from mail_sink import MailSink
from merritt_samples import (Source, damaged, manifest, object_manifest, row,
                             text)
from shared_engines import SharedEngines
from stored_objects import stored_objects

USERS = ["lea", "max", "ida"]
OBJECTS = 25
NAMES = ["a", "b", "c"]


class SharedPipeline(SharedEngines):
    def setUp(self):
        super().setUp()
        self.source = self.serve(Source())
        self.mails = self.serve(MailSink())
        self.engines = {name: self.of_three(name).start() for name in NAMES}
        wait_until(lambda: self.settled(NAMES))
        for user in USERS:
            self.engines["a"].add_user(user, f"secret-{user}")
            self.engines["b"].ctl("collection", "add", f"books-{user}",
                                  "--owner", user, "--notify",
                                  f"{user}@example.org")

    def serve(self, server):
        server.serve()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def of_three(self, name):
        return self.sharing(name, {
            "fetch.allow": self.source.address,
            "mail.smtp": self.mails.address,
            "mail.from": "depositd@example.org",
            "work.folder": str(self.folder / "work"),
            "storage.local.path": str(self.folder / "objects")})

    def submit(self, engine, user, content):
        def taken():
            try:
                return poster_door.submit(
                    engine.address("http"), user, f"secret-{user}",
                    {"profile": f"books-{user}", "type": "batch-manifest"},
                    "all.checkm", content)
            except (poster_door.Refused, *BROKEN):
                return None  # its shard has no engine at the moment
        return wait_until(taken, pause=0.2)

    def objects_of(self, user):
        files = {"one.txt": text(user, 300), "two.txt": text(user, 30)}
        rows = []
        for i in range(OBJECTS):
            name = f"{user}-{i}"
            content = object_manifest(self.source, name, files)
            rows.append(row(self.source.add(f"{name}.checkm", content),
                            content, f"{name}.checkm", "", "", name))
        return manifest("mrt-batch-manifest", rows)

    def found(self, engine, uuid):
        done = engine.ctl_result("batch", "show", uuid, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def ended(self, engine, uuid, state):
        def has_ended():
            found = self.found(engine, uuid)
            return found if found and found["state"] == state else None
        return wait_until(has_ended, 150, pause=0.3)

    def jobs(self, engine, uuid):
        return engine.rows("job", "list", "--batch",
                           str(engine.ask("batch", "show", uuid)["id"]))

    def reports(self, uuid):
        return [mail for mail in self.mails.mails
                if uuid in str(mail["Subject"])
                and "Processed" in str(mail["Subject"])]

    def completed(self, engine, uuid):
        found = self.found(engine, uuid)
        return found["jobs"]["completed"] if found else 0

    # -----------------------------------------------------------------------

    def test_storage_whose_disk_is_not_mounted_is_not_begun_anew(self):
        engine = self.engines["a"]
        engine.kill()
        objects = self.folder / "objects"
        disk = objects.with_name("not-mounted")
        objects.rename(disk)
        objects.mkdir()
        with self.assertRaisesRegex(EngineFailed, "is its disk mounted"):
            engine.start()
        # Nor by one that has no data folder yet.
        with self.assertRaisesRegex(EngineFailed, "is its disk mounted"):
            self.of_three("d").start()
        self.assertEqual(list(objects.iterdir()), [])
        objects.rmdir()
        disk.rename(objects)
        engine.start()

    def test_each_engine_dies_in_the_middle_and_nothing_is_done_twice(self):
        batches = {user: self.submit(self.engines[name], user,
                                     self.objects_of(user))
                   for name, user in zip(NAMES, USERS)}
        for round_, name in enumerate(NAMES):
            other = self.engines[NAMES[round_ - 1]]
            least = (round_ + 1) * OBJECTS // 5
            wait_until(lambda: any(self.completed(other, uuid) >= least
                                   for uuid in batches.values()), 120)
            self.engines[name].kill()
            wait_until(lambda: name not in self.owners(), 60)
            self.engines[name].start()
            wait_until(lambda: self.settled(NAMES))
        identifiers = set()
        for user, uuid in batches.items():
            found = self.ended(self.engines["b"], uuid, "completed")
            self.assertEqual(found["jobs"]["completed"], OBJECTS)
            jobs = self.jobs(self.engines["c"], uuid)
            identifiers |= {job["identifier"] for job in jobs}
            mails = self.reports(uuid)
            self.assertEqual(len({str(x["Message-ID"]) for x in mails}), 1)
        self.assertEqual(len(identifiers), len(USERS) * OBJECTS)
        stored = stored_objects(self.folder / "objects")
        self.assertEqual(set(stored), identifiers)
        self.assertEqual({x["version"] for x in stored.values()}, {"v1"})

    def test_any_engine_mends_holds_and_releases(self):
        a, b, c = self.engines.values()
        files = {"one.txt": text("one", 5), "two.txt": text("two", 9)}
        good = object_manifest(self.source, "good", files)
        bad = damaged(self.source, "bad", files)
        rows = [row(self.source.add(f"{name}.checkm", content), content,
                    f"{name}.checkm", "", "", name)
                for name, content in (("good", good), ("bad", bad))]
        a.ctl("pipeline", "set", "merritt.download", "--attempts-max", "1")
        b.ctl("collection", "hold", "books-lea")
        uuid = self.submit(c, "lea", manifest("mrt-batch-manifest", rows))
        wait_until(lambda: len(self.jobs(a, uuid)) == 2
                   and {x["state"] for x in self.jobs(a, uuid)} == {"held"})
        a.ctl("collection", "release", "books-lea", "--jobs", "--yes")
        self.ended(b, uuid, "failed")
        failed, = [x for x in self.jobs(c, uuid) if x["state"] == "failed"]
        self.assertIn("two.txt", failed["note"])
        self.source.add("bad/two.txt", files["two.txt"])
        b.ctl("job", "requeue", str(failed["id"]))
        wait_until(lambda: self.completed(c, uuid) == 2)
        c.ctl("batch", "update-report", uuid)
        self.ended(a, uuid, "completed")
        wait_until(lambda: len(self.reports(uuid)) == 2)


if __name__ == "__main__":
    harness.main()
