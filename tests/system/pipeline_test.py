"""Batches and jobs through the real program: mended sources, held collections,
and engines killed at any stage."""

import random
import time

import harness
import poster_door
from harness import SystemTest, wait_until
from mail_sink import MailSink
from merritt_samples import (Source, damaged, manifest, object_manifest, row,
                             text)
from stored_objects import stored_objects

PASSWORD = "secret-lea"
KILLS = 8
JOBS_KILLED = 60


class PipelineFixture(SystemTest):
    """An engine with Merritt's pipeline, files to fetch, and a mail server."""

    def setUp(self):
        super().setUp()
        self.source = self.serve(Source())
        self.mails = self.serve(MailSink())

    def serve(self, server):
        server.serve()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def settings(self):
        return {"fetch.allow": self.source.address,
                "mail.smtp": self.mails.address,
                "mail.from": "depositd@example.org"}

    def prepared(self):
        engine = self.start(self.settings())
        engine.add_user("lea", PASSWORD)
        engine.ctl("collection", "add", "books", "--owner", "lea",
                   "--notify", "lea@example.org")
        return engine

    def submit(self, engine, name, kind, content, user="lea",
               password=PASSWORD, **fields):
        return poster_door.submit(
            engine.address("http"), user, password,
            {"profile": "books", "type": kind, **fields}, name, content)

    def batch(self, engine, uuid):
        return engine.ask("batch", "show", uuid)

    def ended(self, engine, uuid, state="completed", timeout=90):
        def has_ended():
            found = self.batch(engine, uuid)
            return found if found["state"] == state else None
        return wait_until(has_ended, timeout, pause=0.2)

    def jobs(self, engine, uuid):
        return engine.rows("job", "list", "--batch",
                           str(self.batch(engine, uuid)["id"]))

    def reports(self, uuid):
        return [mail for mail in self.mails.mails
                if uuid in str(mail["Subject"])
                and "Processed" in str(mail["Subject"])]

    def batch_of(self, manifests):
        """A batch manifest of {name: object manifest}."""
        return manifest("mrt-batch-manifest", [
            row(self.source.add(name, content), content, name, "", "",
                f"local-{name}") for name, content in manifests.items()])


