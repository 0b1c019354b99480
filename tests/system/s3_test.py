"""Objects and blobs in a bucket of S3, through the real program: stored, read
back by curl, and kept through a server that goes away."""

import hashlib
import http.client
import http.server
import json
import subprocess
import threading
import uuid
from pathlib import Path
from urllib.parse import quote

import harness
import poster_door
from engine import EngineFailed
from harness import SystemTest, a_deposit, wait_until
from merritt_samples import Source, manifest, object_manifest, row, text
from pipelines import impatient_pipelines
from pulled import need_server
from stored_objects import stored_objects

PASSWORD = "secret-lea"
ACCESS_KEY = "depositd-test"  # of scripts/service_s3
SECRET_KEY = "only/for+tests"
NOTHING = hashlib.sha256(b"").hexdigest()


class FullBucket(http.server.ThreadingHTTPServer):
    """Stands before a server of S3, takes nothing while it is `full`, and
    gives no answer to what is put there once it `hangs`, until it is `over`."""

    def __init__(self, behind):
        super().__init__(("127.0.0.1", 0), FullBucketCall)
        self.behind = behind.removeprefix("http://")
        self.full = None
        self.refused = 0
        self.hangs = False
        self.hanging = 0
        self.over = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class FullBucketCall(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.command == "PUT" and self.server.hangs:
            self.server.hanging += 1
            self.server.over.wait(600)
            self.close_connection = True
            return None
        if self.command == "PUT" and self.server.full:
            self.server.refused += 1
            status, code = self.server.full
            document = f"<Error><Code>{code}</Code></Error>".encode()
            self.say(status, {}, document)
            return None
        line = http.client.HTTPConnection(self.server.behind, timeout=60)
        line.putrequest(self.command, self.path, skip_host=True,
                        skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name != "Expect":
                line.putheader(name, value)
        line.endheaders(body)
        said = line.getresponse()
        document = said.read()
        self.say(said.status, dict(said.getheaders()), document)
        line.close()
        return None

    def say(self, status, headers, document):
        self.send_response_only(status)
        headers.pop("Transfer-Encoding", None)
        headers.setdefault("Content-Length", str(len(document)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(document)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on


class Buckets(SystemTest):
    @classmethod
    def setUpClass(cls):
        cls.server = need_server(cls, "s3")

    def setUp(self):
        super().setUp()
        self.source = Source()
        self.source.serve()
        self.addCleanup(self.source.server_close)
        self.addCleanup(self.source.shutdown)

    def key_file(self, name, key):
        path = self.folder / name
        path.write_text(key + "\n")
        path.chmod(0o600)
        return str(path)

    def place(self, of, prefix, **other):
        fields = {"kind": "s3", "endpoint": self.server.address,
                  "bucket": "depositd", "prefix": prefix, "path_style": "true",
                  "access_key_file": self.key_file("access", ACCESS_KEY),
                  "secret_key_file": self.key_file("secret", SECRET_KEY),
                  **other}
        return {f"{of}.{name}": value for name, value in fields.items()}

    def prepared(self, prefix, more=()):
        engine = self.start({"fetch.allow": self.source.address,
                             **self.place("storage.vault", f"{prefix}/objects"),
                             **self.place("blobs", f"{prefix}/blobs"),
                             **dict(more)})
        engine.add_user("lea", PASSWORD)
        engine.ctl("collection", "add", "books", "--owner", "lea",
                   "--storage", "vault")
        return engine

    def submit(self, engine, names):
        files = {"one+1.txt": text("one", 40), "two.txt": text("two", 9)}
        rows = []
        for name in names:
            content = object_manifest(self.source, name, files)
            rows.append(row(self.source.add(f"{name}.checkm", content),
                            content, f"{name}.checkm", "", "",
                            f"local-{name}"))
        return poster_door.submit(
            engine.address("http"), "lea", PASSWORD,
            {"profile": "books", "type": "batch-manifest"}, "all.checkm",
            manifest("mrt-batch-manifest", rows))

    def completed(self, engine, batch):
        def has_ended():
            found = engine.ask("batch", "show", batch)
            self.assertNotEqual(found["state"], "failed")
            return found["state"] == "completed"
        wait_until(has_ended, 120, pause=0.2)

    def kept(self, prefix):
        """Where the server has its bucket, as a folder."""
        return Path(self.server.folder) / "s3" / "data" / "depositd" / prefix

    def fetch(self, key):
        """As another client does."""
        done = subprocess.run(
            ["curl", "--silent", "--fail", "--user",
             f"{ACCESS_KEY}:{SECRET_KEY}", "--aws-sigv4",
             "aws:amz:us-east-1:s3", "-H", f"x-amz-content-sha256: {NOTHING}",
             f"{self.server.address}/depositd/{key}"],
            capture_output=True, check=True, timeout=60)
        return done.stdout

    # -----------------------------------------------------------------------

    def test_objects_are_kept_in_the_bucket_and_can_be_read_by_others(self):
        engine = self.prepared("plain")
        self.completed(engine, self.submit(engine, ["a", "b"]))
        stored = stored_objects(self.kept("plain/objects"))
        self.assertEqual(len(stored), 2)
        self.assertEqual({x["version"] for x in stored.values()}, {"v1"})
        for mark in self.kept("plain/objects").rglob("0=ocfl_object_1.1"):
            folder = mark.parent.relative_to(self.kept(""))
            inventory = self.fetch(f"{folder}/inventory.json")
            sidecar = self.fetch(f"{folder}/inventory.json.sha512").split()[0]
            self.assertEqual(hashlib.sha512(inventory).hexdigest(),
                             sidecar.decode())
            for digest, places in json.loads(inventory)["manifest"].items():
                for place in places:
                    found = self.fetch(f"{folder}/{quote(place)}")
                    self.assertEqual(hashlib.sha512(found).hexdigest(), digest)
        self.assertFalse((engine.data / "blobs").exists())
        blobs = [x for x in self.kept("plain/blobs").rglob("*") if x.is_file()]
        self.assertTrue(blobs)
        for blob in blobs:
            self.assertEqual(hashlib.sha256(blob.read_bytes()).hexdigest(),
                             blob.name)
        self.assertNotIn(SECRET_KEY, engine.log())

    def test_a_server_that_goes_away_is_waited_for(self):
        engine = self.prepared("away")
        engine.ctl("pipeline", "pause", "merritt")
        batch = self.submit(engine, [f"{i}" for i in range(5)])
        self.server.kill()
        self.addCleanup(self.server.start)
        engine.ctl("pipeline", "unpause", "merritt")
        self.server.start()
        # And once more, while objects are on their way.
        wait_until(lambda: list(
            self.kept("away/objects").rglob("inventory.json")), 120)
        engine.kill()
        self.server.kill()
        # What it leaves if it was killed while it wrote.
        unfinished = self.kept("away/objects") / f"0-{uuid.uuid4()}"
        unfinished.write_bytes(b"")
        self.server.start()
        engine.start()
        self.completed(engine, batch)
        stored = stored_objects(self.kept("away/objects"))
        self.assertEqual(len(stored), 5)
        self.assertEqual({x["version"] for x in stored.values()}, {"v1"})

    def test_jobs_wait_for_a_server_that_is_away(self):
        engine = self.prepared("waited")
        engine.ctl("pipeline", "pause", "merritt.store")
        engine.ctl("pipeline", "set", "merritt.store", "--attempts-max", "1")
        batch = self.submit(engine, ["a", "b"])
        jobs = lambda: engine.rows("job", "list", "--batch", batch)
        wait_until(lambda: [x["state"] for x in jobs()] == ["storing"] * 2,
                   60, pause=0.2)
        self.server.kill()
        self.addCleanup(self.server.start)
        engine.ctl("pipeline", "unpause", "merritt.store")
        wait_until(lambda: all("s3://depositd/" in x["note"] for x in jobs()),
                   60, pause=0.2)
        self.assertEqual([x["state"] for x in jobs()], ["storing"] * 2)
        self.server.start()
        self.completed(engine, batch)
        for said in ("service_away service=storage.vault",
                     "service_back service=storage.vault"):
            self.assertEqual(engine.log().count(said), 1)

    def behind_one(self, name):
        """A bucket that may be full, and an engine that gives up at once."""
        bucket = FullBucket(self.server.address)
        self.addCleanup(bucket.server_close)
        self.addCleanup(bucket.shutdown)
        engine = self.prepared(name, {
            "pipelines.folder": impatient_pipelines(self.folder),
            "storage.vault.endpoint": bucket.address})
        engine.ctl("pipeline", "set", "merritt.store", "--attempts-max", "1")
        return bucket, engine

    def test_jobs_wait_for_a_bucket_that_is_full(self):
        bucket, engine = self.behind_one("full")
        for status, code in ((403, "QuotaExceeded"),
                             (507, "XMinioStorageFull")):
            before = bucket.refused
            bucket.full = (status, code)
            batch = self.submit(engine, [code, f"{code}-2"])
            wait_until(lambda: bucket.refused >= before + 6, 60)
            jobs = engine.rows("job", "list", "--batch", batch)
            self.assertEqual([x["state"] for x in jobs], ["storing"] * 2)
            wait_until(lambda: all(
                code in x["note"] for x in
                engine.rows("job", "list", "--batch", batch)), 60)
            bucket.full = None
            self.completed(engine, batch)
        for said in ("no_room bucket=storage.vault",
                     "room_again bucket=storage.vault"):
            self.assertEqual(engine.log().count(said), 2)

    def test_jobs_wait_for_a_bucket_that_is_busy(self):
        bucket, engine = self.behind_one("busy")
        bucket.full = (503, "SlowDown")
        batch = self.submit(engine, ["a", "b"])
        jobs = lambda: engine.rows("job", "list", "--batch", batch)
        wait_until(lambda: all("SlowDown" in x["note"] for x in jobs()), 60)
        self.assertEqual([x["state"] for x in jobs()], ["storing"] * 2)
        self.assertEqual(
            engine.log().count("bucket_busy bucket=storage.vault"), 1)
        self.assertNotIn("service_away", engine.log())
        bucket.full = None
        self.completed(engine, batch)

    def test_a_bucket_that_hangs_holds_up_no_stop(self):
        bucket = FullBucket(self.server.address)
        self.addCleanup(bucket.server_close)
        self.addCleanup(bucket.shutdown)
        self.addCleanup(bucket.over.set)
        engine = self.prepared("hangs", {
            "storage.vault.endpoint": bucket.address,
            "shutdown.drain_ms": 100})
        bucket.hangs = True
        batch = self.submit(engine, ["a"])
        wait_until(lambda: bucket.hanging)
        self.assertEqual(engine.stop(), 0, engine.log())
        self.assertNotIn("stop_cut_short", engine.log())
        bucket.hangs = False
        bucket.over.set()
        engine.start()
        self.completed(engine, batch)

    def test_a_bucket_of_blobs_that_hangs_holds_up_no_stop(self):
        bucket = FullBucket(self.server.address)
        self.addCleanup(bucket.server_close)
        self.addCleanup(bucket.shutdown)
        self.addCleanup(bucket.over.set)
        engine = self.start({
            **self.place("blobs", "hanging", endpoint=bucket.address),
            "shutdown.drain_ms": 100})
        lea = self.depositor(engine, "lea")
        bucket.hangs = True
        large = a_deposit("large", title="A" * 400_000)
        accepted = []

        def deposit():
            try:
                accepted.append(lea.deposit("large.xml", large).accepted)
            except (OSError, http.client.HTTPException):
                accepted.append(False)

        waiting = threading.Thread(target=deposit)
        waiting.start()
        wait_until(lambda: bucket.hanging)
        self.assertEqual(engine.stop(), 0, engine.log())
        self.assertNotIn("stop_cut_short", engine.log())
        waiting.join()
        self.assertEqual(accepted, [False])

    def test_a_deposit_outlasts_a_server_that_is_away(self):
        engine = self.start({**self.place("blobs", "outlasted"),
                             "queues.metadata.attempts_max": 1})
        lea = self.depositor(engine, "lea")
        engine.ctl("queue", "suspend", "metadata")
        lea.deposit("large.xml", a_deposit("large", title="A" * 400_000))
        self.server.kill()
        self.addCleanup(self.server.start)
        engine.ctl("queue", "resume", "metadata")
        wait_until(lambda: "blobs_fail" in engine.log())
        self.server.start()
        self.assertEqual(self.outcome(lea, "large.xml").failures(), [])

    def test_a_wrong_place_is_refused_at_the_start_by_its_name(self):
        wrong = self.key_file("wrong", "wrong")
        for setting, other, reason in (
                ("storage.vault", {"bucket": "not-there"}, "NoSuchBucket"),
                ("storage.vault", {"secret_key_file": wrong},
                 "SignatureDoesNotMatch"),
                ("blobs", {"bucket": "not-there"}, "NoSuchBucket")):
            with self.assertRaises(EngineFailed) as refused:
                self.start(self.place(setting, "wrong", **other))
            said = str(refused.exception)
            self.assertIn(setting, said)
            self.assertIn(reason, said)
            self.assertNotIn(SECRET_KEY, said)


if __name__ == "__main__":
    harness.main()
