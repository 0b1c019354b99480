"""What surrounds an engine: readers of its log that stand still, files that are
closed or may not grow."""

import contextlib
import fcntl
import os
import resource
import shutil
import subprocess

import harness
from api_test import PASSWORD, Api
from engine import CommandFailed
from harness import SystemTest, a_deposit, wait_until
from loopback_server import Answer, LoopbackServer

PAGE = 4096


class SevenLeft(Answer):
    def do_GET(self):
        self.say(200, "7")


class Output(SystemTest):
    def started_with(self, redirection):
        """An engine whose standard error is what a shell makes of this; $0 is
        a path for it."""
        self.place = self.folder / "place"
        return self.engine(wrapper=(
            "bash", "-c", f'exec "$@" {redirection}', str(self.place)))

    def test_a_log_whose_reader_stands_still_holds_up_nothing(self):
        engine = self.started_with('2>"$0"')
        os.mkfifo(self.place)
        reader = os.open(self.place, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, PAGE)
        press = self.depositor(engine.start(), "press")
        for limit in range(1, 31):  # each says so in the log
            engine.ctl("queue", "set", "metadata", "--pending-limit",
                       str(limit + 1_000))
        self.assertTrue(press.deposit("a", a_deposit("a")).accepted)
        self.outcome(press, "a")

        read = os.read(reader, 1_000_000)
        self.assertNotIn(b"log_lines_lost", read)
        engine.ctl("queue", "set", "metadata", "--pending-limit", "2000")
        seen = b""

        def says_so():
            nonlocal seen
            try:
                seen += os.read(reader, 1_000_000)
            except BlockingIOError:
                pass
            return b"log_lines_lost count=" in seen
        wait_until(says_so)
        self.assertEqual(engine.stop(), 0)

    def test_what_is_closed_is_no_file_of_the_engine(self):
        engine = self.started_with("<&- 2>&-").start()
        for number in (0, 2):
            self.assertEqual(
                os.readlink(f"/proc/{engine.process.pid}/fd/{number}"),
                "/dev/null")
        press = self.depositor(engine, "press")
        self.assertTrue(press.deposit("a", a_deposit("a")).accepted)
        self.outcome(press, "a")
        self.assertEqual(engine.stop(), 0)
        engine.start()
        self.outcome(self.door(engine, "press"), "a")

    def test_files_that_outgrow_the_limit_of_their_size_end_nothing(self):
        data = self.folder / "data"
        engine = self.engine(wrapper=("bash", "-c", 'ulimit -f 2048; exec "$@"',
                                      "limited"))
        engine.start()
        with self.assertRaises(CommandFailed):
            engine.add_user("press", "secret-press")
        self.assertIn("File too large", engine.log())
        self.assertEqual(engine.stop(), 0)
        unlimited = self.engine(data=data).start()
        unlimited.add_user("press", "secret-press")

    def test_what_nobody_can_read_is_no_success(self):
        engine = self.engine().start()
        for k in range(40):
            engine.ctl("user", "set", f"{k:040}", "--concurrency", "1")
        words = [harness.PROGRAMS / "depositctl", "--connect",
                 engine.ready["node"], "user", "list", "--json"]
        with open("/dev/full", "wb") as full:
            said = subprocess.run(words, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(said.returncode, 4)
        self.assertIn(b"could be written", said.stderr)
        for rest in ([], ["--yes"]):  # who has gone wants no more
            reader, writer = os.pipe()
            os.close(reader)
            said = subprocess.run(words + rest, stdout=writer,
                                  stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual((said.returncode, said.stderr), (0, b""))
        self.assertEqual(engine.stop(), 0)
        words = [harness.PROGRAMS / "depositd", "check", engine.data]
        self.assertEqual(subprocess.run(words, capture_output=True).returncode,
                         0)
        with open("/dev/full", "wb") as full:
            said = subprocess.run(words, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(said.returncode, 2)
        self.assertIn(b"could not be written", said.stderr)

    def test_threads_that_cannot_be_had_end_nothing(self):
        engine, limited = self.started_by_another_account()
        for name in ("ann", "leo"):
            engine.ctl("operator", "add", name, "--role", "administer",
                       "--password-stdin", text=PASSWORD + "\n")
        api = Api(engine.address("admin"))
        self.assertEqual(api.log_in("ann")[0], 200)
        bob = {"name": "bob", "role": "look", "password": "another one"}
        with limited():
            status, said = api.post("operator/add", bob)
            self.assertEqual((status, said["error"]), (503, "overloaded"))
            self.assertEqual(api.get("status")[0], 200)
        self.assertEqual(api.post("operator/add", bob)[0], 200)
        self.assertEqual(engine.stop(), 0)
        self.assertNotIn("stop_cut_short", engine.log())

    def test_a_downstream_is_asked_once_there_is_a_thread(self):
        server = LoopbackServer(SevenLeft)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        server.serve()
        engine, limited = self.started_by_another_account()
        engine.ctl("scheduler", "add", "s", "--queue", "q")
        with limited():
            engine.ctl("scheduler", "set", "s",
                       "--downstream", f"http://{server.address}/left")
            wait_until(lambda: "no thread can be had" in engine.log())
        wait_until(lambda: "scheduler_measures_again scheduler=s left=7"
                   in engine.log())
        self.assertNotIn("scheduler_failed", engine.log())
        self.assertEqual(engine.stop(), 0)
        self.assertNotIn("stop_cut_short", engine.log())

    def started_by_another_account(self):
        """One whose threads can be limited, as root's cannot; and how."""
        wrapper, programs = [], harness.PROGRAMS
        if os.geteuid() == 0:
            programs = self.folder / "programs"
            programs.mkdir()
            shutil.copy(harness.PROGRAMS / "depositd", programs)
            shutil.copy(harness.PROGRAMS / "depositctl", programs)
            self.folder.chmod(0o755)
            data = self.folder / "data"
            data.mkdir(0o700)
            shutil.chown(data, "nobody", "nogroup")
            wrapper = ["setpriv", "--reuid=nobody", "--regid=nogroup",
                       "--clear-groups"]
        engine = self.engine(wrapper=wrapper)
        engine.programs = programs
        engine.start()
        before = resource.getrlimit(resource.RLIMIT_NPROC)[0]

        @contextlib.contextmanager
        def limited():
            def allow(threads):
                subprocess.run([*wrapper, "prlimit", "--pid",
                                str(engine.process.pid),
                                f"--nproc={threads}:"], check=True)
            allow(1)
            yield
            allow(before)
        return engine, limited

    def test_no_place_for_temporary_files_is_said_where_one_is_needed(self):
        engine = self.engine(wrapper=("env", "TMPDIR=/nowhere")).start()
        self.assertEqual(engine.stop(), 0)
        for words in (["check", engine.data], ["--demo"]):
            said = subprocess.run(
                [harness.PROGRAMS / "depositd", *words], text=True,
                env=os.environ | {"TMPDIR": "/nowhere"}, capture_output=True)
            self.assertEqual(said.returncode, 2, said.stderr)
            self.assertIn("/nowhere", said.stderr.splitlines()[-1])


if __name__ == "__main__":
    harness.main()