class Pipeline(PipelineFixture):
    def test_a_wrong_digest_is_mended_requeued_and_told(self):
        engine = self.prepared()
        engine.ctl("pipeline", "set", "merritt.download", "--attempts-max", "1")
        files = {"one.txt": text("one", 5), "two.txt": text("two", 9)}
        whole = self.batch_of({
            "a.checkm": object_manifest(self.source, "a", files),
            "b.checkm": damaged(self.source, "b", files),
            "c.checkm": object_manifest(self.source, "c", files)})
        uuid = self.submit(engine, "all.checkm", "batch-manifest", whole)
        found = self.ended(engine, uuid, "failed")
        self.assertEqual(found["jobs"]["completed"], 2)
        bad, = [x for x in self.jobs(engine, uuid) if x["state"] == "failed"]
        self.assertIn("two.txt", bad["note"])
        self.assertIn("sha-256", bad["note"])
        self.assertEqual(bad["last_successful_status"], "provisioning")
        self.assertTrue(bad["needs_review"])
        self.assertEqual(len(stored_objects(engine.data / "objects")), 2)
        first, = wait_until(lambda: self.reports(uuid))
        self.assertIn("FAIL", str(first["Subject"]))

        self.source.add("b/two.txt", files["two.txt"])
        engine.ctl("job", "requeue", str(bad["id"]))
        wait_until(lambda: self.batch(engine, uuid)["jobs"]["completed"] == 3)
        again = engine.ctl_result("job", "requeue", str(bad["id"]))
        self.assertEqual(again.returncode, 1)
        self.assertIn("completed", again.stderr)
        engine.ctl("batch", "update-report", uuid)
        self.ended(engine, uuid)
        self.assertEqual(len(stored_objects(engine.data / "objects")), 3)
        _, update = wait_until(
            lambda: len(self.reports(uuid)) == 2 and self.reports(uuid))
        self.assertIn("OK", str(update["Subject"]))

    def test_what_was_submitted_wrongly_is_to_be_submitted_again(self):
        engine = self.prepared()
        whole = manifest("mrt-ingest-manifest", []).replace(b"#%eof", b"")
        uuid = self.submit(engine, "cut.checkm", "object-manifest", whole)
        self.ended(engine, uuid, "failed")
        job, = self.jobs(engine, uuid)
        refused = engine.ctl_result("job", "requeue", str(job["id"]))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("submit again", refused.stderr)
        self.assertIn("#%eof", refused.stderr)

    def test_a_held_collection_waits_and_others_go_on(self):
        engine = self.prepared()
        engine.ctl("collection", "add", "maps", "--owner", "lea")
        engine.ctl("collection", "hold", "books")
        held = self.submit(engine, "a.txt", "file", b"a\n")
        free = self.submit(engine, "b.txt", "file", b"b\n", profile="maps")
        self.ended(engine, free)
        job, = wait_until(lambda: self.jobs(engine, held))
        self.assertEqual(job["state"], "held")
        engine.ctl("collection", "release", "books")
        self.assertEqual(self.jobs(engine, held)[0]["state"], "held")
        engine.ctl("collection", "release", "books", "--jobs", "--yes")
        self.ended(engine, held)

    def test_strangers_are_refused_at_the_door(self):
        engine = self.prepared()
        engine.add_user("max", "secret-max")
        with self.assertRaisesRegex(poster_door.Refused, "answered 403"):
            self.submit(engine, "a.txt", "file", b"a\n", "max", "secret-max")
        with self.assertRaisesRegex(poster_door.Refused, "answered 401"):
            self.submit(engine, "a.txt", "file", b"a\n", password="wrong")
        self.assertEqual(engine.rows("batch", "list"), [])

    def test_paused_it_takes_batches_and_runs_nothing(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "merritt")
        uuid = self.submit(engine, "a.txt", "file", b"a\n")
        found = self.batch(engine, uuid)
        self.assertEqual((found["state"], found["jobs"]["total"]),
                         ("pending", 0))
        engine.ctl("pipeline", "unpause", "merritt")
        self.ended(engine, uuid)

    def test_engines_killed_at_any_stage_do_nothing_twice(self):
        chance = random.Random(7)
        engine = self.prepared()
        files = {"one.txt": text("one", 400), "two.txt": text("two", 40)}
        manifests = {f"{i}.checkm": object_manifest(self.source, str(i), files)
                     for i in range(JOBS_KILLED)}
        uuid = self.submit(engine, "all.checkm", "batch-manifest",
                           self.batch_of(manifests))
        for _ in range(KILLS):
            # At a moment of its own in each round; what is looked at below is
            # the same whenever it was.
            deadline = time.monotonic() + chance.uniform(0.05, 0.8)
            while time.monotonic() < deadline:
                engine.ask("batch", "show", uuid)
            engine.kill()
            engine.start()
        found = self.ended(engine, uuid, timeout=150)
        self.assertEqual(found["jobs"]["completed"], JOBS_KILLED)
        jobs = self.jobs(engine, uuid)
        self.assertEqual(len({job["identifier"] for job in jobs}), JOBS_KILLED)
        stored = stored_objects(engine.data / "objects")
        self.assertEqual(set(stored), {job["identifier"] for job in jobs})
        self.assertEqual({x["version"] for x in stored.values()}, {"v1"})
        mails = {str(mail["Message-ID"]) for mail in self.reports(uuid)}
        self.assertEqual(len(mails), 1)
        self.assertLessEqual(len(self.reports(uuid)), 2)


if __name__ == "__main__":
    harness.main()
