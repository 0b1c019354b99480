"""What is shipped for Prometheus and Grafana: rules that hold, queries of
metrics that a running engine exports, and a real Prometheus that raises an
alarm and takes it back."""

import http.client
import json
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import harness
from authority import Authority
from harness import SystemTest, a_deposit, wait_until

SHIPPED = harness.ROOT / "config" / "monitoring"
RULES = SHIPPED / "depositd-alerts.yml"
METRICS = harness.ROOT / "adapters" / "doors" / "operations"
ALARMS = harness.ROOT / "docs" / "operations" / "alarms.md"
NAME = re.compile(r"\b(?:depositd|process)_[a-z_]+[a-z]\b")

# Not of an engine that is alone, without brokers and with little to do.
SOMETIMES = re.compile(r"depositd_(ingest|published|dead_letters|lease_left|"
                       r"fair|user_share|user_wait|submissions_rejected|"
                       r"auth_failures|fenced|certificate)")


def needed(case, program):
    """The program, or a test that is loudly skipped."""
    path = shutil.which(program)
    if path is None:
        print(f"SKIPPED: there is no {program}; scripts/setup installs it",
              flush=True)
        case.skipTest(f"there is no {program}")
    return path


def board():
    return json.loads((SHIPPED / "depositd-dashboard.json").read_text())


def queries():
    """(title, query) of every panel, as Prometheus would be asked."""
    out = []
    for panel in board()["panels"]:
        for target in panel.get("targets", []):
            out.append((panel["title"],
                        target["expr"].replace("$__rate_interval", "5m")))
    return out


def metrics_in(text):
    """Without what histograms add to their names."""
    names = set(NAME.findall(text))
    return {re.sub(r"_bucket$", "", x) for x in names}


def expressions():
    """The rules without names, texts and comments."""
    return re.sub(r"(?m)#.*$|summary:.*$|- name:.*$|job=\"[a-z]+\"", "",
                  RULES.read_text())


class Shipped(unittest.TestCase):
    def promtool(self, *arguments):
        said = subprocess.run([needed(self, "promtool"), *arguments],
                              cwd=SHIPPED, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_rules_are_rules(self):
        self.promtool("check", "rules", RULES.name)

    def test_alarms_come_when_they_should(self):
        self.promtool("test", "rules", "depositd-alerts-test.yml")

    def test_every_alarm_is_tried_and_explained(self):
        alarms = re.findall(r"- alert: (\w+)", RULES.read_text())
        self.assertEqual(len(alarms), len(set(alarms)))
        tried = (SHIPPED / "depositd-alerts-test.yml").read_text()
        explained = ALARMS.read_text()
        for alarm in alarms:
            self.assertRegex(tried, rf"alertname: {alarm}\n\s+exp_alerts:")
            self.assertIn(f"\n## {alarm}\n", explained)
        for title in re.findall(r"(?m)^## (Depositd\w+)$", explained):
            self.assertIn(title, alarms)

    def test_panels_ask_in_the_language_of_prometheus(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as rules:
            rules.write("groups:\n- name: panels\n  rules:\n")
            for i, (_, query) in enumerate(queries()):
                rules.write(f"  - record: panel:{i}\n"
                            f"    expr: {json.dumps(query)}\n")
            rules.flush()
            self.promtool("check", "rules", rules.name)

    def test_no_two_panels_lie_on_each_other(self):
        taken = set()
        for panel in board()["panels"]:
            at = panel["gridPos"]
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    taken.add((x, y))


class Exported(SystemTest):
    def test_what_is_asked_for_is_exported(self):
        engine = self.start()
        door = self.depositor(engine, "press")
        door.deposit("x.xml", a_deposit("x"))
        self.outcome(door, "x.xml")
        connection = http.client.HTTPConnection(*engine.address("admin"))
        self.addCleanup(connection.close)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        exported = set(re.findall(r"(?m)^# TYPE (\w+) ", text))
        sources = "".join(x.read_text() for x in METRICS.glob("*.cpp"))
        asked = metrics_in(expressions())
        for _, query in queries():
            asked |= metrics_in(query)
        self.assertGreater(len(asked), 30)
        for name in sorted(asked):
            with self.subTest(name):
                self.assertIn(f'"{name}"', sources)
                if not SOMETIMES.match(name):
                    self.assertIn(name, exported)


class Prometheus:
    """Debian's, on a free port, with the shipped rules in a hurry."""

    def __init__(self, program, folder, target, more=""):
        self.port = self.free_port()
        rules = folder / "rules.yml"
        rules.write_text(re.sub(r"(?m)^(\s+for:) \S+$", r"\1 1s",
                                RULES.read_text()))
        config = folder / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s, scrape_timeout: 1s, "
            "evaluation_interval: 1s}\n"
            f"rule_files: [{json.dumps(str(rules))}]\n"
            "scrape_configs:\n"
            f"  - job_name: depositd\n{more}"
            f"    static_configs: [{{targets: [{json.dumps(target)}]}}]\n")
        with open(folder / "prometheus.log", "wb") as log:
            self.process = subprocess.Popen(
                [program, f"--config.file={config}",
                 f"--storage.tsdb.path={folder / 'tsdb'}",
                 f"--web.listen-address=127.0.0.1:{self.port}"],
                stdout=log, stderr=log)

    @staticmethod
    def free_port():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return taken.getsockname()[1]

    def stop(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path):
        """The data of an answer; None as long as there is none."""
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}/api/v1/{path}",
                    timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def fires(self, alarm):
        """Label sets; None as long as there is no answer."""
        found = self.ask("alerts")
        return None if found is None else [
            x["labels"] for x in found["alerts"]
            if x["labels"]["alertname"] == alarm and x["state"] == "firing"]

    def has_scraped(self):
        found = self.ask("targets")
        return found and any(x["health"] == "up"
                             for x in found["activeTargets"])


