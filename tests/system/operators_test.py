"""Who may operate an engine: accounts on the loopback, operators with a
password, certificates; and what others on the machine may read of it."""

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import harness
from authority import Authority
from harness import SystemTest, wait_until
from remote_test import Node


class Accounts(SystemTest):
    def need_root(self):
        if os.geteuid() != 0:
            print("SKIPPED: only root can be somebody else", flush=True)
            self.skipTest("only root can be somebody else")

    def as_nobody(self, engine, *arguments, text="", environment=None):
        """depositctl by an account that the engine does not know."""
        self.need_root()
        place = Path(tempfile.mkdtemp(prefix="depositctl-"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        program = shutil.copy(harness.PROGRAMS / "depositctl", place)
        return subprocess.run(
            [program, "--connect", engine.ready["node"], *arguments],
            input=text, capture_output=True, text=True, timeout=60,
            user="nobody", group="nogroup", extra_groups=[], cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": "/",
                 **(environment or {})})

    def test_the_account_of_the_engine_needs_nothing(self):
        engine = self.start()
        engine.ctl("suspend")
        own = pwd.getpwuid(os.geteuid()).pw_name
        self.assertIn(f'audit who="account {own}" command="suspend"',
                      engine.log())

    def test_another_account_is_refused(self):
        engine = self.start()
        for words in (["status"], ["suspend"], ["backup", "/planted"],
                      ["user", "password", "press", "--password-stdin"],
                      ["key", "add", "evil", "--role", "queue_admin"]):
            said = self.as_nobody(engine, *words, text="hacked\n")
            self.assertEqual(said.returncode, 1, said)
            self.assertEqual(said.stdout, "")
            self.assertIn("account nobody has none", said.stderr)
            self.assertIn("needs the role", said.stderr)
        self.assertFalse(Path("/planted").exists())
        self.assertFalse(engine.ask("status")["suspended"])
        self.assertEqual(engine.ask("key", "list")["keys"], [])
        self.assertIn('refused who="account nobody" what="suspend"',
                      engine.log())

    def test_a_password_makes_an_operator_of_another_account(self):
        engine = self.start()
        engine.ctl("operator", "add", "ben", "--role", "operate",
                   "--password-stdin", text="secret\n")
        sign_in = ["--operator", "ben", "--password-stdin"]
        said = self.as_nobody(engine, *sign_in, "suspend", text="secret\n")
        self.assertEqual(said.returncode, 0, said)
        self.assertTrue(engine.ask("status")["suspended"])
        self.assertIn('who="operator=ben token" command="suspend"',
                      engine.log())
        said = self.as_nobody(engine, *sign_in,
                              text="secret\nresume\nsuspend\n")
        self.assertEqual(said.returncode, 0, said)
        self.assertNotIn("secret", said.stdout + said.stderr)
        said = self.as_nobody(engine, *sign_in, "backup", "/planted",
                              text="secret\n")
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("backup needs the role administer, and operator=ben "
                      "token has operate", said.stderr)
        said = self.as_nobody(engine, *sign_in, "resume", text="wrong\n")
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("wrong operator or password", said.stderr)
        # An operator outlives the engine, and a password is in no log.
        engine.stop()
        engine.start()
        said = self.as_nobody(engine, *sign_in, "resume", text="secret\n")
        self.assertEqual(said.returncode, 0, said)
        self.assertFalse(engine.ask("status")["suspended"])
        engine.ctl("operator", "remove", "ben", "--yes")
        said = self.as_nobody(engine, *sign_in, "suspend", text="secret\n")
        self.assertEqual(said.returncode, 1, said)
        self.assertNotIn("secret", engine.log_path.read_text())

    def test_a_token_file_is_for_scripts(self):
        self.need_root()
        engine = self.start()
        engine.ctl("operator", "add", "ann", "--role", "look",
                   "--password-stdin", text="a:secret\n")
        token = Path(tempfile.mkstemp(prefix="token-")[1])
        self.addCleanup(token.unlink)
        token.write_text("ann:a:secret\n")
        token.chmod(0o600)
        shutil.chown(token, "nobody")
        named = {"DEPOSITCTL_TOKEN_FILE": str(token)}
        said = self.as_nobody(engine, "status", environment=named)
        self.assertEqual(said.returncode, 0, said)
        said = self.as_nobody(engine, "--token-file", str(token), "suspend")
        self.assertEqual(said.returncode, 1, said)
        token.chmod(0o640)
        said = self.as_nobody(engine, "status", environment=named)
        self.assertEqual(said.returncode, 2, said)
        self.assertIn("chmod 600", said.stderr)

    def test_guesses_are_limited(self):
        engine = self.start()
        engine.ctl("operator", "add", "ben", "--role", "operate",
                   "--password-stdin", text="secret\n")
        for _ in range(25):
            said = self.as_nobody(engine, "--operator", "ben",
                                  "--password-stdin", "status", text="guess\n")
            self.assertEqual(said.returncode, 1, said)
        self.assertIn("too many wrong passwords", said.stderr)
        said = self.as_nobody(engine, "--operator", "ben", "--password-stdin",
                              "status", text="secret\n")
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("sign_in_limited operator=ben", engine.log())
        # Whoever needs no password is not kept out.
        engine.ctl("status")


class Folders(SystemTest):
    def test_nobody_else_reads_what_the_engine_keeps(self):
        engine = self.start(data="a/data")
        door = self.depositor(engine, "ann")
        door.deposit("x.xml", harness.a_deposit("x"))
        backup = self.folder / "kept" / "backup"
        engine.ctl("backup", str(backup))
        for root in (engine.data, backup):
            for path in [root, *root.rglob("*")]:
                mode = stat.S_IMODE(path.stat().st_mode)
                self.assertEqual(mode & 0o077, 0, f"{path} {mode:o}")
        self.assertTrue((backup / "journal").is_dir())

    def test_an_engine_of_root_says_so(self):
        engine = self.start()
        self.assertEqual("engine_runs_as_root" in engine.log(),
                         os.geteuid() == 0)


class Certificates(SystemTest):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)
        for who in ("engine", "anna", "boss", "rack", "other"):
            self.authority.issue(who)
        self.engine_ = self.start({
            "processors.count": 0, "operators.administrators": "boss",
            **self.authority.settings("engine")})

    def ctl(self, who, *words, text=""):
        return subprocess.run(
            [str(harness.PROGRAMS / "depositctl"), "--connect",
             self.engine_.ready["node"], *self.authority.options(who), *words],
            input=text, capture_output=True, text=True, timeout=60)

    def done(self, who, *words, text=""):
        said = self.ctl(who, *words, text=text)
        self.assertEqual(said.returncode, 0, said)

    def refused(self, who, *words, reason):
        said = self.ctl(who, *words)
        self.assertEqual(said.returncode, 1, said)
        self.assertIn(reason, said.stderr)

    def test_a_certificate_has_the_role_of_its_name(self):
        self.done("other", "status")
        self.refused("other", "suspend",
                     reason="certificate other has look and node")
        self.done("engine", "operator", "add", "anna", "--role", "operate")
        self.done("anna", "suspend")
        self.refused("anna", "backup", "/planted",
                     reason="operator=anna certificate has operate")
        self.done("boss", "operator", "set", "anna", "--role", "look")
        self.refused("anna", "resume", reason="has look")
        self.assertIn('who="operator=anna certificate" command="suspend"',
                      self.engine_.log())
        self.assertIn('who="operator=boss certificate"', self.engine_.log())

    def test_a_worker_works_and_does_not_administer(self):
        self.done("engine", "operator", "add", "rack", "--role", "node")
        self.done("engine", "operator", "add", "anna", "--role", "operate")
        for who in ("rack", "other"):
            node = Node(harness.PROGRAMS, self.folder, f"node-{who}",
                        self.engine_.ready["node"],
                        {"processors.count": 2,
                         **self.authority.settings(who)})
            self.addCleanup(node.kill)
            node.start()
            self.refused(who, "user", "remove", "press", "--yes",
                         reason="needs the role administer")
        person = Node(harness.PROGRAMS, self.folder, "node-anna",
                      self.engine_.ready["node"],
                      self.authority.settings("anna"))
        self.addCleanup(person.kill)
        person.launch()
        wait_until(lambda: "join_node needs the role node" in person.log())
        self.done("engine", "user", "add", "press", "--password-stdin",
                  text="secret-press\n")
        door = self.door(self.engine_, "press")
        door.deposit("x.xml", harness.a_deposit("x"))
        self.assertEqual(self.outcome(door, "x.xml").failures(), [])


if __name__ == "__main__":
    harness.main()
