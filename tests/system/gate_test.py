"""The node port and the descriptors of an engine under those who mean no good:
silence, half a handshake, certificates that come and go, few descriptors."""

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import harness
from engine import EngineFailed
from harness import SystemTest, a_deposit, wait_until
from remote_test import CertifiedTest


class GateTest(SystemTest):
    def silent(self, address, count, own="127.0.0.1"):
        """Connections that say nothing, as many as the system gives."""
        out = []
        for _ in range(count):
            s = socket.socket()
            self.addCleanup(s.close)
            s.settimeout(2)
            s.bind((own, 0))
            try:
                s.connect(address)
            except OSError:
                break
            out.append(s)
        return out


def closed(s):
    """Whether the other end has closed; takes what it has said."""
    s.settimeout(0)
    try:
        while s.recv(4096):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


class Silence(GateTest):
    def test_who_does_not_shake_hands_is_closed(self):
        engine = self.start({"node.limits.handshake_s": 1})
        crowd = self.silent(engine.address("node"), 20)
        self.assertEqual(len(crowd), 20)
        for s in crowd:
            wait_until(lambda: closed(s), 30)
        self.assertIn("node_peer_refused", engine.log())
        engine.ask("status")

    def test_a_crowd_from_one_address_does_not_stop_its_operators(self):
        engine = self.start()
        crowd = self.silent(engine.address("node"), 300)
        engine.ask("status")
        still_there = sum(not closed(s) for s in crowd)
        self.assertLessEqual(still_there, 32)
        self.assertLess(len(re.findall("node_peer_refused", engine.log())), 50)

    def test_wrong_limits_are_refused_by_name(self):
        with self.assertRaises(EngineFailed) as failed:
            self.start({"node.limits.handshake_s": 0})
        self.assertEqual(failed.exception.code, 2)
        self.assertIn("node.limits.handshake_s", failed.exception.log)


class FewDescriptors(GateTest):
    def test_the_journal_goes_on_whoever_takes_connections(self):
        engine = self.engine({"store.segment_mb": 1},
                             wrapper=["prlimit", "--nofile=256:256"]).start()
        engine.add_user("user", "secret-user")
        door = self.door(engine, "user")
        self.assertTrue(door.deposit("old.xml", a_deposit("old")).accepted)
        crowd = []
        for n in range(10):  # from addresses that are not ours
            for kind in ("node", "http", "admin"):
                crowd += self.silent(engine.address(kind), 40,
                                     f"127.0.1.{n + 1}")
        self.assertGreater(len(crowd), 400)
        before = len(list((engine.data / "journal").iterdir()))
        filler = "x" * 40_000
        for n in range(60):  # more than a segment holds
            name = f"more-{n}"
            self.assertTrue(door.deposit(
                f"{name}.xml", a_deposit(name, title=filler)).accepted, name)
        self.outcome(door, "more-59.xml")
        self.assertGreaterEqual(
            len(list((engine.data / "journal").iterdir())), before)
        self.assertNotIn("journal_append_failed", engine.log())
        self.assertNotIn("Too many open files", engine.log())
        engine.ask("status")

    def test_the_limit_is_raised_as_far_as_it_may_be(self):
        engine = self.engine(
            wrapper=["prlimit", "--nofile=128:1024"]).start()
        limits = Path(f"/proc/{engine.process.pid}/limits").read_text()
        self.assertRegex(limits, r"Max open files +1024 +1024")


class Certified(CertifiedTest, GateTest):
    def operator(self, engine, who="node", authority="ca",
                 command=("status",)):
        return subprocess.run(
            [str(harness.PROGRAMS / "depositctl"), "--connect",
             engine.ready["node"],
             "--tls-certificate", self.file(who, "pem"),
             "--tls-key", self.file(who, "key"),
             "--tls-ca", self.file(authority, "pem"), *command],
            capture_output=True, text=True, timeout=60)

    def served(self, engine):
        return self.operator(engine).returncode == 0

    def test_certificates_that_are_away_end_nothing(self):
        engine = self.start(self.files("engine"))
        for kind in ("pem", "key"):
            os.rename(self.file("engine", kind),
                      self.file("engine", kind + "x"))
        self.silent(engine.address("node"), 50)
        self.assertTrue(self.served(engine), engine.log())
        engine.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "node_certificate_kept" in engine.log())
        self.assertTrue(self.served(engine), engine.log())
        for kind in ("pem", "key"):
            os.rename(self.file("engine", kind + "x"),
                      self.file("engine", kind))
        wait_until(lambda: "node_certificate_taken" in engine.log())
        self.assertTrue(self.served(engine), engine.log())

    def test_a_torn_certificate_keeps_the_old_one(self):
        engine = self.start(self.files("engine"))
        pem = Path(self.file("engine", "pem"))
        whole = pem.read_bytes()
        pem.write_bytes(whole[:len(whole) // 2])
        wait_until(lambda: "node_certificate_kept" in engine.log())
        self.assertIn(str(pem), engine.log())
        self.assertTrue(self.served(engine), engine.log())

    def test_a_renewed_certificate_without_a_name_is_the_engine_s_own(self):
        self.authorities["ca"].issue("engine", subject="/O=Press")
        engine = self.start(self.files("engine"))
        adding = ("operator", "add", "anna", "--role", "look")
        self.authorities["ca"].issue("engine", subject="/O=Press")
        wait_until(lambda: "node_certificate_taken" in engine.log())
        done = self.operator(engine, "engine", command=adding)
        self.assertEqual(done.returncode, 0, done.stderr + engine.log())
        self.assertNotEqual(
            self.operator(engine, "node", command=adding).returncode, 0)

    def test_connections_without_descriptors_end_nothing(self):
        engine = self.engine(self.files("engine"),
                             wrapper=["prlimit", "--nofile=200:200"]).start()
        crowd = []
        for n in range(10):
            crowd += self.silent(engine.address("node"), 50,
                                 f"127.0.1.{n + 1}")
        self.assertGreater(len(crowd), 300)
        self.assertTrue(self.served(engine), engine.log())

    def test_a_wrong_pair_is_refused_at_start_by_name(self):
        wrong = {**self.files("engine"),
                 "node.tls.key": self.file("node", "key")}
        with self.assertRaises(EngineFailed) as failed:
            self.start(wrong)
        self.assertEqual(failed.exception.code, 2)
        self.assertIn("node.tls: " + self.file("node", "key"),
                      failed.exception.log)

    def test_the_shell_and_the_log_say_that_tls_failed(self):
        engine = self.start(self.files("engine"))
        began = time.monotonic()
        alien = self.operator(engine, "stranger", "other")
        self.assertEqual(alien.returncode, 3)
        self.assertIn("TLS: certificate verify failed", alien.stderr)
        own = self.operator(engine, "stranger")
        self.assertEqual(own.returncode, 3)
        self.assertIn("TLS", own.stderr)
        self.assertLess(time.monotonic() - began, 30)
        self.assertRegex(engine.log(),
                         r'node_peer_refused peer=127\.0\.0\.1 reason="TLS: ')


if __name__ == "__main__":
    harness.main()
