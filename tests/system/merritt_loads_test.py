"""The benchmark of CDL's loads does what it says, in small."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

import harness
from harness import PROGRAMS

BENCHMARK = (Path(__file__).resolve().parents[2] / "benchmarks"
             / "merritt_loads.py")


class MerrittLoads(unittest.TestCase):
    def run_it(self, *options):
        done = subprocess.run(
            [sys.executable, "-B", str(BENCHMARK), "--programs", str(PROGRAMS),
             *options], capture_output=True, text=True, timeout=170)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_S06_many_small_objects_are_followed_to_their_report(self):
        batch, = map(json.loads, self.run_it(
            "--profile", "100x1M", "--scale", "0.01", "--json").splitlines())
        self.assertEqual((batch["jobs"], batch["batches"]), (100, 1))
        self.assertEqual(batch["bytes_of_a_file"], 10_486)
        for key in ("jobs_per_second", "to_report_s_median", "memory_peak_mb"):
            self.assertGreater(batch[key], 0, key)

    def test_each_file_can_be_a_submission(self):
        each, = map(json.loads, self.run_it(
            "--profile", "2x5G", "--scale", "0.00001", "--as", "submissions",
            "--json").splitlines())
        self.assertEqual((each["jobs"], each["batches"]), (2, 2))

    def test_versions_of_one_object_are_made_one_after_the_other(self):
        table = self.run_it("--profile", "7x20-versions").splitlines()
        self.assertEqual(len(table), 3)
        self.assertTrue(table[2].startswith("| 7x20-versions | 1.0 | 140 |"),
                        table[2])


if __name__ == "__main__":
    harness.main()
