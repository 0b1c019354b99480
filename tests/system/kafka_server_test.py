"""The private Kafka of scripts/services, and one with TLS and passwords."""

import hashlib
import os
import shutil
import socket
import subprocess
import unittest
from pathlib import Path

from harness import SystemTest, a_deposit, main, wait_until
from kafka_tools import (NOT_INSTALLED, SERVICES, Server, deposit_record,
                         produce, read_topic, services)


class KafkaOverTls(SystemTest):
    """A broker that wants TLS on both sides and a password."""

    MORE = """
listeners=PLAINTEXT://127.0.0.1:@PORT@,CONTROLLER://127.0.0.1:@CONTROLLER@,\\
SAFE://127.0.0.1:{port}
advertised.listeners=PLAINTEXT://127.0.0.1:@PORT@,SAFE://localhost:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,\\
SAFE:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location={folder}/broker.pem
ssl.truststore.type=PEM
ssl.truststore.location={folder}/ca.pem
ssl.client.auth=required
sasl.enabled.mechanisms=PLAIN
listener.name.safe.plain.sasl.jaas.config=org.apache.kafka.common.security\\
.plain.PlainLoginModule required user_depositd="open sesame";
"""

    @classmethod
    def setUpClass(cls):
        tried = services("installed")
        if tried.returncode == NOT_INSTALLED:
            raise unittest.SkipTest(tried.stderr.strip().upper())
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)
        cls.pem = folder = Path(cls.server.folder, "kafka")
        folder.mkdir()
        cls.certificates(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.port = free.getsockname()[1]
        (folder / "more.properties").write_text(
            cls.MORE.format(port=cls.port, folder=folder))
        cls.server.start()

    def setUp(self):
        super().setUp()
        (self.folder / "password").write_text("open sesame\n")
        self.settings = {
            "kafka.brokers": f"localhost:{self.port}",
            "kafka.tls.ca": self.pem / "ca.pem",
            "kafka.tls.certificate": self.pem / "client.pem",
            "kafka.tls.key": self.pem / "client.pem",
            "kafka.sasl.mechanism": "PLAIN",
            "kafka.sasl.user": "depositd",
            "kafka.sasl.password_file": self.folder / "password"}

    @staticmethod
    def certificates(folder):
        """A CA, and key and certificate in one file for both sides."""
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, timeout=60,
                           capture_output=True, cwd=folder)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                "-subj", "/CN=test-ca", "-keyout", "ca.key", "-out", "ca.pem")
        (folder / "names").write_text("subjectAltName=DNS:localhost\n")
        for name in ("broker", "client"):
            openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj",
                    f"/CN={name}", "-keyout", f"{name}.key", "-out",
                    f"{name}.csr")
            openssl("x509", "-req", "-days", "2", "-CAcreateserial",
                    "-extfile", "names", "-in", f"{name}.csr", "-CA",
                    "ca.pem", "-CAkey", "ca.key", "-out", f"{name}.crt")
            (folder / f"{name}.pem").write_text(
                (folder / f"{name}.key").read_text()
                + (folder / f"{name}.crt").read_text())

    def test_deposits_go_both_ways(self):
        engine = self.start(self.settings)
        engine.ctl("kafka", "init")
        line = deposit_record("ann", "a.xml", a_deposit("a").decode())
        produce(self.server.address, "deposits.in", [line])
        found = wait_until(
            lambda: read_topic(self.server.address, "deposits.out"))
        self.assertEqual(found[0].document()["id"], "a.xml")

    def test_a_wrong_password_is_told(self):
        (self.folder / "password").write_text("open barley\n")
        engine = self.start(self.settings)
        refused = engine.ctl_result("kafka", "init")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("uthenticat", engine.log())
        self.assertNotIn("barley", engine.log())

    def test_a_broker_of_another_name_is_not_trusted(self):
        self.settings["kafka.brokers"] = \
            self.settings["kafka.brokers"].replace("localhost", "127.0.0.1")
        engine = self.start(self.settings)
        self.assertEqual(engine.ctl_result("kafka", "init").returncode, 1)
        self.assertIn("certificate verify failed", engine.log())