class Panels(SystemTest):
    def test_they_show_an_engine_that_works(self):
        program = needed(self, "prometheus")
        engine = self.start()
        door = self.depositor(engine, "press")
        door.deposit("x.xml", a_deposit("x"))
        self.outcome(door, "x.xml")
        prometheus = Prometheus(program, self.folder, engine.ready["admin"])
        self.addCleanup(prometheus.stop)
        wait_until(prometheus.has_scraped)
        # As Grafana asks for all of everything.
        asked = [(title, re.sub(r"\$(job|instance|queue)\b", ".*", query))
                 for title, query in queries()]

        def answers(query):
            found = prometheus.ask("query?" + urllib.parse.urlencode(
                {"query": query}))
            self.assertIsNotNone(found, query)
            return found["result"]

        def empty():
            return [title for title, query in asked
                    if not answers(query) and not SOMETIMES.search(query)]
        try:
            wait_until(lambda: not empty())
        except AssertionError:
            self.assertEqual(empty(), [])
        for _, query in asked:
            answers(query)


class Alarms(SystemTest):
    def test_an_alarm_comes_and_goes(self):
        program = needed(self, "prometheus")
        engine = self.start()
        door = self.depositor(engine, "press")
        prometheus = Prometheus(program, self.folder, engine.ready["admin"])
        self.addCleanup(prometheus.stop)
        wait_until(prometheus.has_scraped)
        alarm = "DepositdSuspendedWithWork"
        self.assertEqual(prometheus.fires(alarm), [])
        engine.ctl("suspend")
        door.deposit("x.xml", a_deposit("x"))
        found = wait_until(lambda: prometheus.fires(alarm))
        self.assertEqual([x["queue"] for x in found], ["metadata"])
        self.assertEqual(prometheus.fires("DepositdDown"), [])
        engine.ctl("resume")
        wait_until(lambda: prometheus.fires(alarm) == [])
        self.outcome(door, "x.xml")
        engine.stop()
        wait_until(lambda: prometheus.fires("DepositdDown"))

    def test_from_another_machine_it_takes_the_token_of_an_operator(self):
        program = needed(self, "prometheus")
        authority = Authority(self.folder)
        authority.issue("engine", "127.0.0.1")
        engine = self.start({
            "admin.listen": "0.0.0.0:0",
            "admin.tls.certificate": authority.file("engine", "pem"),
            "admin.tls.key": authority.file("engine", "key")})
        engine.ctl("operator", "add", "prometheus", "--role", "look",
                   "--password-stdin", text="long and secret\n")
        token = self.folder / "token"
        token.write_text(engine.ask("operator", "token", "add", "prometheus",
                                    "--token-name", "scrape")["key"])
        # As in METRICS, with the names of here.
        more = ("    scheme: https\n"
                f"    tls_config: {{ca_file: {authority.file('ca', 'pem')}}}\n"
                f"    authorization: {{credentials_file: {token}}}\n")
        port = engine.address("admin")[1]
        prometheus = Prometheus(program, self.folder, f"127.0.0.1:{port}", more)
        self.addCleanup(prometheus.stop)
        wait_until(prometheus.has_scraped)
        engine.ctl("operator", "token", "remove", "prometheus", "scrape",
                   "--yes")
        wait_until(lambda: prometheus.fires("DepositdDown"))


if __name__ == "__main__":
    harness.main()
