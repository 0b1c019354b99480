"""NSQ's own clients, unchanged, with only the address changed: pynsq, gnsq,
nsqjs, go-nsq and its tests, nsqadmin, and the workers of docs/examples.
scripts/setup --all brings them; what is not there is skipped by name."""

import json
import os
import re
import shutil
import socket
import subprocess
import unittest
import urllib.request
from pathlib import Path

import harness
from authority import Authority
from harness import ROOT, fetched, wait_until
from nsq_server import NsqTest

CLIENTS = ROOT / "tests/clients/nsq"
EXAMPLES = ROOT / "docs/examples"
MESSAGES = 200

# Layers that are asked for: TLS, snappy, deflate.
MODES = {"plain": (False, False, False), "tls": (True, False, False),
         "snappy": (False, True, False), "deflate": (False, False, True),
         "tls_snappy": (True, True, False), "tls_deflate": (True, False, True)}

# go-nsq's tests that talk to a server.
LIVE = ["TestConsumer", "TestConsumerTLS", "TestConsumerDeflate",
        "TestConsumerSnappy", "TestConsumerTLSDeflate",
        "TestConsumerTLSSnappy", "TestConsumerTLSClientCert",
        "TestConsumerTLSClientCertViaSet", "TestProducerConnection",
        "TestProducerPing", "TestProducerPublish", "TestProducerMultiPublish",
        "TestProducerPublishAsync", "TestProducerMultiPublishAsync",
        "TestProducerHeartbeat"]


def go_environment():
    """Nothing is fetched while tests run."""
    return {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod",
            "GOSUMDB": "off", "GOTOOLCHAIN": "local"}


