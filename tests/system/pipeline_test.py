"""Batches and jobs through the real program: mended sources, held collections,
and engines killed at any stage."""

import random
import shutil
import subprocess
import time
from pathlib import Path

import harness
import poster_door
from harness import wait_until
from merritt_samples import damaged, manifest, object_manifest, text
from notify_test import Receiver
from pipelines import PipelineTest
from stored_objects import stored_objects

SHIPPED = Path(__file__).resolve().parents[2] / "config" / "pipelines"
KILLS = 8
JOBS_KILLED = 60


class Pipeline(PipelineTest):
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

    def test_a_requeued_job_waits_for_the_worker_that_still_has_it(self):
        runs, go = self.folder / "runs", self.folder / "go"
        pipelines = self.folder / "pipelines"
        shutil.copytree(SHIPPED, pipelines)
        (pipelines / "p.yaml").write_text(
            "order: [look, hang]\nstages:\n  look:\n    handler: noop\n"
            "  hang:\n    handler: exec\n    not_yet_delay_ms: 100\n"
            f"    command: [/bin/sh, -c, 'echo begin >> {runs}; until test -e "
            f"{go}; do sleep 0.1; done; echo end >> {runs}']\n")
        engine = self.prepared({"pipelines.folder": str(pipelines)})
        engine.ctl("collection", "set", "books", "--pipeline", "p")
        uuid = self.submit(engine, "a.txt", "file", b"a\n")
        wait_until(lambda: runs.exists() and runs.read_text() == "begin\n")
        number = str(self.jobs(engine, uuid)[0]["id"])
        engine.ctl("job", "fail", number)
        engine.ctl("job", "requeue", number)
        wait_until(lambda: self.jobs(engine, uuid)[0]["note"]
                   == "an earlier try has not ended")
        self.assertEqual(runs.read_text(), "begin\n")
        go.touch()
        wait_until(lambda: self.jobs(engine, uuid)[0]["state"] == "completed")
        self.assertEqual(runs.read_text().split(), ["begin", "end"] * 2)

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

    def test_H02_H03_H06_a_held_collection_waits_and_others_go_on(self):
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

    def test_H01_H13_paused_it_takes_batches_and_runs_nothing(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "merritt")
        uuid = self.submit(engine, "a.txt", "file", b"a\n")
        found = self.batch(engine, uuid)
        self.assertEqual((found["state"], found["jobs"]["total"]),
                         ("pending", 0))
        engine.ctl("pipeline", "unpause", "merritt")
        self.ended(engine, uuid)

    def test_jobs_wait_for_a_working_folder_whose_disk_is_away(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "merritt.process")
        files = {"one.txt": text("one", 5)}
        uuid = self.submit(engine, "a.checkm", "object-manifest",
                           object_manifest(self.source, "a", files))
        wait_until(lambda: [x for x in self.jobs(engine, uuid)
                            if x["state"] == "processing"])
        work = engine.data / "work"
        disk = work.with_name("not-mounted")
        work.rename(disk)
        work.mkdir()
        engine.ctl("pipeline", "unpause", "merritt.process")
        wait_until(lambda: "is its disk mounted"
                   in self.jobs(engine, uuid)[0]["note"])
        self.assertEqual(self.jobs(engine, uuid)[0]["state"], "processing")
        self.assertEqual(list(work.iterdir()), [])
        work.rmdir()
        disk.rename(work)
        self.ended(engine, uuid)
        for said in ("work_folder_away", "work_folder_back"):
            self.assertEqual(engine.log().count(said), 1)

    def test_jobs_wait_for_storage_whose_disk_is_away(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "merritt.store")
        engine.ctl("pipeline", "set", "merritt.store", "--attempts-max", "1")
        uuid = self.submit(engine, "a.txt", "file", b"a map\n")
        wait_until(lambda: [x for x in self.jobs(engine, uuid)
                            if x["state"] == "storing"])
        objects = engine.data / "objects"
        disk = objects.with_name("not-mounted")
        objects.rename(disk)
        objects.mkdir()
        engine.ctl("pipeline", "unpause", "merritt.store")
        wait_until(lambda: "is its disk mounted"
                   in self.jobs(engine, uuid)[0]["note"])
        self.assertEqual(self.jobs(engine, uuid)[0]["state"], "storing")
        self.assertEqual(list(objects.iterdir()), [])
        objects.rmdir()
        disk.rename(objects)
        self.ended(engine, uuid)
        for said in ("service_away service=storage.local",
                     "service_back service=storage.local"):
            self.assertEqual(engine.log().count(said), 1)

    def test_jobs_wait_for_storage_whose_disk_is_full(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs",
                           str(disk)], capture_output=True).returncode != 0:
            self.skipTest("may not mount a small file system here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)])
        pipelines = self.folder / "pipelines"
        shutil.copytree(SHIPPED, pipelines)
        shipped = (pipelines / "merritt.yaml").read_text()
        (pipelines / "merritt.yaml").write_text(shipped.replace(
            "not_yet_delay_ms: 30000", "not_yet_delay_ms: 300"))
        engine = self.prepared({"pipelines.folder": str(pipelines),
                                "storage.local.path": str(disk / "objects")})
        engine.ctl("pipeline", "set", "merritt.store", "--attempts-max", "1")
        filler = disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            with self.assertRaises(OSError):
                while True:
                    file.write(bytes(4096))
        uuid = self.submit(engine, "a.txt", "file", b"a map\n")
        wait_until(lambda: [x for x in self.jobs(engine, uuid)
                            if "has no room" in x["note"]])
        filler.unlink()
        self.ended(engine, uuid)
        for said in ("no_room disk=storage.local",
                     "room_again disk=storage.local"):
            self.assertEqual(engine.log().count(said), 1)

    def test_programs_wait_for_a_working_folder_whose_disk_is_away(self):
        pipelines = self.folder / "pipelines"
        shutil.copytree(SHIPPED, pipelines)
        (pipelines / "p.yaml").write_text(
            "order: [pending, look]\nstages:\n"
            "  pending: {handler: merritt.stage}\n"
            "  look:\n    handler: exec\n    not_yet_delay_ms: 100\n"
            "    command: [/bin/sh, -c, 'grep -q map */*/producer/a.txt']\n")
        engine = self.prepared({"pipelines.folder": str(pipelines)})
        engine.ctl("collection", "set", "books", "--pipeline", "p")
        engine.ctl("pipeline", "pause", "p.look")
        uuid = self.submit(engine, "a.txt", "file", b"a map\n")
        wait_until(lambda: [x for x in self.jobs(engine, uuid)
                            if x["last_successful_status"]])
        work = engine.data / "work"
        disk = work.with_name("not-mounted")
        work.rename(disk)
        engine.ctl("pipeline", "unpause", "p.look")
        for _ in range(2):
            # No folder at all, then where the disk would be mounted.
            wait_until(lambda: "is its disk mounted"
                       in self.jobs(engine, uuid)[0]["note"])
            work.mkdir(exist_ok=True)
        self.assertNotEqual(self.jobs(engine, uuid)[0]["state"], "failed")
        work.rmdir()
        disk.rename(work)
        self.ended(engine, uuid)

    def test_programs_wait_for_a_disk_that_is_away_from_the_start(self):
        pipelines = self.folder / "pipelines"
        shutil.copytree(SHIPPED, pipelines)
        (pipelines / "p.yaml").write_text(
            "order: [look]\nstages:\n"
            "  look:\n    handler: exec\n    not_yet_delay_ms: 100\n"
            "    command: [/bin/sh, -c, 'test -f on-the-disk']\n")
        work = self.folder / "work"
        engine = self.prepared({"pipelines.folder": str(pipelines),
                                "work.folder": str(work)})
        engine.ctl("collection", "set", "books", "--pipeline", "p")
        engine.ctl("pipeline", "pause", "p.look")
        uuid = self.submit(engine, "a.txt", "file", b"a map\n")
        wait_until(lambda: self.jobs(engine, uuid))
        engine.stop()
        (work / "on-the-disk").touch()
        disk = self.folder / "not-mounted"
        work.rename(disk)
        work.mkdir()
        # As if it had been on a disk of its own.
        note = engine.data / "mounts" / "work"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"{work}\n99\n")
        engine.start()
        self.assertIn("work_folder_not_shared", engine.log())
        engine.ctl("pipeline", "unpause", "p.look")
        wait_until(lambda: "is its disk mounted"
                   in self.jobs(engine, uuid)[0]["note"])
        self.assertNotEqual(self.jobs(engine, uuid)[0]["state"], "failed")
        work.rmdir()
        disk.rename(work)
        self.ended(engine, uuid)

    def test_what_is_stored_is_found_and_reported(self):
        engine = self.prepared()
        uuid = self.submit(engine, "ghent.txt", "file", b"a map\n",
                           title="A Map of Ghent")
        self.ended(engine, uuid)
        job, = self.jobs(engine, uuid)
        identifier = job["identifier"]
        for what in (identifier, "map of ghent", "ghent.txt"):
            found, = engine.ask("object", "find", what)["objects"]
            self.assertEqual(found["identifier"], identifier)
        self.assertEqual(engine.ask("object", "find", "bruges")["objects"], [])
        found, = engine.rows("object", "list", "--collection", "books")
        self.assertEqual((found["owner"], found["versions"]), ("lea", 1))
        history = engine.ask("object", "history", identifier)
        self.assertEqual([x["batch"] for x in history["versions"]], [uuid])
        self.assertEqual([x["id"] for x in history["jobs"]], [job["id"]])
        files = engine.rows("object", "files", identifier)
        self.assertIn("producer/ghent.txt", [x["path"] for x in files])
        use = engine.ask("collection", "use")
        self.assertEqual(use["bytes"], found["bytes"])
        month = history["versions"][0]["recorded_at"][:7]
        line, = engine.ask("report", "month", month)["lines"]
        self.assertEqual((line["collection"], line["user"], line["batches"],
                          line["jobs"]["completed"], line["bytes"]),
                         ("books", "lea", 1, 1, found["bytes"]))
        table = engine.ctl("report", "month", month, "--csv").splitlines()
        self.assertEqual(len(table), 2)
        self.assertTrue(table[1].startswith(f"{month},books,lea,1,1,0,"))

    def test_lost_identifiers_are_not_given_again(self):
        engine = self.prepared()
        for name in ("a.txt", "b.txt"):
            uuid = self.submit(engine, name, "file", name.encode())
            self.ended(engine, uuid)
        engine.stop()
        shutil.rmtree(engine.data / "minter")
        engine.start()
        uuid = self.submit(engine, "c.txt", "file", b"c\n")
        self.ended(engine, uuid)
        found = engine.ask("object", "list")["objects"]
        self.assertEqual([x["versions"] for x in found], [1, 1, 1])

    def test_an_object_is_found_by_its_local_id_with_all_its_batches(self):
        engine = self.prepared()
        batches = []
        for name in ("first.txt", "second.txt"):
            uuid = self.submit(engine, name, "file", name.encode(),
                               localIdentifier="map-7", title=f"The {name}")
            self.ended(engine, uuid)
            batches.append(uuid)
        found, = engine.ask("object", "find", "map-7")["objects"]
        history = engine.ask("object", "history", found["identifier"])
        self.assertEqual([x["batch"] for x in history["versions"]], batches)
        self.assertEqual(sorted(x["batch"] for x in history["jobs"]),
                         sorted(self.batch(engine, x)["id"] for x in batches))
        # Found by what only the first version had, too.
        for words in ("first.txt", "The first"):
            again, = engine.ask("object", "find", words)["objects"]
            self.assertEqual(again["identifier"], found["identifier"])

    def test_deleting_unfinished_work_warns_and_needs_yes(self):
        engine = self.prepared()
        engine.ctl("collection", "hold", "books")
        uuid = self.submit(engine, "a.txt", "file", b"a\n")
        job, = wait_until(lambda: [x for x in self.jobs(engine, uuid)
                                   if x["state"] == "held"])
        refused = engine.ctl_result("job", "delete", str(job["id"]))
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn(f"Job {job['id']} is held.", refused.stderr)
        self.assertIn("needs --yes", refused.stderr)
        self.assertEqual(self.jobs(engine, uuid)[0]["state"], "held")
        engine.ctl("job", "delete", str(job["id"]), "--yes")
        self.assertEqual(self.jobs(engine, uuid)[0]["state"], "deleted")

    def test_administrators_hear_of_failures_once_and_get_copies(self):
        hook = self.serve(Receiver())
        engine = self.prepared({"reviews.mail_to": "root@example.org",
                                "reviews.webhook":
                                    f"http://{hook.address}/review",
                                "fetch.allow": f"{self.source.address},"
                                               f"{hook.address}",
                                "mail.reports_bcc": "desk@example.org"})
        whole = self.batch_of({
            f"{i}.checkm": damaged(self.source, str(i),
                                   {"one.txt": b"1", "two.txt": b"2"})
            for i in range(3)})
        engine.ctl("pipeline", "set", "merritt.download", "--attempts-max", "1")
        uuid = self.submit(engine, "all.checkm", "batch-manifest", whole)
        self.ended(engine, uuid, "failed")

        def told():
            return [mail for mail in self.mails.mails
                    if "need" in str(mail["Subject"])
                    and "review" in str(mail["Subject"])]
        first = wait_until(told)[0]
        self.assertIn("merritt.download", str(first["Subject"]))
        (path, headers), = wait_until(lambda: hook.calls)
        self.assertEqual(path, "/review")
        self.assertEqual(f"<{headers['X-Depositd-Id']}@example.org>",
                         str(first["Message-ID"]))
        self.assertEqual(len(told()), 1)
        self.assertEqual(str(first["To"]), "root@example.org")
        report, = wait_until(lambda: self.reports(uuid))
        self.assertNotIn("desk@", str(report))
        self.assertTrue(any("desk@example.org" in to
                            for to in self.mails.recipients))

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
