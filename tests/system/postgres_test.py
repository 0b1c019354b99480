"""The engine on a real PostgreSQL: killed, restarted, the server killed under
it. What was acknowledged is delivered, what was acked stays away."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from engine import EngineFailed
from harness import BROKEN, SystemTest, a_deposit, wait_until

SERVICES = Path(__file__).resolve().parents[2] / "scripts" / "services"


def services(action, folder, *more):
    return subprocess.run([SERVICES, action, "--folder", folder, *more],
                          capture_output=True, text=True, check=False)


class Server:
    """A cluster in a folder of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="depositd-postgres-")
        Path(self.folder).chmod(0o755)
        self.url = ""

    def start(self):
        more = ("--port", self.url.rsplit(":", 1)[1].split("/")[0]) \
            if self.url else ()
        started = services("start", self.folder, "--until",
                           str(os.getpid()), *more)
        if started.returncode != 0:
            raise AssertionError(started.stderr)
        self.url = started.stdout.strip()

    def kill(self):
        services("kill", self.folder)

    @contextlib.contextmanager
    def set_back(self):
        """Afterwards it is as it was before: a copy that was behind, and has
        taken over."""
        data = Path(self.folder, "postgres", "data")
        copy = data.with_name("copy")
        self.kill()
        subprocess.run(["cp", "-a", data, copy], check=True)
        self.start()
        yield
        self.kill()
        shutil.rmtree(data)
        copy.rename(data)
        signal_file = data / "standby.signal"
        signal_file.touch()
        shutil.chown(signal_file, data.owner(), data.group())
        self.start()
        subprocess.run(["psql", self.url, "-XAtqc", "SELECT pg_promote()"],
                       check=True, capture_output=True)

    def remove(self):
        services("stop", self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)