class ClientTest(NsqTest):
    def need(self, name, *parts):
        found = fetched(*parts)
        if not found:
            self.skipTest(f"NOT TESTED: {name.upper()} IS NOT INSTALLED "
                          "(scripts/setup --all)")
        return str(found)

    def serve_with_tls(self):
        authority = Authority(self.folder)
        authority.issue("localhost", "127.0.0.1")
        self.ca = authority.file("ca", "pem")
        return self.serve(certificate=authority.file("localhost", "pem"),
                          key=authority.file("localhost", "key"))

    def run_client(self, command, environment=None, **given):
        """What it told in its last line."""
        done = subprocess.run(
            [*command, json.dumps({"tcp": self.server.ready["nsq"],
                                   "http": self.server.ready["nsq_http"],
                                   "ca": self.ca, "messages": MESSAGES,
                                   **given})],
            capture_output=True, text=True, timeout=60,
            env={**os.environ, **(environment or {})})
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout.splitlines()[-1])

    def through_all_layers(self, command, environment=None):
        self.serve_with_tls()
        for mode, (tls, snappy, deflate) in MODES.items():
            with self.subTest(mode):
                told = self.run_client(command, environment, topic=mode,
                                       tls=tls, snappy=snappy,
                                       deflate=deflate)
                # Each once, and those that were requeued at a second attempt.
                self.assertEqual(told["bodies"],
                                 {str(n): 1 for n in range(MESSAGES)})
                self.assertEqual(
                    told["attempts"],
                    {str(n): [1] if n % 10 else [1, 2]
                     for n in range(MESSAGES)})
                seen = self.becomes(mode, depth=0, in_flight_count=0,
                                    deferred_count=0)
                self.assertEqual(seen["requeue_count"], MESSAGES // 10)
                self.assertEqual(seen["timeout_count"], 0)


class Registries(ClientTest):
    def python(self, name):
        return [self.need(name, "python.done") and
                str(fetched("venv", "bin", "python3")), "-B",
                str(CLIENTS / f"{name}_client.py")]

    def test_pynsq(self):
        self.through_all_layers(self.python("pynsq"))

    def test_gnsq(self):
        self.through_all_layers(self.python("gnsq"))

    def test_nsqjs(self):
        modules = self.need("nsqjs", "node_modules", "nsqjs")
        self.through_all_layers(
            ["node", str(CLIENTS / "nsqjs_client.js")],
            {"NODE_PATH": str(Path(modules).parent)})

    def go_client(self):
        return [self.need("go-nsq", "bin", "client")]

    def test_go_nsq(self):
        self.through_all_layers(self.go_client())

    def test_go_nsq_finds_topics_by_lookup(self):
        self.serve_with_tls()
        if self.call("GET", "/topics")[0] != 200:
            self.skipTest("nsqd answers no lookups itself")
        told = self.run_client(self.go_client(), topic="found", lookup=True)
        self.assertEqual(len(told["bodies"]), MESSAGES)

    def test_row_q39_go_nsq_gives_up_after_its_attempts(self):
        self.serve_with_tls()
        told = self.run_client(self.go_client(), topic="fails", fail=True,
                               messages=3)
        self.assertEqual(told["attempts"],
                         {str(n): [1, 2, 3, 4, 5] for n in range(3)})
        self.assertEqual(sorted(told["given_up"]), ["0", "1", "2"])
        self.becomes("fails", depth=0, in_flight_count=0, deferred_count=0)


class GoNsqsOwnTests(ClientTest):
    def test_its_15_live_tests_pass(self):
        self.need("go-nsq", "bin", "client")
        found = json.loads(subprocess.run(
            ["go", "list", "-m", "-json", "github.com/nsqio/go-nsq"],
            cwd=CLIENTS / "go", env=go_environment(), check=True,
            capture_output=True).stdout)
        copy = self.folder / "go-nsq"
        shutil.copytree(found["Dir"], copy, copy_function=shutil.copyfile)
        for folder in (copy, copy / "test"):
            folder.chmod(0o755)
        client = Authority(self.folder, "client-ca")
        client.issue("client")
        for kind in ("pem", "key"):
            shutil.copyfile(client.file("client", kind),
                            copy / f"test/client.{kind}")
        self.serve(certificate=str(copy / "test/server.pem"),
                   key=str(copy / "test/server.key"))
        self.point_at_the_server(copy)
        done = subprocess.run(
            ["go", "test", "-count=1", "-v", "-run",
             f"^({'|'.join(LIVE)})$", "github.com/nsqio/go-nsq"],
            cwd=self.beside(copy), env=go_environment(), timeout=280,
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:]
                         + done.stderr[-2000:])
        self.assertEqual(
            sorted(re.findall(r"^--- PASS: (\w+)", done.stdout, re.M)),
            sorted(LIVE))

    def point_at_the_server(self, copy):
        """Only the address is changed."""
        ports = {"4150": self.server.ready["nsq"].rsplit(":", 1)[1],
                 "4151": self.server.ready["nsq_http"].rsplit(":", 1)[1]}
        for path in copy.glob("*_test.go"):
            text = path.read_text()
            for usual, port in ports.items():
                text = re.sub(rf"(127\.0\.0\.1:|t, ){usual}\b",
                              rf"\g<1>{port}", text)
            path.write_text(text)

    def beside(self, copy):
        """A module whose dependencies are there already."""
        folder = self.folder / "module"
        shutil.copytree(CLIENTS / "go", folder)
        with open(folder / "go.mod", "a", encoding="utf-8") as file:
            file.write(f"\nreplace github.com/nsqio/go-nsq => {copy}\n")
        return folder