class Services(SystemTest):
    def call(self, *arguments, programs=None, **more):
        environment = {**os.environ, **more}
        if programs:
            environment["PATH"] = f"{programs}:{environment['PATH']}"
        return subprocess.run([SERVICES, *arguments], capture_output=True,
                              text=True, check=False, env=environment)

    def fake(self, name, script):
        """A folder for PATH in which a program does something else."""
        folder = self.folder / "programs"
        folder.mkdir()
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        return folder

    def test_without_java_it_is_exit_3_and_says_why(self):
        programs = self.folder / "programs"
        programs.mkdir()
        found = {path.name: path
                 for folder in reversed(os.environ["PATH"].split(":"))
                 for path in Path(folder).glob("*") if path.name != "java"}
        for name, path in found.items():
            (programs / name).symlink_to(path)
        for name in "kafka", "s3":
            done = self.call("installed", name, PATH=str(programs))
            self.assertEqual(done.returncode, NOT_INSTALLED, done.stderr)
            self.assertIn("JAVA IS NOT INSTALLED", done.stderr)

    def test_jars_that_cannot_be_fetched_are_exit_3_in_capitals(self):
        done = self.call("installed", "kafka",
                         programs=self.fake("mvn", "exit 1"),
                         XDG_CACHE_HOME=str(self.folder / "cache"))
        self.assertEqual(done.returncode, NOT_INSTALLED)
        self.assertIn("MAVEN COULD NOT FETCH ITS JARS", done.stderr)
        self.assertEqual(list((self.folder / "cache" / "depositd").iterdir()),
                         [])

    def test_jars_are_fetched_once(self):
        tried = services("installed")
        if tried.returncode == NOT_INSTALLED:
            self.skipTest(tried.stderr.strip().upper())
        done = self.call("installed", "kafka",
                         programs=self.fake("mvn", "exit 1"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_starts_without_what_makes_a_start_quick(self):
        """As on a Java that cannot keep its classes, and for the first time."""
        tried = services("installed")
        if tried.returncode == NOT_INSTALLED:
            self.skipTest(tried.stderr.strip().upper())
        here, cache = self.jars(), self.folder / "cache"
        slow = cache / "depositd" / here.name
        slow.mkdir(parents=True)
        for path in here.iterdir():
            if path.suffix == ".jar":
                (slow / path.name).symlink_to(path)
            elif path.suffix == ".jsa":
                (slow / path.name).touch()
        self.assertTrue((here / "bootstrap.checkpoint").exists())
        where = self.folder / "services"
        done = self.call("start", "--folder", where, "--until",
                         str(os.getpid()), "kafka", XDG_CACHE_HOME=str(cache))
        self.addCleanup(services, "kill", folder=where)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((slow / "bootstrap.checkpoint").exists())
        self.assertNotIn("SharedArchive", self.command_line(where))

    def jars(self):
        """Named after what is in it."""
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        pom = SERVICES.parent / "kafka" / "pom.xml"
        named = hashlib.sha256(pom.read_bytes()).hexdigest()[:16]
        return cache / "depositd" / f"kafka-{named}"

    def command_line(self, folder):
        pid = (Path(folder) / "kafka" / "pid").read_text().strip()
        return Path("/proc", pid, "cmdline").read_text()

    def test_each_cluster_is_another(self):
        tried = services("installed")
        if tried.returncode == NOT_INSTALLED:
            self.skipTest(tried.stderr.strip().upper())
        server = Server()
        self.addCleanup(server.remove)
        server.start()
        if any(x.stat().st_size for x in self.jars().glob("*.jsa")):
            self.assertIn("SharedArchive", self.command_line(server.folder))
        place = Path(server.folder, "kafka", "data")
        made = [(place / "meta.properties").read_text()]
        server.kill()
        shutil.rmtree(place)
        server.start()
        made.append((place / "meta.properties").read_text())
        first, second = ({line for line in text.splitlines()
                          if line.partition("=")[0] in (
                              "cluster.id", "directory.id")}
                         for text in made)
        self.assertEqual((len(first), len(second)), (2, 2), made)
        self.assertEqual(first & second, set())

    def test_it_starts_once_stops_and_says_so(self):
        tried = services("installed")
        if tried.returncode == NOT_INSTALLED:
            self.skipTest(tried.stderr.strip().upper())
        server = Server()
        self.addCleanup(server.remove)

        def status():
            return services("status", folder=server.folder)
        self.assertEqual(status().returncode, 1)
        server.start()
        self.assertEqual(status().stdout.strip(), server.address)
        before = server.address
        self.assertEqual(server.start().address, before)
        server.kill()
        self.assertEqual(status().returncode, 1)
        self.assertEqual(server.start().address, before)
        server.stop()
        self.assertEqual(status().returncode, 1)


if __name__ == "__main__":
    main()