class PostgresStore(SystemTest):
    @classmethod
    def setUpClass(cls):
        if services("installed", "none").returncode == 3:
            raise unittest.SkipTest("POSTGRESQL IS NOT INSTALLED")
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def engine_on_postgres(self, schema, **more):
        self.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        self.url = f"{self.server.url}?options=-csearch_path%3D{schema}"
        return self.engine({"store.kind": "postgres", "store.url": self.url,
                            "store.segment_mb": 1, "emodb.anonymous": "true",
                            "log.level": "warn"}, **more)

    def sql(self, text, url=None):
        done = subprocess.run(["psql", url or self.server.url, "-XAtqc", text],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def call(self, engine, method, path, body=None):
        line = http.client.HTTPConnection(*engine.address("http"), timeout=60)
        self.addCleanup(line.close)
        line.request(method, path, None if body is None else json.dumps(body),
                     {"Content-Type": "application/json"})
        answer = line.getresponse()
        text = answer.read()
        self.assertEqual(answer.status, 200, text)
        return json.loads(text) if text else None

    def send(self, engine, first, count):
        self.call(engine, "POST", "/queue/1/work/sendbatch",
                  [{"n": n, "filler": "x" * 500}
                   for n in range(first, first + count)])

    def poll(self, engine, limit, ttl=600):
        found = self.call(engine, "GET",
                          f"/queue/1/work/poll?limit={limit}&ttl={ttl}")
        return {x["payload"]["n"]: x["id"] for x in found}

    def test_everything_acknowledged_survives_kills(self):
        engine = self.engine_on_postgres("kills").start()
        sent, acked = set(), set()
        for round_ in range(4):
            self.send(engine, round_ * 500, 500)
            sent |= set(range(round_ * 500, round_ * 500 + 500))
            mine = self.poll(engine, 200)
            self.assertFalse(acked & mine.keys())
            self.call(engine, "POST", "/queue/1/work/ack",
                      list(mine.values()))
            acked |= mine.keys()
            engine.kill()
            engine.start()
        rest = {}
        while len(rest) < len(sent) - len(acked):
            more = self.poll(engine, 500)
            self.assertTrue(more, f"{len(rest)} of {len(sent - acked)}")
            rest.update(more)
        self.assertEqual(set(rest), sent - acked)
        self.assertFalse(self.poll(engine, 10))

    def test_claims_and_their_deadlines_survive_a_kill(self):
        engine = self.engine_on_postgres("claims").start()
        self.send(engine, 0, 10)
        held = self.poll(engine, 4)
        engine.kill()
        engine.start()
        other = self.poll(engine, 10)
        self.assertEqual(len(other), 6)
        self.assertFalse(held.keys() & other.keys())
        self.call(engine, "POST", "/queue/1/work/ack", list(held.values()))
        size = self.call(engine, "GET", "/queue/1/work/size")
        self.assertEqual(size, 6)

    def test_a_server_that_crashes_is_a_pause(self):
        engine = self.engine_on_postgres("pause").start()
        self.send(engine, 0, 100)
        self.server.kill()
        self.server.start()
        self.send(engine, 100, 100)
        self.assertEqual(set(self.poll(engine, 1000)), set(range(200)))

    def test_a_server_that_is_away_for_long_is_an_outage_and_no_more(self):
        engine = self.engine_on_postgres("outage").start()
        self.send(engine, 0, 100)
        self.server.kill()
        # While the engine still hopes, requests are answered "not in time".
        wait_until(lambda: "recovering" in self.refusal(engine), timeout=90)
        self.server.start()
        wait_until(lambda: not self.refusal(engine))
        found = set(self.poll(engine, 1000))
        self.assertEqual(found, set(range(100)) | {7777})
        self.assertLess(engine.log().count("\n"), 500)

    def test_a_copy_that_takes_over_and_is_behind_is_gone_on_with(self):
        engine = self.engine_on_postgres("behind").start()
        self.send(engine, 0, 100)
        with self.server.set_back():
            self.send(engine, 100, 100)
        # Nothing is written behind what is missing.
        with self.assertRaises((AssertionError, *BROKEN)):
            self.send(engine, 7777, 1)
        self.assertEqual(engine.process.wait(60), 1)
        self.assertIn("which it has confirmed", engine.log())
        for _ in range(2):
            engine.start()
            self.send(engine, 7777, 1)
            engine.kill()
        engine.start()
        self.assertEqual(set(self.poll(engine, 1000)),
                         set(range(100)) | {7777})

    def test_who_has_what_a_copy_lacks_acknowledges_nothing_else(self):
        engine = self.engine_on_postgres("lacking").start()
        self.send(engine, 0, 10)
        with self.server.set_back():
            self.send(engine, 10, 10)
            held = self.poll(engine, 100)
            engine.kill()
        engine.start()
        self.send(engine, 100, 10)
        self.call(engine, "POST", "/queue/1/work/ack",
                  [held[n] for n in range(10, 20)])
        found = self.poll(engine, 100)
        self.assertEqual(set(found), {*range(10), *range(100, 110)})
        # Also not by somebody who had them from the copy.
        self.assertFalse(set(held.values()) & {found[n]
                                               for n in range(100, 110)})

    def test_who_has_what_a_dump_lacks_acknowledges_nothing_else(self):
        engine = self.engine_on_postgres("dumped").start()
        self.send(engine, 0, 10)
        before = int(self.sql("SELECT epoch FROM dumped.shard_owners"))
        dump = subprocess.run(
            ["pg_dump", self.server.url, "--schema=dumped"],
            capture_output=True, text=True, check=True).stdout
        self.send(engine, 10, 10)
        held = self.poll(engine, 100)
        engine.kill()
        self.sql("DROP SCHEMA dumped CASCADE")
        subprocess.run(["psql", self.server.url, "-Xq"], input=dump,
                       capture_output=True, text=True, check=True)
        engine.start()
        # Tokens begin with it: some may be out that the dump knows nothing of.
        self.assertGreater(
            int(self.sql("SELECT epoch FROM dumped.shard_owners")),
            before + 500)
        self.send(engine, 100, 10)
        self.call(engine, "POST", "/queue/1/work/ack",
                  [held[n] for n in range(10, 20)])
        found = self.poll(engine, 100)
        self.assertEqual(set(found), {*range(10), *range(100, 110)})

    def test_a_slice_that_the_server_does_not_take_comes_in_parts(self):
        engine = self.engine_on_postgres("parts").start()
        self.sql("CREATE FUNCTION parts.most() RETURNS trigger LANGUAGE "
                 "plpgsql AS $$ BEGIN IF (SELECT count(*) FROM fresh) > "
                 "(SELECT most FROM parts.limits) THEN RAISE 'canceling "
                 "statement due to statement timeout'; END IF; RETURN NULL; "
                 "END $$; CREATE TABLE parts.limits AS SELECT 0 AS most; "
                 "CREATE TRIGGER most AFTER INSERT ON parts.item_rows "
                 "REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT "
                 "EXECUTE FUNCTION parts.most()")
        for first in range(0, 1000, 50):
            self.send(engine, first, 50)
        wait_until(lambda: "projection_failed" in engine.log())
        self.sql("UPDATE parts.limits SET most = 200")
        wait_until(lambda: self.sql("SELECT count(*) FROM parts.items")
                   == "1000")
        self.assertEqual(set(self.poll(engine, 1000)), set(range(1000)))

    def refusal(self, engine):
        """What was answered instead of 200, if anything."""
        try:
            self.send(engine, 7777, 1)
            return ""
        except AssertionError as refused:
            return str(refused)

    def test_a_second_engine_on_the_shard_is_refused(self):
        engine = self.engine_on_postgres("twice").start()
        second = self.engine_on_postgres("twice", data="second")
        with self.assertRaises(EngineFailed) as refused:
            second.start()
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("another engine has shard 0", refused.exception.log)
        self.send(engine, 0, 1)

    def test_an_engine_whose_shard_was_taken_ends(self):
        engine = self.engine_on_postgres("taken").start()
        self.send(engine, 0, 10)
        engine.process.send_signal(signal.SIGSTOP)
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                 "WHERE application_name LIKE 'depositd%'")
        second = self.engine_on_postgres("taken", data="second").start()
        engine.process.send_signal(signal.SIGCONT)
        with self.assertRaises((AssertionError, *BROKEN)):
            self.send(engine, 7777, 1)
        self.assertEqual(engine.process.wait(60), 1)
        self.assertIn("has taken shard 0", engine.log())
        self.send(second, 10, 1)
        self.assertEqual(set(self.poll(second, 100)), set(range(11)))

    def test_a_url_that_leads_nowhere_is_one_line_and_exit_2(self):
        engine = self.engine({"store.kind": "postgres", "store.url":
                              "postgresql://nobody@127.0.0.1:1/none"})
        with self.assertRaises(EngineFailed) as refused:
            engine.start()
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("depositd: store.url: postgres:", refused.exception.log)

    def test_people_read_deposits_with_psql(self):
        engine = self.engine_on_postgres("people").start()
        door = self.depositor(engine, "press")
        self.assertTrue(door.deposit("one.xml", a_deposit("one")))
        self.outcome(door, "one.xml")
        row = wait_until(lambda: self.sql(
            "SELECT \"user\", status, failed, finished >= started FROM "
            "submissions WHERE file_name = 'one.xml' AND finished IS NOT NULL",
            self.url))
        self.assertEqual(row, "press|completed|f|t")


class Services(unittest.TestCase):
    def test_starts_once_stops_and_says_so(self):
        if services("installed", "none").returncode == 3:
            self.skipTest("POSTGRESQL IS NOT INSTALLED")
        server = Server()
        self.addCleanup(server.remove)
        self.assertEqual(services("status", server.folder).returncode, 1)
        server.start()
        again = services("start", server.folder)
        self.assertEqual(again.stdout.strip(), server.url)
        self.assertEqual(services("status", server.folder).stdout.strip(),
                         server.url)
        self.assertEqual(services("stop", server.folder).returncode, 0)
        self.assertEqual(services("status", server.folder).returncode, 1)

    def test_wrong_usage_is_exit_2(self):
        for arguments in ([], ["bogus"], ["start", "--port", "x"],
                          ["start", "nosuchservice"]):
            done = subprocess.run([SERVICES, *arguments], check=False,
                                  capture_output=True)
            self.assertEqual(done.returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
