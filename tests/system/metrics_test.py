"""What Prometheus reads: valid text, the names that the document has, numbers
that follow what happens."""

import re
import shutil
import subprocess
import urllib.request

import harness
from harness import ROOT, SystemTest, wait_until

SAMPLE = re.compile(r"^([a-z_]+)(?:\{(.*)\})? (\S+)$")
ROW = re.compile(r"^\| `([a-z_]+)` \| (\w+) \| .* \| (.*) \|$")


class Metrics(SystemTest):
    def scrape(self, engine):
        with urllib.request.urlopen(
                f"http://{engine.ready['admin']}/metrics", timeout=10) as got:
            self.assertTrue(got.headers["Content-Type"].startswith(
                "text/plain; version=0.0.4"))
            return got.read().decode()

    def value(self, engine, name, **labels):
        """Sum of the samples of this name that have these labels."""
        wanted = [f'{key}="{x}"' for key, x in labels.items()]
        total = 0.0
        for line in self.scrape(engine).splitlines():
            found = SAMPLE.match(line)
            if found and found[1] == name and all(
                    x in (found[2] or "") for x in wanted):
                total += float(found[3])
        return total

    def worked(self):
        """An engine that has taken and processed some deposits."""
        engine = self.start()
        door = self.depositor(engine, "ann")
        for name in ("a", "b", "c"):
            door.deposit(f"{name}.xml", harness.a_deposit(name))
        for name in ("a", "b", "c"):
            self.outcome(door, f"{name}.xml")
        return engine

    def test_promtool_finds_nothing_wrong(self):
        tool = shutil.which("promtool")
        if tool is None:
            print("SKIPPED: no promtool; run scripts/setup", flush=True)
            self.skipTest("no promtool")
        text = self.scrape(self.worked())
        said = subprocess.run([tool, "check", "metrics"], input=text, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual((said.returncode, said.stdout, said.stderr),
                         (0, "", ""))

    def test_the_document_has_every_metric(self):
        kinds = dict(
            line.split()[2:4]
            for line in self.scrape(self.worked()).splitlines()
            if line.startswith("# TYPE"))
        rows = {}
        for line in (ROOT / "docs/METRICS.md").read_text().splitlines():
            if found := ROW.match(line):
                rows[found[1]] = (found[2], found[3])
        for name, kind in kinds.items():
            self.assertEqual(rows.get(name, ("",))[0], kind, name)
        always = {name for name, (_, meaning) in rows.items()
                  if "(while " not in meaning and "(with " not in meaning}
        self.assertEqual(always - kinds.keys(), set())

    def test_deposits_are_counted(self):
        engine = self.worked()
        self.assertEqual(self.value(
            engine, "depositd_submissions_accepted_total", queue="metadata"), 3)
        self.assertEqual(self.value(
            engine, "depositd_grant_wait_seconds_count", queue="metadata"), 3)
        wait_until(lambda: self.value(
            engine, "depositd_jobs_finished_total", queue="metadata") == 3)
        self.assertEqual(self.value(
            engine, "depositd_jobs", queue="metadata"), 0)
        self.assertEqual(self.value(engine, "depositd_scrape_errors"), 0)
        self.assertGreater(
            self.value(engine, "depositd_http_requests_total", door="http"), 0)
        self.assertGreater(
            self.value(engine, "depositd_journal_groups_total"), 0)

    def test_who_waits_is_named_while_the_engine_is_suspended(self):
        engine = self.start()
        engine.ctl("suspend")
        door = self.depositor(engine, "ann")
        door.deposit("a.xml", harness.a_deposit("a"))
        self.assertEqual(
            self.value(engine, "depositd_suspended", queue="metadata"), 1)
        self.assertEqual(self.value(engine, "depositd_jobs", queue="metadata",
                                    state="waiting"), 1)
        self.assertIn('depositd_user_wait_seconds{queue="metadata",user="ann"}',
                      self.scrape(engine))
        first = self.value(engine, "depositd_queue_oldest_age_seconds",
                           queue="metadata")
        wait_until(lambda: self.value(
            engine, "depositd_queue_oldest_age_seconds",
            queue="metadata") > first)
        engine.ctl("resume")
        self.outcome(door, "a.xml")
        wait_until(lambda: self.value(
            engine, "depositd_queue_oldest_age_seconds",
            queue="metadata") == 0)


if __name__ == "__main__":
    harness.main()
