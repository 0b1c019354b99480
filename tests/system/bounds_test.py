"""What a small machine leaves an engine: few files, little address space,
little memory. It refuses what it has no room for, loses nothing that it has
taken, and gives memory back."""

import contextlib
import datetime
import http.client
import json
import os
import socket
import threading
from pathlib import Path

import harness
from gauges import resident_mb
from harness import BROKEN, SystemTest, in_little_memory, wait_until

MIB = 1 << 20
MESSAGE = "x" * 28_500
MESSAGES = 2_000  # of a batch, 57 MB
BATCH = json.dumps([MESSAGE] * MESSAGES).encode()
OPEN_DOOR = {"emodb.anonymous": "true"}


def limited(what):
    """Runs the program with a limit of the shell's `ulimit`."""
    return ["sh", "-c", f'ulimit {what} && exec "$@"', "sh"]


def soon():
    """A time that a command is given before it is over."""
    at = datetime.datetime.now(datetime.timezone.utc)
    return (at + datetime.timedelta(seconds=10)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Bounded(SystemTest):
    def ask(self, engine, method, path, body=None, timeout=120):
        """(status, headers, body) of one request."""
        connection = http.client.HTTPConnection(*engine.address("http"),
                                                timeout=timeout)
        with contextlib.closing(connection):
            connection.request(method, "/queue/1/" + path, body, {
                "Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def send_at_once(self, engine, count, queue="big", body=BATCH):
        """As many batches at one time; their statuses."""
        statuses = []

        def send():
            try:
                status, headers, text = self.ask(
                    engine, "POST", queue + "/sendbatch", body)
                if status == 503:
                    self.assertIn("Retry-After", headers)
                    self.assertTrue(text)
                statuses.append(status)
            except BROKEN as why:
                # A refusal may come before all of the body is read.
                statuses.append(type(why).__name__)

        threads = [threading.Thread(target=send) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        self.assertEqual(len(statuses), count)
        return statuses

    def size(self, engine, queue="big"):
        status, _, body = self.ask(engine, "GET", queue + "/size")
        self.assertEqual(status, 200)
        return int(body)

    def send_until_taken(self, engine, queue):
        def taken():
            status, _, _ = self.ask(engine, "POST", queue + "/send", b'"one"')
            self.assertIn(status, (200, 503))
            return status == 200
        wait_until(taken)

    def assert_holds(self, engine, statuses):
        """It lives, has all that it took and nothing else, and works on."""
        self.assertTrue(engine.alive(), engine.log()[-2000:])
        self.assertLessEqual({x for x in statuses if isinstance(x, int)},
                             {200, 503, 413})
        taken = statuses.count(200) * MESSAGES
        broken = sum(isinstance(x, str) for x in statuses) * MESSAGES
        size = self.size(engine)
        self.assertGreaterEqual(size, taken)
        self.assertLessEqual(size, taken + broken)
        self.send_until_taken(engine, "small")

    def assert_memory_comes_back(self, engine, below_mb):
        status, _, _ = self.ask(engine, "DELETE", "big")
        self.assertEqual(status, 200)
        wait_until(lambda: resident_mb(engine.process.pid) < below_mb,
                   timeout=90, pause=0.5)


class Memory(Bounded):
    @in_little_memory
    def test_batches_at_once_leave_little_behind(self):
        engine = self.start(OPEN_DOOR)
        statuses = self.send_at_once(engine, 8)
        self.assertIn(200, statuses)
        self.assert_holds(engine, statuses)
        # The allocator may keep two bodies of those for as long as nothing is
        # asked for: 217 MB were seen.
        self.assert_memory_comes_back(engine, 300)

    @in_little_memory
    def test_a_budget_that_is_set_holds(self):
        engine = self.start({**OPEN_DOOR, "memory.budget_mb": "64"})
        statuses = self.send_at_once(engine, 4)
        self.assertNotIn(200, statuses)
        self.assert_holds(engine, statuses)
        self.assertLess(resident_mb(engine.process.pid), 250)

    @in_little_memory
    def test_little_address_space_refuses_and_lives(self):
        engine = self.start(OPEN_DOOR, wrapper=limited("-v 1500000"))
        statuses = self.send_at_once(engine, 24)
        self.assert_holds(engine, statuses)
        self.assert_memory_comes_back(engine, 300)

    @in_little_memory
    def test_what_was_taken_is_there_after_a_restart(self):
        engine = self.start(OPEN_DOOR, wrapper=limited("-v 1500000"))
        for _ in range(50):
            status, _, _ = self.ask(engine, "POST", "kept/sendbatch",
                                    json.dumps([MESSAGE] * 50).encode())
            self.assertEqual(status, 200)
        self.send_at_once(engine, 8)
        engine.kill()
        engine.start()
        self.assertEqual(self.size(engine, "kept"), 50 * 50)


@in_little_memory
class Cgroup(Bounded):
    LIMIT = 300 * MIB
    # Folder of the hierarchy, limit, and where it says who was killed.
    KINDS = (("/sys/fs/cgroup", "memory.max", "memory.events"),
             ("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
              "memory.oom_control"))

    def setUp(self):
        super().setUp()
        reasons = []
        for root, limit, self.told in self.KINDS:
            if not (Path(root) / "cgroup.procs").exists():
                reasons.append(f"no cgroups at {root}")
                continue
            self.group = Path(root) / f"depositd-test-{os.getpid()}"
            try:
                self.group.mkdir()
                self.addCleanup(self.remove_group)
                (self.group / limit).write_text(str(self.LIMIT))
                return
            except OSError as why:
                reasons.append(str(why))
        self.skipTest(f"NOT TESTED: {'; '.join(reasons)}")

    def remove_group(self):
        def removed():
            try:
                self.group.rmdir()
                return True
            except OSError:
                return False
        wait_until(removed)

    def test_load_in_300_mb_refuses_and_lives(self):
        procs = self.group / "cgroup.procs"
        engine = self.start(OPEN_DOOR, wrapper=[
            "sh", "-c", f'echo $$ > {procs} && exec "$@"', "sh"])
        self.addCleanup(engine.kill)
        # Of 57 MB each, which never fit, and of 8 MB, of which some do.
        self.assertEqual(set(self.send_at_once(engine, 8)) & {200}, set())
        each = 280
        body = json.dumps([MESSAGE] * each).encode()
        taken = broken = 0
        for _ in range(6):
            statuses = self.send_at_once(engine, 8, "kept", body)
            self.assertTrue(engine.alive(), engine.log()[-2000:])
            taken += statuses.count(200) * each
            broken += sum(isinstance(x, str) for x in statuses) * each
        self.assertGreater(taken, 0)
        self.assertGreaterEqual(self.size(engine, "kept"), taken)
        self.assertLessEqual(self.size(engine, "kept"), taken + broken)
        self.assertIn("oom_kill 0", (self.group / self.told).read_text())
        self.send_until_taken(engine, "small")


class Files(Bounded):
    def test_few_files_refuse_connections_and_lose_nothing(self):
        engine = self.start(OPEN_DOOR, wrapper=limited("-n 256"))
        address = engine.address("http")
        silent = []
        self.addCleanup(lambda: [x.close() for x in silent])
        for _ in range(300):
            try:
                silent.append(socket.create_connection(address, 5))
            except OSError:
                break
        # Those that wait in the listening socket's queue are nobody's yet.
        self.assertGreater(len(silent), 100)
        self.assertTrue(engine.alive(), engine.log()[-2000:])
        for x in silent:
            x.close()
        taken = 0
        for number in range(200):
            def sent():
                try:
                    status, _, _ = self.ask(engine, "POST", "kept/send",
                                            json.dumps(number).encode(), 10)
                except BROKEN:
                    return False
                self.assertIn(status, (200, 503))
                return status == 200
            wait_until(sent)
            taken += 1
        self.assertEqual(self.size(engine, "kept"), taken)
        engine.kill()
        engine.start()
        self.assertEqual(self.size(engine, "kept"), taken)


class Queues(Bounded):
    def test_a_key_makes_so_many_queues_and_no_more(self):
        engine = self.start({**OPEN_DOOR, "emodb.queues_per_key_max": "3"})
        for number in range(3):
            self.assertEqual(
                self.ask(engine, "POST", f"q{number}/send", b"1")[0], 200)
        status, headers, body = self.ask(engine, "POST", "q3/send", b"1")
        self.assertEqual(status, 400)
        self.assertEqual(headers["X-BV-Exception"],
                         "java.lang.IllegalArgumentException")
        self.assertIn(b"as many as it may", body)
        self.assertEqual(self.ask(engine, "POST", "q1/send", b"1")[0], 200)

    def test_quotas_are_said_at_the_doors(self):
        engine = self.start(OPEN_DOOR)
        self.assertEqual(self.ask(engine, "POST", "q/send", b"1")[0], 200)
        engine.ctl("user", "set", "anonymous", "--queue", "q",
                   "--bytes-max", "1k")
        status, headers, body = self.ask(
            engine, "POST", "q/send", json.dumps("x" * 2000).encode())
        self.assertEqual(status, 503)
        self.assertIn("Retry-After", headers)
        self.assertIn(b"as many bytes", body)
        engine.ctl("queue", "set", "q", "--requests-per-second", "1")
        self.ask(engine, "GET", "q/size")
        status, _, body = self.ask(engine, "GET", "q/size")
        self.assertEqual(status, 503)
        self.assertIn(b"quota", body)

    def test_deposits_have_quotas_too(self):
        engine = self.start({"processors.count": "0"})
        door = self.depositor(engine, "press")
        engine.ctl("user", "set", "press", "--bytes-max", "500")
        answer = door.deposit("a.xml", harness.a_deposit("a"))
        self.assertEqual(answer.status, 429)
        self.assertIn(b"bytes", answer.body)

    def test_files_as_long_as_set_are_taken_and_read(self):
        engine = self.start({"crossref.body_limit_mb": 12})
        door = self.depositor(engine, "press")
        filler = b"<!--" + b"x" * MIB + b"-->"
        self.assertTrue(door.deposit(
            "a.xml", harness.a_deposit("a") + filler * 11).accepted)
        found = self.outcome(door, "a.xml")
        self.assertEqual(found.records[0][0], "Success", found.records)
        with self.assertRaises(BROKEN):
            # The connection may end before all of it is sent.
            self.assertEqual(door.deposit(
                "b.xml", harness.a_deposit("b") + filler * 13).status, 413)
            raise ConnectionResetError

    def test_a_key_expires_and_tells_its_last_use(self):
        engine = self.start()
        key = engine.ask("key", "add", "ann", "--role", "queue_standard")["key"]
        second = engine.ask("key", "add", "ann", "--role", "queue_standard",
                            "--another", "--expires", soon())
        self.assertEqual(second["name"], "ann~2")
        over = engine.ctl_result("key", "add", "bob", "--role",
                                 "queue_standard", "--expires", "2020-01-01")
        self.assertNotEqual(over.returncode, 0)
        self.assertIn("yet to come", over.stderr)

        def send(text):
            return self.ask(engine, "POST", f"q/send?APIKey={text}", b"1")

        self.assertEqual(send(key)[0], 200)
        status, _, body = wait_until(lambda: [
            answer for answer in [send(second["key"])] if answer[0] != 200])[0]
        self.assertEqual(status, 403)
        self.assertIn(b"expired", body)
        rows = wait_until(lambda: [
            row for row in engine.rows("key", "list")
            if row["name"] == "ann" and "last_used_at" in row])
        self.assertNotIn("expires_at", rows[0])
        engine.ctl("key", "remove", "ann", "--yes")
        self.assertEqual(send(key)[0], 403)


if __name__ == "__main__":
    harness.main()
