"""scripts/run --migrate: a million records, every key exactly once, and the
picture of it; and the benchmark of sources, in small."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import harness
from harness import PROGRAMS, ROOT, SystemTest
from kafka_tools import NOT_INSTALLED, services
from migrate_generator import record_id
from migrate_ledger import TWICE, Ledger
from migrate_picture import Panel, picture, step_for
from migrate_sources import SHARES, counts

RECORDS = 1_000_000
SVG = "{http://www.w3.org/2000/svg}"


class Migration(SystemTest):
    def run_job(self, *arguments):
        """(exit code, summary, what was printed)."""
        results = self.folder / "results"
        done = subprocess.run(
            [sys.executable, "-B", str(ROOT / "scripts" / "main_job.py"),
             "--programs", str(PROGRAMS), "--results", str(results),
             "--data", str(self.folder / "data"), *map(str, arguments)],
            capture_output=True, text=True, timeout=1700)
        summary = results / "summary.json"
        return (done.returncode,
                json.loads(summary.read_text()) if summary.exists() else None,
                done.stdout + done.stderr)

    def need_postgres(self):
        tried = services("installed", service="postgres")
        if tried.returncode == NOT_INSTALLED:
            self.skipTest(tried.stderr.strip().upper())

    def test_a_million_records_come_exactly_once(self):
        self.need_postgres()
        code, summary, printed = self.run_job("--migrate")
        self.assertEqual(code, 0, printed)
        for run in ("prefetching", "plain"):
            found = summary[run]
            self.assertEqual((found["records"], found["taken"]),
                             (RECORDS, RECORDS), printed)
            self.assertTrue(found["exactly_once"], printed)
            for name, source in found["sources"].items():
                self.assertEqual((source["done"], source["bad"]),
                                 (counts(RECORDS)[name], 0), name)
        # Who reads ahead asks for more at a time, and less often.
        asked = [summary[run]["sources"]["orders"]["replenishes"]
                 for run in ("prefetching", "plain")]
        self.assertLess(*asked, printed)
        self.assertIn("records/s", printed)
        self.assertIn("every key exactly once", printed.splitlines()[-1])
        root = ElementTree.parse(
            self.folder / "results" / "migration.svg").getroot()
        self.assertEqual(len(root.findall(f"{SVG}polygon")), 2 * len(SHARES))

    def test_it_brings_everything_itself_and_an_empty_folder(self):
        code, _, printed = self.run_job("--migrate", "500", "--kafka")
        self.assertEqual(code, 2)
        self.assertIn("its own samples", printed)
        (self.folder / "data").mkdir()
        precious = self.folder / "data" / "precious"
        precious.write_text("keep")
        code, _, printed = self.run_job("--migrate", "500")
        self.assertEqual(code, 2)
        self.assertEqual(precious.read_text(), "keep")

    def test_fewer_records_by_option(self):
        self.need_postgres()
        code, summary, printed = self.run_job(
            "--migrate", "1000", "--query-ms", "100")
        self.assertEqual(code, 0, printed)
        self.assertEqual(summary["plain"]["taken"], 1000)


class Accounts(SystemTest):
    def payloads(self, *numbers, name="orders"):
        return [{"id": record_id(name, n), "number": n} for n in numbers]

    def test_what_is_missing_twice_or_nobodys_is_told(self):
        ledger = Ledger({"orders": 3, "people": 1})
        ledger.took(self.payloads(1, 2))
        ledger.took(self.payloads(1, name="people"))
        self.assertEqual(ledger.summary()["missing"], 1)
        ledger.took(self.payloads(3))
        self.assertTrue(ledger.summary()["exactly_once"])
        ledger.took(self.payloads(3))
        found = ledger.summary()
        self.assertEqual((found["repeated"], found["exactly_once"]),
                         (1, False))
        for payload in ({"id": "orders-000000001", "number": 2},
                        {"id": record_id("orders", 4), "number": 4},
                        {"id": record_id("orders", 0), "number": 0},
                        {"id": record_id("others", 1), "number": 1}):
            before = ledger.summary()["unknown"]
            ledger.took([payload])
            self.assertEqual(ledger.summary()["unknown"], before + 1, payload)

    def test_many_repetitions_are_counted_once(self):
        ledger = Ledger({"orders": 1})
        for _ in range(300):
            ledger.took(self.payloads(1))
        self.assertEqual(ledger.seen["orders"][1], TWICE)
        self.assertEqual(ledger.summary()["repeated"], 1)

    def test_what_was_taken_is_in_slices_of_time(self):
        ledger = Ledger({"orders": 10, "people": 10})
        ledger.arrivals = [(0.1, "orders", 4), (0.7, "people", 3),
                           (1.2, "orders", 2)]
        self.assertEqual(ledger.slices(), {"orders": [4, 0, 2],
                                           "people": [0, 3, 0]})
        self.assertEqual(ledger.per_second(), [7])

    def test_sources_have_all_records_between_them(self):
        for records in (100, 101, 1_000_000):
            self.assertEqual(sum(counts(records).values()), records)

    def test_a_picture_has_both_scales_and_escapes_words(self):
        panels = [Panel("a <run>", 0.5, {"orders": [10, 20], "people": [5]}),
                  Panel("other", 0.5, {"orders": [1] * 8})]
        root = ElementTree.fromstring(picture("title & more", panels))
        words = [x.text for x in root.iter(f"{SVG}text")]
        for word in ("a <run>", "title & more", "orders", "people"):
            self.assertIn(word, words)
        self.assertEqual(len(list(root.iter(f"{SVG}polygon"))), 3)
        self.assertEqual(panels[0].highest(), 40)
        self.assertEqual([step_for(x) for x in (40, 30_000, 0.5)],
                         [10, 10_000, 0.1])


class Benchmark(SystemTest):
    def test_it_does_what_it_says_in_small(self):
        done = subprocess.run(
            [sys.executable, "-B", str(ROOT / "benchmarks" / "sources.py"),
             "--programs", str(PROGRAMS), "--records", "20000", "--rate",
             "2000", "--delay-s", "0.5", "--seconds", "3", "--buffered",
             "5000"], capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = {x["phase"]: x for x in map(json.loads,
                                            done.stdout.splitlines())}
        self.assertEqual(set(found), {"rate", "valleys", "memory"})
        self.assertGreaterEqual(found["rate"]["records"], 20_000)
        self.assertGreater(found["rate"]["records_per_second"], 0)
        for run in ("delay_0", "prefetching", "plain"):
            self.assertEqual(len(found["valleys"][run]["seconds_each"]), 3)
        self.assertEqual(found["memory"]["records"], 5000)


if __name__ == "__main__":
    harness.main()
