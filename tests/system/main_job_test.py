"""The main job of scripts/run: every deposit gets an outcome and is accounted
for; what is missing is called lost."""

import json
import subprocess
import sys
from pathlib import Path

import harness
from harness import PROGRAMS, SHARED_DATA, SystemTest
from job_account import check_against_engine
from kafka_tools import NOT_INSTALLED, services
from main_job import Submission

ROOT = Path(__file__).resolve().parent.parent.parent
REAL_COUNT_MIN = 40


class MainJob(SystemTest):
    def run_job(self, *arguments):
        """(exit code, summary, what was printed)."""
        results = self.folder / "results"
        done = subprocess.run(
            [sys.executable, "-B", str(ROOT / "scripts" / "main_job.py"),
             "--programs", str(PROGRAMS), "--results", str(results),
             "--data", str(self.folder / "data"), *map(str, arguments)],
            capture_output=True, text=True, timeout=600)
        summary = results / "summary.json"
        return done.returncode, (json.loads(summary.read_text())
                                 if summary.exists() else None), \
            done.stdout + done.stderr

    def test_gives_every_sample_an_outcome_and_a_document(self):
        code, summary, printed = self.run_job("--copies", "40")
        self.assertEqual(code, 0, printed)
        self.assertEqual(summary["total"]["accepted"], 50, printed)
        self.assertEqual(summary["total"]["lost"], 0)
        self.assertEqual(summary["users"]["amelie"]["completed"], 40)
        self.assertEqual(summary["users"]["amelie"]["turns"], 40)
        self.assertEqual(summary["users"]["dalia"]["failed"], 3, printed)
        self.assertTrue(all(outcome["reason"] for outcome
                            in summary["outcomes"]
                            if outcome["outcome"] in ("failed", "partly")))
        documents = list((self.folder / "results").glob("*/*.result.xml"))
        self.assertEqual(len(documents), 50)
        self.assertIn("0 lost", printed)

    def test_walks_the_pipeline_to_objects_and_reports(self):
        code, summary, printed = self.run_job("--pipeline", "merritt")
        self.assertEqual(code, 0, printed)
        self.assertEqual(summary["wrong"], [])
        states = sorted(job["state"] for job in summary["jobs"])
        self.assertEqual(states, ["completed"] * 4 + ["failed"] * 2, printed)
        self.assertEqual(len(summary["stored"]), 4, printed)

    def test_takes_bags_through_aptrusts_ingest(self):
        code, summary, printed = self.run_job("--pipeline", "aptrust")
        self.assertEqual(code, 0, printed)
        self.assertEqual(summary["wrong"], [], printed)
        states = sorted(job["state"] for job in summary["jobs"])
        # A second institution sends the same bags to a bucket, if there is one.
        senders = len(summary["jobs"]) // 7
        self.assertIn(senders, (1, 2), printed)
        self.assertEqual(states, ["completed"] * 3 * senders
                         + ["failed"] * 4 * senders, printed)
        for objects in summary["stored"].values():
            self.assertEqual(len(objects), 3 * senders, printed)

    def test_refuses_sources_beside_a_pipeline(self):
        code, _, printed = self.run_job("--pipeline", "merritt", "some.xml")
        self.assertEqual(code, 2)
        self.assertIn("its own samples", printed)

    def test_can_be_run_again_on_the_same_folder(self):
        self.assertEqual(self.run_job("--copies", "5")[0], 0)
        code, summary, printed = self.run_job("--copies", "5")
        self.assertEqual(code, 0, printed)
        # The same deposits again: each is told that it is out of date.
        self.assertEqual(summary["users"]["amelie"]["failed"], 5, printed)

    def test_takes_real_deposits_from_a_flat_folder(self):
        folder = SHARED_DATA / "crossref"
        if not folder.is_dir():
            self.skipTest(f"no real deposits in {SHARED_DATA}")
        code, summary, printed = self.run_job(folder)
        self.assertEqual(code, 0, printed)
        self.assertGreater(summary["total"]["accepted"], REAL_COUNT_MIN)
        self.assertGreater(len(summary["users"]), 1)

    def test_gives_the_same_set_back_through_kafka(self):
        for service in ("kafka", "postgres"):
            tried = services("installed", service=service)
            if tried.returncode == NOT_INSTALLED:
                self.skipTest(tried.stderr.strip().upper())
        code, summary, printed = self.run_job("--kafka", "--copies", "40")
        self.assertEqual(code, 0, printed)
        self.assertEqual(summary["total"]["completed"]
                         + summary["total"]["partly"]
                         + summary["total"]["failed"], 50, printed)
        self.assertEqual(summary["users"]["amelie"]["turns"], 40)
        account = summary["kafka"]
        self.assertTrue(account["same_set"], printed)
        self.assertEqual(account["produced"], 50)
        self.assertEqual(account["outcomes"], 50)
        self.assertEqual(account["dead_letters"], 0)
        self.assertIn("the same set", printed)
        documents = list((self.folder / "results").glob("*/*.result.xml"))
        self.assertEqual(len(documents), 50)

    def test_says_so_if_there_is_nothing_to_submit(self):
        (self.folder / "empty").mkdir()
        for source in (self.folder / "empty", self.folder / "absent"):
            code, _, printed = self.run_job(source)
            self.assertEqual(code, 2, printed)

    def test_does_not_clear_a_folder_that_holds_something_else(self):
        (self.folder / "results").mkdir()
        precious = self.folder / "results" / "precious"
        precious.write_text("keep")
        self.assertEqual(self.run_job()[0], 2)
        self.assertEqual(precious.read_text(), "keep")

    def test_calls_lost_what_the_engine_does_not_list_once(self):
        def completed(name):
            out = Submission("user", name, b"")
            out.outcome = "completed"
            return out
        submissions = [completed(name) for name in ("a", "b", "c")]
        rows = [{"user": "user", "file_name": name}
                for name in ("a", "b", "b")]
        check_against_engine(submissions, rows)
        self.assertEqual([s.outcome for s in submissions],
                         ["completed", "lost", "lost"])


if __name__ == "__main__":
    harness.main()
