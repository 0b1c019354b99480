"""depositd as a process: start, refusal, drain, damage, backup, bad input at
its ports, and what the system takes away from it."""

import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import unittest
import urllib.request
from pathlib import Path

import harness
from engine import EngineFailed
from gauges import resident_mb
from harness import BROKEN, SystemTest, a_deposit, wait_until


LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\S+ (trace|debug|info|warning) ")


class Starting(SystemTest):
    def assert_refused(self, engine, *words):
        with self.assertRaises(EngineFailed) as caught:
            engine.start()
        self.assertEqual(caught.exception.code, 2, caught.exception.log)
        lines = [line for line in engine.log().splitlines()
                 if not LOG_LINE.match(line)]
        self.assertEqual(len(lines), 1, lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_the_ready_line_names_every_door(self):
        engine = self.start()
        self.assertEqual(set(engine.ready), {"http", "admin", "node", "data"})
        for door in ("http", "admin", "node"):
            host, port = engine.address(door)
            self.assertEqual(host, "127.0.0.1")
            socket.create_connection((host, port), 5).close()

    def test_a_new_data_folder_is_private_and_an_open_one_remarked_on(self):
        engine = self.start()
        self.assertEqual(engine.data.stat().st_mode & 0o777, 0o700)
        self.assertNotIn("data.folder: others may look", engine.log())
        engine.stop()
        engine.data.chmod(0o755)
        engine.start()
        self.assertIn("setting_remark data.folder: others may look into "
                      f"{engine.data}", engine.log())
        self.assertEqual(engine.data.stat().st_mode & 0o777, 0o755)

    def test_a_data_folder_is_private_where_the_store_is_elsewhere_too(self):
        engine = self.start({"store.kind": "memory"})
        self.assertEqual(engine.data.stat().st_mode & 0o777, 0o700)

    def test_a_taken_port_ends_it_with_one_line(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            place = f"127.0.0.1:{taken.getsockname()[1]}"
            for key in ("http.listen", "admin.listen", "node.listen"):
                with self.subTest(key):
                    self.assert_refused(self.engine({key: place}, data=key),
                                        place.split(":")[1])

    def test_a_data_folder_of_everybody_is_refused(self):
        folder = self.folder / "data"
        folder.mkdir()
        folder.chmod(0o1777)  # like /tmp
        with self.assertRaises(EngineFailed) as caught:
            self.start()
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("data.folder: others may write to",
                      caught.exception.log)
        folder.chmod(0o777)
        self.start()
        self.assertEqual(folder.stat().st_mode & 0o777, 0o755)

    def test_a_folder_within_a_data_folder_ends_it_with_one_line(self):
        engine = self.start()
        engine.kill()
        journal = engine.data / "journal"
        before = sorted(journal.iterdir())
        with self.assertRaises(EngineFailed) as failed:
            self.engine(data=journal).start()
        self.assertEqual(failed.exception.code, 2)
        self.assertIn(f"{journal} is within {engine.data.resolve()}",
                      failed.exception.log)
        self.assertEqual(sorted(journal.iterdir()), before)

    def test_a_data_folder_in_use_ends_it_with_one_line(self):
        first = self.start()
        second = self.engine(log=self.folder / "second.log")
        self.assert_refused(second, str(first.data))
        self.assertTrue(first.alive())
        first.ask("status")

    def test_a_wrong_setting_ends_it_with_one_line_that_names_it(self):
        for key, value in (("queues.metadata.alocation", "1"),
                           ("processors.count", "many"),
                           ("http.trusted_proxies", "10.0.0.0/40"),
                           ("store.kind", "granite")):
            with self.subTest(key):
                self.assert_refused(self.engine({key: value}), key)

    def test_it_does_not_listen_elsewhere_without_certificates(self):
        self.assert_refused(self.engine({"node.listen": "0.0.0.0:0"}),
                            "node")


class Stopping(SystemTest):
    def test_a_start_that_takes_long_can_be_ended(self):
        folder = self.folder / "pipelines"
        folder.mkdir()
        endless = folder / "endless.yaml"
        os.mkfifo(endless)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                engine = self.engine({"pipelines.folder": str(folder)})
                process = subprocess.Popen(
                    engine.command(), stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                with open(endless, "w"):  # when it has begun to read
                    process.send_signal(number)
                    said, log = process.communicate(timeout=30)
                self.assertEqual((process.returncode, said), (0, ""), log)
                self.assertIn(f"start_ended signal={number}", log)

    def test_sigterm_and_sigint_drain_and_end_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                engine = self.start({"processors.count": 2,
                                     "processors.inject_delay_ms": 3000},
                                    data=f"data-{number}")
                door = self.depositor(engine, "user")
                engine.ctl("suspend")
                for n in range(6):
                    door.deposit(f"{n}.xml", a_deposit(f"{n}"))
                engine.ctl("resume")
                wait_until(lambda: any(
                    row["status"] == "in_process"
                    for row in engine.submissions()))
                engine.process.send_signal(number)
                self.assertEqual(engine.process.wait(30), 0, engine.log())
                engine.kill()
                engine.start()
                rows = engine.submissions()
                self.assertEqual(len(rows), 6)
                # What ran was let to end: its first attempt was its last.
                done = [r for r in rows if r["status"] == "completed"]
                self.assertTrue(done)
                self.assertTrue(all(r["attempt"] == 1 for r in done), done)
                engine.kill()


class Damage(SystemTest):
    """Made on the files of an engine that ended well; told, never mended."""

    def setUp(self):
        super().setUp()
        self.instance = self.start()
        door = self.depositor(self.instance, "needle-user")
        self.instance.ctl("suspend")
        for n in range(20):
            answer = door.deposit(f"needle-{n}.xml", a_deposit(f"{n}"))
            self.assertTrue(answer.accepted)

    def files(self, pattern):
        found = sorted(self.instance.data.glob(pattern))
        self.assertTrue(found, list(self.instance.data.rglob("*")))
        return found

    def assert_refused(self, path, needle, replacement):
        """Replaces the first of the needles; the start must name the file and
        leave it as it is."""
        content = path.read_bytes()
        self.assertIn(needle, content)
        content = content.replace(needle, replacement, 1)
        path.write_bytes(content)
        with self.assertRaises(EngineFailed) as caught:
            self.instance.start()
        self.assertEqual(caught.exception.code, 2)
        self.assertIn(path.name, self.instance.log())
        self.assertEqual(path.read_bytes(), content)

    def assert_early_group_refused(self):
        self.assert_refused(self.files("journal/*.segment")[0],
                            b"needle-1.xml", b"needle-1.xmm")

    def test_in_an_early_group_after_a_kill_is_refused_by_name(self):
        self.instance.kill()
        self.assert_early_group_refused()

    def test_in_an_early_group_after_a_stop_is_refused_by_name(self):
        self.assertEqual(self.instance.stop(), 0)
        self.assert_early_group_refused()

    def test_in_a_waiting_item_of_the_tables_is_refused_by_name(self):
        self.assertEqual(self.instance.stop(), 0)
        self.assert_refused(self.files("projection.db")[0],
                            b"needle-user", b"noodle-user")

    def test_of_a_whole_file_is_refused_by_name(self):
        self.assertEqual(self.instance.stop(), 0)
        self.assert_refused(self.files("registry.db")[0],
                            b"SQLite format", b"SQLose format")

    def test_half_a_group_at_the_end_is_the_trace_of_a_crash(self):
        self.instance.kill()
        segment = self.files("journal/*.segment")[-1]
        content = bytearray(segment.read_bytes())
        place = content.rindex(b"needle-18.xml")
        begin = content.rindex(bytes(64), 0, place)
        last = max(n for n, byte in enumerate(content) if byte)
        # The beginning of an older group again, where the next one would be.
        block = (last // 4096 + 1) * 4096
        content[block:block + 200] = content[begin + 64:begin + 264]
        segment.write_bytes(content)
        self.instance.start()
        self.assertEqual(len(self.instance.submissions()), 20)


class Backup(SystemTest):
    def test_an_engine_starts_on_a_copy_made_under_load(self):
        engine = self.start({"processors.count": 2})
        door = self.depositor(engine, "user")
        for n in range(20):
            door.deposit(f"{n}.xml", a_deposit(f"{n}"))
        stop = threading.Event()

        def deposit_more():
            more = self.door(engine, "user")
            n = 20
            while not stop.is_set():
                more.deposit(f"{n}.xml", a_deposit(f"{n}"))
                n += 1
        thread = threading.Thread(target=deposit_more)
        thread.start()
        try:
            engine.ctl("backup", str(self.folder / "copy"))
        finally:
            stop.set()
            thread.join()
        documents = {n: self.outcome(door, f"{n}.xml").document
                     for n in range(20)}
        copy = self.start(data="copy")
        there = self.door(copy, "user")
        for n in range(20):
            self.assertEqual(self.outcome(there, f"{n}.xml").records,
                             [("Success", f"10.5555/{n}",
                               "Successfully added")])
        self.assertTrue(there.deposit("x.xml", a_deposit("x")).accepted)
        self.assertTrue(engine.alive())
        self.assertEqual(len(documents), 20)


    def test_a_copy_into_the_data_folder_is_refused_and_harms_nothing(self):
        engine = self.start()
        door = self.depositor(engine, "user")
        self.assertTrue(door.deposit("a.xml", a_deposit("a")).accepted)
        link = self.folder / "link"
        link.symlink_to(engine.data)
        inside = engine.data / "own"
        inside.mkdir()
        before = sorted(engine.data.rglob("*.db"))
        for folder in (engine.data, engine.data / "copy", engine.data / "blobs",
                       inside, link / "copy" / "deeper",
                       engine.data / "own" / ".." / "copy"):
            with self.subTest(folder):
                refused = engine.ctl_result("backup", str(folder))
                self.assertEqual(refused.returncode, 1)
                self.assertIn("cannot be in the folder that it is of",
                              refused.stderr)
        self.assertEqual(sorted(engine.data.rglob("*.db")), before)
        self.assertFalse((engine.data / "copy").exists())
        self.outcome(door, "a.xml")
        engine.ctl("backup", str(self.folder / "data-copy"))


class Hardship(SystemTest):
    def assert_serves(self, engine, name):
        door = self.door(engine, "user")
        self.assertTrue(door.deposit(name, a_deposit(name)).accepted)
        self.outcome(door, name)

    def test_random_bytes_at_any_port_change_nothing(self):
        engine = self.start()
        engine.add_user("user", "secret-user")
        chance = random.Random(54)
        before = resident_mb(engine.process.pid)
        heads = [b"", b"CAF\0" * 4, b"\xff" * 24, b"GET / HTTP/1.1\r\n\r\n",
                 b"\x16\x03\x01\x02\x00\x01\x00"]
        for door in ("node", "http", "admin"):
            for n in range(200):
                with socket.create_connection(engine.address(door), 60) as s:
                    try:
                        s.sendall(chance.choice(heads)
                                  + chance.randbytes(chance.randint(0, 400)))
                        if n % 2:  # and half of them go without a word
                            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                         b"\1\0\0\0\0\0\0\0")
                    except OSError:
                        pass
        self.assert_serves(engine, "after.xml")
        engine.ask("status")
        grown = resident_mb(engine.process.pid) - before
        self.assertLess(grown, 100, "MB more")

    def test_a_header_that_announces_4_gib_is_not_believed(self):
        engine = self.start()
        before = resident_mb(engine.process.pid)
        crowd = []
        for operation, actor in ((1, 0), (2, 1), (3, 1)) * 3:
            s = socket.create_connection(engine.address("node"), 60)
            s.sendall(struct.pack(">BBBBIQQQ", operation, 0, 0, 0, 2**32 - 1,
                                  0, actor, actor) + bytes(1024))
            crowd.append(s)
        engine.ask("status")
        self.assertLess(resident_mb(engine.process.pid) - before, 50)
        for s in crowd:
            s.close()

    @harness.in_little_memory
    def test_the_shell_does_not_believe_such_a_header_either(self):
        header = struct.pack(">BBBBIQQQ", 0, 0, 0, 0, 2**30, 3, 0, 0)
        with socket.create_server(("127.0.0.1", 0)) as liar:
            def announce():
                for _ in range(3):
                    liar.accept()[0].sendall(header)
            threading.Thread(target=announce, daemon=True).start()
            place = f"127.0.0.1:{liar.getsockname()[1]}"
            shell = subprocess.Popen(
                ["prlimit", f"--data={2**29}", harness.PROGRAMS / "depositctl",
                 "--connect", place, "status"], stderr=subprocess.PIPE)
            _, said = shell.communicate(timeout=60)
        self.assertEqual(shell.returncode, 3, said)

    def test_half_open_handshakes_at_the_node_port_do_not_stop_the_shell(self):
        engine = self.start()
        idle = [socket.create_connection(engine.address("node"), 60)
                for _ in range(100)]
        try:
            engine.ask("status")
        finally:
            for s in idle:
                s.close()

    def test_few_descriptors_refuse_the_new_and_serve_the_old(self):
        engine = self.engine(wrapper=["prlimit", "--nofile=64:64"])
        engine.start()
        engine.add_user("user", "secret-user")
        old = self.door(engine, "user")
        self.assertTrue(old.deposit("old.xml", a_deposit("old")).accepted)
        crowd = []
        for _ in range(100):
            try:
                crowd.append(socket.create_connection(
                    engine.address("http"), 2))
            except OSError:
                break
        self.assertTrue(old.deposit("more.xml", a_deposit("more")).accepted)
        for s in crowd:
            s.close()
        self.outcome(old, "old.xml")
        self.outcome(old, "more.xml")

        def new_is_served():
            try:
                return self.door(engine, "user").deposit(
                    "new.xml", a_deposit("new")).accepted
            except BROKEN:
                return False
        wait_until(new_is_served)
        self.outcome(old, "new.xml")

    def queue_client(self, engine):
        """Calls of the queue door, under a key that may do everything."""
        key = "key-of-a-worker-here"
        engine.ctl("key", "add", "worker", "--key-stdin",
                   "--permit", "queue|*|*", text=key + "\n")

        def ask(path, body=None):
            request = urllib.request.Request(
                f"http://{engine.ready['http']}/queue/1{path}",
                None if body is None else json.dumps(body).encode(),
                {"X-BV-API-Key": key, "Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        return ask

    @unittest.skipUnless(shutil.which("faketime"), "faketime is not installed")
    def test_a_jumping_clock_expires_and_repeats_nothing(self):
        clock = self.folder / "clock"
        clock.write_text("+0\n")
        library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        engine = self.engine(
            {"processors.count": 2, "processors.inject_delay_ms": 20},
            environment={"LD_PRELOAD": str(library),
                         "FAKETIME_TIMESTAMP_FILE": str(clock),
                         "FAKETIME_NO_CACHE": "1",
                         "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
        engine.start()
        engine.add_user("user", "secret-user")
        door = self.door(engine, "user")
        ask = self.queue_client(engine)
        ask("/jobs/send", "work")
        claimed = ask("/jobs/poll?ttl=600")
        self.assertEqual(len(claimed), 1)
        for n, jump in enumerate(("+0", "-3600", "+365d", "+0")):
            clock.write_text(jump + "\n")
            self.assertEqual(ask("/jobs/poll?ttl=600"), [], jump)
            self.assertEqual(ask("/jobs/claimcount"), 1, jump)
            for m in range(10):
                self.assertTrue(door.deposit(
                    f"{n}-{m}.xml", a_deposit(f"{n}-{m}")).accepted)
        for n in range(4):
            for m in range(10):
                self.outcome(door, f"{n}-{m}.xml")
        rows = engine.submissions()
        self.assertEqual(len(rows), 40)
        self.assertEqual({row["attempt"] for row in rows}, {1})
        ask("/jobs/ack", [claimed[0]["id"]])
        self.assertEqual(ask("/jobs/size"), 0)
        self.assertEqual(engine.stop(), 0)

    def test_a_full_disk_refuses_and_recovers_without_loss(self):
        place = self.small_disk()
        engine = self.engine({"store.segment_mb": 1}, data=place / "data",
                             log=self.folder / "log")
        engine.start()
        engine.add_user("user", "secret-user")
        door = self.door(engine, "user")
        kept = []
        filler = place / "filler"
        self.assertTrue(door.deposit("a.xml", a_deposit("a")).accepted)
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65536))
            except OSError:
                pass
        refused = 0
        for n in range(3000):
            answer = door.deposit(f"{n}.xml",
                                  a_deposit(f"{n}", title="x" * 2000))
            if answer.accepted:
                kept.append(f"{n}.xml")
            else:
                self.assertIn(answer.status, (500, 503, 507))
                refused += 1
                if refused > 3:
                    break
        self.assertGreater(refused, 0)
        filler.unlink()
        wait_until(lambda: self.deposited_again(engine), 60, pause=0.2)
        for name in kept:
            self.outcome(door, name)

    def deposited_again(self, engine):
        try:
            return self.door(engine, "user").deposit(
                "again.xml", a_deposit("again")).accepted
        except BROKEN:
            return False

    def small_disk(self):
        """A file system of 48 MiB, or a skip where none may be mounted."""
        place = self.folder / "disk"
        place.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m",
                               "tmpfs", str(place)], capture_output=True)
        if made.returncode != 0:
            self.skipTest("may not mount a small file system here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)])
        return place


if __name__ == "__main__":
    harness.main()
