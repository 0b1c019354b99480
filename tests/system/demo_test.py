"""depositd --demo: what a newcomer sees in the first minutes."""

import re
import subprocess
import tempfile
from pathlib import Path

import harness
from authority import Authority
from engine import Engine
from harness import PROGRAMS, SystemTest, wait_until


class DemoEngine(Engine):
    def command(self):
        return [str(PROGRAMS / "depositd"), "--demo", *self.more]


class Demo(SystemTest):
    def demo(self, *more):
        engine = DemoEngine(PROGRAMS, self.folder / "demo")
        engine.more = more
        self.addCleanup(engine.kill)
        return engine.start()

    def ends_at_interrupt(self, engine):
        engine.process.send_signal(2)
        self.assertEqual(engine.process.wait(60), 0)

    def said(self, engine):
        """What stands below the ready line."""
        lines = []
        while not lines or "Ctrl-C" not in lines[-1]:
            line = engine.process.stdout.readline().decode()
            self.assertTrue(line, lines)
            lines.append(line.strip())
        return "\n".join(lines)

    def test_deposits_come_in_and_some_fail(self):
        engine = self.demo()
        said = self.said(engine)
        self.assertIn(f"http://{engine.ready['admin']}/", said)
        password = re.search(r"Login:\s+demo (\S+)", said).group(1)
        operators = engine.rows("operator", "list")
        self.assertEqual([(x["name"], x["role"]) for x in operators],
                         [("demo", "administer")])
        self.assertNotIn(password, engine.log())

        def both():
            found = [x for x in engine.submissions()
                     if x["status"] == "completed"]
            return {x["failed"] for x in found} == {True, False}
        wait_until(both)
        users = {x["user"] for x in engine.submissions()}
        self.assertIn("northern-press", users)
        self.assertGreater(len(users), 3)
        data = Path(engine.ready["data"])
        self.assertEqual(data.parent, Path(tempfile.gettempdir()))
        self.ends_at_interrupt(engine)
        self.assertFalse(data.exists())

    def test_there_is_a_ring_to_look_at(self):
        engine = self.demo()
        self.said(engine)

        def busy():
            found = engine.ask("queue", "show", "metadata")
            users = {x["user"] for x in engine.submissions()
                     if x["status"] == "queued"}
            return found["in_flight"] > 0 and len(users) > 3
        wait_until(busy)

    def test_with_tls_the_greeting_says_https(self):
        authority = Authority(self.folder)
        authority.issue("engine", "127.0.0.1")
        files = []
        for door in ("admin", "http"):
            for key, end in (("certificate", "pem"), ("key", "key")):
                files += ["--set", f"{door}.tls.{key}="
                          f"{authority.file('engine', end)}"]
        engine = self.demo(*files)
        said = self.said(engine)
        self.assertIn(f"Page:   https://{engine.ready['admin']}/", said)
        self.assertIn(f"https://{engine.ready['http']}/deposits", said)
        self.assertNotIn("http://", said)

    def test_a_shell_without_an_engine_says_what_to_do(self):
        said = subprocess.run(
            [str(PROGRAMS / "depositctl"), "--connect", "127.0.0.1:1",
             "status"], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("depositd --demo", said.stderr)
        self.assertIn("--connect HOST:PORT", said.stderr)

    def test_a_folder_that_is_named_stays_and_goes_on(self):
        data = self.folder / "kept"
        for _ in range(2):
            engine = self.demo("--data", str(data))
            self.said(engine)
            self.ends_at_interrupt(engine)
        judged = subprocess.run([str(PROGRAMS / "depositd"), "check",
                                 str(data)], capture_output=True, text=True)
        self.assertEqual(judged.returncode, 0, judged)


if __name__ == "__main__":
    harness.main()
