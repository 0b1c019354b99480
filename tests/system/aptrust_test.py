"""APTrust's ingest through the real program: bags that are found, go through
nine stages to storage and the inventory, or get their verdict; and what
administrators can do about those that did not go through."""

import os
import time
import zlib
from pathlib import Path

import harness
from aptrust_samples import (Bag, extra_file, missing_file, payload, tar_of,
                             wrong_digest)
from bags import INSTITUTION, BagTest
from harness import fetched, wait_until
from stored_objects import stored_objects

STAGES = ["ingest01_prefetch", "ingest02_bag_validation",
          "ingest03_reingest_check", "ingest04_staging",
          "ingest05_format_identification", "ingest06_storage",
          "ingest07_storage_validation", "ingest08_record",
          "ingest09_cleanup"]


def picture():
    """One grey dot as PNG."""
    def chunk(kind, content):
        return (len(content).to_bytes(4, "big") + kind + content
                + zlib.crc32(kind + content).to_bytes(4, "big"))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
            + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


class Aptrust(BagTest):
    def job(self, engine, name):
        found = [row for row in engine.rows("job", "list", "--identifier",
                                            f"{INSTITUTION}/{name}")]
        return found[-1] if found else None

    def bag_ended(self, engine, name, state="completed", timeout=90):
        def has_ended():
            job = self.job(engine, name)
            if job is None or job["state"] not in ("completed", "failed"):
                return None
            self.assertEqual(job["state"], state, job["note"])
            return job
        return wait_until(has_ended, timeout, pause=0.2)

    def stored(self, engine):
        return stored_objects(engine.data / "objects")

    # -- bags that are right ------------------------------------------------

    def test_row_p1_a_bag_goes_through_nine_stages(self):
        engine = self.prepared()
        bag = Bag("photos", payload(1))
        self.send(bag)
        job = self.bag_ended(engine, "photos")
        self.assertFalse(job["needs_review"])
        found = self.stored(engine)[bag.identifier()]
        self.assertEqual(found["version"], "v1")
        self.assertEqual(found["files"], len(bag.payload) + 2)
        shown = engine.ask("object", "show", bag.identifier())
        self.assertEqual(shown["title"], "A collection")
        self.assertEqual(shown["owner"], INSTITUTION)
        self.assertEqual(list(self.receiving.iterdir()), [])
        events = engine.rows("object", "events", bag.identifier(), "--type",
                             "ingestion", "--limit", "1000")
        self.assertEqual(sum(event["file"] is None for event in events), 1)
        self.assertEqual(sum(event["file"] is not None for event in events),
                         len(bag.payload) + 2)
        pipeline = engine.ask("pipeline", "show", "aptrust")
        self.assertEqual([stage["name"] for stage in pipeline["stages"]],
                         STAGES)
        self.assertEqual([stage["queue"] for stage in pipeline["stages"]],
                         [f"aptrust.{name}" for name in STAGES])

    def test_siegfried_names_formats(self):
        siegfried = fetched("bin", "sf")
        if not siegfried:
            self.skipTest("NOT TESTED: SIEGFRIED IS NOT INSTALLED "
                          "(scripts/setup --all)")
        engine = self.prepared({"aptrust.siegfried": str(siegfried)})
        self.send(Bag("mixed", {**payload(1), "picture.png": picture(),
                                "- it's.txt": b"A letter.\n"}))
        self.bag_ended(engine, "mixed")
        events = engine.rows("object", "events", f"{INSTITUTION}/mixed",
                             "--type", "format identification", "--limit",
                             "1000")
        told = {event["file"]: event for event in events if event["file"]}
        for name, answer in {"picture.png": "image/png fmt/11",
                             "page.xml": "fmt/101",
                             "- it's.txt": "text/plain x-fmt/111"}.items():
            event = told[f"data/{name}"]
            self.assertIn(answer, event["outcome_detail"])
            self.assertIn("siegfried: ", event["detail"])

    def test_row_p34_a_bag_is_submitted_once_and_again_when_it_changes(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "aptrust")
        self.send(Bag("photos", payload(1)))
        wait_until(lambda: engine.rows("batch", "list"), pause=0.2)
        # Several looks later there is still one.
        looks = engine.log().count("receiving_read")
        self.send(Bag("maps", payload(2)))
        wait_until(lambda: engine.log().count("receiving_read") > looks,
                   pause=0.2)
        self.assertEqual(len(engine.rows("batch", "list")), 2)
        engine.ctl("pipeline", "unpause", "aptrust")
        self.bag_ended(engine, "photos")
        self.send(Bag("photos", payload(5)))
        wait_until(lambda: self.stored(engine)[f"{INSTITUTION}/photos"]
                   ["version"] == "v2", 90, pause=0.2)

    def test_row_p8_the_newest_of_two_bags_is_what_is_stored(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "aptrust")
        self.send(Bag("photos", payload(1), title="First"))
        wait_until(lambda: len(engine.rows("batch", "list")) == 1, pause=0.2)
        self.send(Bag("photos", payload(2), title="Second"))
        wait_until(lambda: len(engine.rows("batch", "list")) == 2, pause=0.2)
        engine.ctl("pipeline", "unpause", "aptrust")

        def both_ended():
            rows = engine.rows("job", "list", "--identifier",
                               f"{INSTITUTION}/photos")
            states = [row["state"] for row in rows]
            return rows if sorted(states) == ["completed", "failed"] else None
        first, second = sorted(wait_until(both_ended, 90, pause=0.2),
                               key=lambda row: row["batch"])
        self.assertEqual(first["state"], "failed")
        self.assertIn("cancelled", first["note"])
        self.assertTrue(first["needs_review"])
        self.assertEqual(second["state"], "completed")
        shown = engine.ask("object", "show", f"{INSTITUTION}/photos")
        self.assertEqual(shown["title"], "Second")

    # -- bags that are wrong ------------------------------------------------

    def test_row_p16_bags_that_are_not_valid_stop_at_once(self):
        engine = self.prepared()
        for make, name, why in (
                (wrong_digest, "turned", "readme.txt"),
                (missing_file, "lost", "table.csv"),
                (extra_file, "stranger", "stranger.txt")):
            self.send(make(name))
            job = self.bag_ended(engine, name, "failed")
            self.assertIn(why, job["note"])
            self.assertTrue(job["needs_review"])
            shown = engine.ask("job", "show", str(job["id"]))
            self.assertEqual(shown["queue"],
                             "aptrust.ingest02_bag_validation")
            refused = engine.ctl_result("job", "requeue", str(job["id"]))
            self.assertEqual(refused.returncode, 1)
            self.assertTrue((self.receiving / f"{name}.tar").exists())
        self.assertEqual(self.stored(engine), {})
        listed = {row["identifier"] for row in engine.rows("review", "list")}
        self.assertEqual(len(listed), 3)

    def test_what_is_no_bag_harms_nobody(self):
        engine = self.prepared()
        self.send("garbage.tar", os.urandom(20_000))
        self.send("climbs.tar", tar_of({"../climbed": b"out"}))
        self.send("root.tar", tar_of({"/tmp/depositd-climbed": b"out"}))
        self.send("empty.tar", b"")
        for name in ("garbage", "climbs", "root", "empty"):
            self.bag_ended(engine, name, "failed")
        self.assertFalse(Path("/tmp/depositd-climbed").exists())
        self.assertFalse(list(engine.data.rglob("climbed")))
        good = Bag("photos", payload(1))
        self.send(good)
        self.bag_ended(engine, "photos")

    # -- what administrators do ---------------------------------------------

    def test_rows_a9_to_a12_requeue_to_the_stage_or_an_earlier_one(self):
        vault = self.folder / "vault"
        vault.mkdir()
        engine = self.prepared({"storage.vault.path": str(vault)})
        engine.ctl("collection", "set", INSTITUTION, "--storage",
                   "local,vault")
        vault.rename(self.folder / "vault-away")
        (self.folder / "vault").write_text("this is no folder")
        self.send(Bag("photos", payload(1)))
        job = self.bag_ended(engine, "photos", "failed")
        number = str(job["id"])
        self.assertEqual(engine.ask("job", "show", number)["queue"],
                         "aptrust.ingest06_storage")
        self.assertIn("gave up after 3 attempts", job["note"])  # P14
        self.assertTrue(job["needs_review"])
        later = engine.ctl_result("job", "requeue", number, "--to",
                                  "ingest08_record")
        self.assertEqual(later.returncode, 1)  # A11
        self.assertIn("it has come to storing only", later.stderr)
        (self.folder / "vault").unlink()
        (self.folder / "vault-away").rename(vault)
        engine.ctl("job", "requeue", number, "--to",
                   "ingest03_reingest_check")  # A12
        after = self.bag_ended(engine, "photos")
        self.assertFalse(after["needs_review"])
        self.assertEqual(stored_objects(vault),
                         self.stored(engine))
        finished = engine.ctl_result("job", "requeue", number)
        self.assertEqual(finished.returncode, 1)  # A10
        self.assertEqual(engine.rows("review", "list"), [])

    def test_a_siegfried_that_hangs_holds_up_no_stop(self):
        begun, program = self.folder / "begun", self.folder / "sf"
        program.write_text(f"#!/bin/sh\ntouch {begun}\n"
                           f"[ -e {self.folder}/answers ] || sleep 600\n"
                           "echo '{\"files\":[]}'\n")
        program.chmod(0o755)
        engine = self.prepared({"aptrust.siegfried": str(program),
                                "shutdown.drain_ms": 100})
        self.send(Bag("photos", payload(1)))
        wait_until(begun.exists)
        self.assertEqual(engine.stop(), 0, engine.log())
        self.assertNotIn("stop_cut_short", engine.log())
        (self.folder / "answers").touch()
        engine.start()
        self.assertEqual(self.bag_ended(engine, "photos")["retry_count"], 0)

    def test_P13_P35_only_what_a_thread_works_on_has_begun(self):
        begun, program = self.folder / "begun", self.folder / "sf"
        begun.mkdir()
        program.write_text(
            "#!/bin/sh\njob=$(echo $* | grep -o 'jid-[-0-9a-f]*' | head -n 1)"
            f"\ntouch {begun}/$job\nsleep 600\n")
        program.chmod(0o755)
        engine = self.prepared({"aptrust.siegfried": str(program),
                                "shutdown.drain_ms": 100})
        stage = "aptrust.ingest05_format_identification"
        engine.ctl("pipeline", "pause", stage)
        for i in range(12):
            self.send(Bag(f"photos{i}", payload(i)))
        wait_until(lambda: engine.ask("queue", "show", stage)["ready"] == 12)
        engine.ctl("pipeline", "unpause", stage)
        wait_until(lambda: len(list(begun.iterdir())) == 2)
        jobs = [engine.ask("job", "show", str(job["id"]))
                for job in engine.rows("job", "list")]
        in_work = {file.name for file in begun.iterdir()}
        self.assertEqual({job["uuid"] for job in jobs
                          if job["work_item"]["status"] == "Started"}, in_work)
        slots = [slot for slot in engine.ask("sp", "list")["slots"]
                 if slot["processor"] == stage]
        self.assertEqual([slot["slot"] for slot in slots], [1, 2])
        self.assertEqual({slot["item"] for slot in slots},
                         {job["id"] for job in jobs if job["uuid"] in in_work})

    def test_workers_are_set_by_their_names_in_the_environment(self):
        self.environment = {"INGEST_VALIDATOR_WORKERS": "7",
                            "INGEST_VALIDATOR_BUFFER_SIZE": "5",
                            "INGEST_RECORDER_MAX_ATTEMPTS": "9"}
        engine = self.start(self.settings(), environment=self.environment)
        stages = {stage["name"]: stage for stage in
                  engine.ask("pipeline", "show", "aptrust")["stages"]}
        self.assertEqual(stages["ingest02_bag_validation"]["workers"], 7)
        self.assertEqual(stages["ingest02_bag_validation"]["buffer"], 5)
        self.assertEqual(stages["ingest08_record"]["attempts_max"], 9)
        self.assertEqual(stages["ingest01_prefetch"]["workers"], 3)
        engine.ctl("pipeline", "set", "aptrust.ingest02_bag_validation",
                   "--workers", "2")
        stages = {stage["name"]: stage for stage in
                  engine.ask("pipeline", "show", "aptrust")["stages"]}
        self.assertEqual(stages["ingest02_bag_validation"]["workers"], 2)

    # -- crashes ------------------------------------------------------------

    def test_row_p19_and_p21_bags_survive_kills_at_any_stage(self):
        engine = self.prepared()
        bags = [Bag(f"bag{i}", payload(i, count=20)) for i in range(8)]
        for bag in bags:
            self.send(bag)
        for round_number in range(5):
            wait_until(lambda: engine.rows("job", "list")
                       or engine.rows("batch", "list"), pause=0.1)
            time.sleep(0.3 + 0.2 * round_number)  # somewhere on the way
            engine.kill()
            engine.start()
        for bag in bags:
            self.bag_ended(engine, bag.name, timeout=120)
        stored = self.stored(engine)
        self.assertEqual(len(stored), len(bags))
        for bag in bags:
            self.assertEqual(stored[bag.identifier()]["version"], "v1")
            rows = engine.rows("job", "list", "--identifier",
                               bag.identifier())
            self.assertEqual(len(rows), 1)
            events = engine.rows("object", "events", bag.identifier(),
                                 "--type", "ingestion", "--limit", "1000")
            self.assertEqual(len(events), len(bag.payload) + 3)

    def test_row_p20_a_stop_takes_no_new_work_and_loses_none(self):
        engine = self.prepared()
        for i in range(6):
            self.send(Bag(f"bag{i}", payload(i, count=40)))
        wait_until(lambda: engine.rows("job", "list"), pause=0.1)
        self.assertEqual(engine.stop(), 0)
        engine.start()
        for i in range(6):
            self.bag_ended(engine, f"bag{i}", timeout=120)


if __name__ == "__main__":
    harness.main()