class Nsqadmin(ClientTest):
    def free_port(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def admin(self, how):
        program = self.need("nsqadmin", "bin", "nsqadmin")
        address = f"127.0.0.1:{self.free_port()}"
        log = open(self.folder / "nsqadmin.log", "ab")
        self.addCleanup(log.close)
        running = subprocess.Popen(
            [program, f"--http-address={address}",
             f"--{how}={self.server.ready['nsq_http']}"], stderr=log)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        self.base = f"http://{address}/api"
        wait_until(lambda: self.page("/topics"))

    def page(self, path):
        try:
            with urllib.request.urlopen(self.base + path, timeout=10) as page:
                return json.load(page)
        except OSError:
            return None

    def shows_everything(self):
        self.assertEqual(self.page("/topics")["topics"], ["shown"])
        found = self.page("/topics/shown")
        self.assertEqual(found["topic_name"], "shown")
        [channel] = found["channels"]
        self.assertEqual((channel["channel_name"], channel["depth"]),
                         ("ch", 3))
        found = self.page("/topics/shown/ch")
        self.assertEqual(found["client_count"], 1)
        [node] = self.page("/nodes")["nodes"]
        self.assertEqual(node["tcp_port"],
                         int(self.server.ready["nsq"].rsplit(":", 1)[1]))

    def fill(self):
        self.serve()
        self.consumer("shown", "ch")
        self.connect().mpub("shown", [b"1", b"2", b"3"])
        self.becomes("shown", depth=3)

    def test_its_pages_show_topics_channels_and_nodes(self):
        self.fill()
        self.admin("nsqd-http-address")
        self.shows_everything()

    def test_its_pages_find_them_by_lookup_too(self):
        self.fill()
        if self.call("GET", "/topics")[0] != 200:
            self.skipTest("nsqd answers no lookups itself")
        self.admin("lookupd-http-address")
        self.shows_everything()

    def test_its_buttons_work(self):
        self.fill()
        self.admin("nsqd-http-address")
        for action, paused in (("pause", True), ("unpause", False)):
            request = urllib.request.Request(
                self.base + "/topics/shown/ch",
                json.dumps({"action": action}).encode(),
                {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                self.assertEqual(answer.status, 200)
            self.assertEqual(self.channel("shown")["paused"], paused)


class Examples(ClientTest):
    """Workers that do their work with a program, as users write them."""

    PROGRAM = ["sh", "-c", "body=$(cat); case $body in "
               "again) [ $ATTEMPT -gt 1 ] || exit 75;; "
               "bad) echo nobody knows it >&2; exit 1;; "
               "slow) timeout 4 tail -f /dev/null;; esac; "
               "echo $body >> $NOTES"]

    def work(self, command):
        self.serve(msg_timeout=2000)
        self.consumer("jobs").close()
        notes = self.folder / "notes"
        log = open(self.folder / "worker.log", "ab")
        self.addCleanup(log.close)
        worker = subprocess.Popen(
            [*command, self.server.ready["nsq"], "jobs", "ch", "--",
             *self.PROGRAM], stderr=log,
            env={**os.environ, "NOTES": str(notes)})
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        client = self.connect()
        for body in (b"one", b"again", b"bad", b"slow", b"two"):
            client.pub("jobs", body)

        def done():
            return notes.exists() and sorted(
                notes.read_text().split()) == ["again", "one", "slow", "two"]
        wait_until(done, 60)
        seen = self.becomes("jobs", depth=0, in_flight_count=0,
                            deferred_count=0, timeout=30)
        self.assertEqual(seen["timeout_count"], 0)  # the slow one was touched
        self.assertEqual(worker.poll(), None)
        self.assertIn("nobody knows it",
                      (self.folder / "worker.log").read_text())

    def test_the_worker_in_python(self):
        self.need("pynsq", "python.done")
        self.work([str(fetched("venv", "bin", "python3")), "-B",
                   str(EXAMPLES / "nsq_worker.py")])

    def test_the_worker_in_go(self):
        self.need("go-nsq", "bin", "client")
        program = self.folder / "nsq_worker"
        subprocess.run(["go", "build", "-o", str(program),
                        str(EXAMPLES / "nsq_worker.go")],
                       cwd=CLIENTS / "go", env=go_environment(), check=True,
                       timeout=240)
        self.work([str(program)])


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
