"""What is in hand when the engine is told to stop, and does not end by itself:
it is cut short after `shutdown.drain_ms`, and done after the next start. No
test waits for any of it to end."""

import signal
import socket
import threading
from pathlib import Path

import harness
from harness import a_deposit, wait_until
from merritt_samples import manifest, row
from pipelines import PipelineTest

SOON = {"shutdown.drain_ms": 100}
NEVER = {"shutdown.drain_ms": 3_600_000}
CUT_SHORT = 3
# The first run tells who it is and what it has started, and hangs.
HANGS_ONCE = """
test -e {folder}/first && exit 0
sleep 3600 & echo $$ $! > {folder}/pids; mv {folder}/pids {folder}/first; wait
"""


class Silent:
    """Whoever connects is never answered."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.called = threading.Event()
        self.callers = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                self.callers.append(self.listener.accept()[0])
            except OSError:
                return
            self.called.set()

    def close(self):
        for caller in self.callers:
            caller.close()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def runs(pid):
    """Whether there is such a process, and not only its exit code."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    except FileNotFoundError:
        return False
    return state.split()[0] != "Z"


class Stopping(PipelineTest):
    def silent(self):
        out = Silent()
        self.addCleanup(out.close)
        return out

    # -- programs

    def with_program(self, settings):
        """An engine whose jobs are one program, which hangs at first."""
        folder = self.folder / "pipelines"
        folder.mkdir()
        script = HANGS_ONCE.format(folder=self.folder).strip().replace(
            "\n", "; ")
        (folder / "merritt.yaml").write_text(
            "order: [check]\nstages:\n  check:\n    handler: exec\n"
            "    attempts_max: 1\n"
            f"    command: [/bin/sh, -c, '{script}']\n")
        return self.prepared({**settings, "pipelines.folder": str(folder)})

    def hanging(self, engine):
        """(batch, processes of the program) once it runs."""
        uuid = self.submit(engine, "a.txt", "file", b"a\n")
        first = self.folder / "first"
        wait_until(first.exists)
        pids = [int(x) for x in first.read_text().split()]
        self.assertTrue(all(runs(x) for x in pids))
        return uuid, pids

    def test_a_program_ends_with_all_it_started_and_costs_no_attempt(self):
        engine = self.with_program(SOON)
        uuid, pids = self.hanging(engine)
        self.assertEqual(engine.stop(), 0, engine.log())
        wait_until(lambda: not any(runs(x) for x in pids))
        self.ended(engine.start(), uuid)

    def assert_ends_at_once(self, first, second):
        engine = self.with_program(NEVER)
        uuid, pids = self.hanging(engine)
        engine.process.send_signal(first)
        wait_until(lambda: "engine_stopping" in engine.log())
        engine.process.send_signal(second)
        self.assertEqual(engine.process.wait(60), CUT_SHORT)
        self.assertIn("told so again", engine.log())
        engine.kill()
        wait_until(lambda: not any(runs(x) for x in pids))
        return engine, uuid

    def test_a_second_signal_ends_the_engine_at_once(self):
        engine, uuid = self.assert_ends_at_once(signal.SIGTERM, signal.SIGTERM)
        found = self.batch(engine.start(), uuid)
        self.assertEqual(found["jobs"]["total"], 1)

    def test_two_signals_at_once_are_one(self):
        engine = self.with_program(SOON)
        uuid, _ = self.hanging(engine)
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT,
                       signal.SIGCONT):
            engine.process.send_signal(number)
        self.assertEqual(engine.process.wait(60), 0, engine.log())
        self.ended(engine.start(), uuid)

    def test_so_does_another_signal(self):
        self.assert_ends_at_once(signal.SIGTERM, signal.SIGINT)

    # -- what others are slow with

    def test_a_download_that_hangs_is_cut_short(self):
        silent = self.silent()
        engine = self.prepared(
            {**SOON, "fetch.allow": f"{self.source.address},{silent.address}"})
        self.submit(engine, "all.checkm", "batch-manifest",
                    manifest("mrt-batch-manifest", [row(
                        f"http://{silent.address}/a.txt", b"a\n", "a.txt", "",
                        "", "local-a")]))
        self.assertTrue(silent.called.wait(60))
        self.assertEqual(engine.stop(), 0, engine.log())

    def test_a_callback_that_hangs_is_made_again(self):
        silent = self.silent()
        engine = self.prepared({**SOON, "fetch.allow": silent.address})
        press = self.depositor(engine, "press")
        engine.ctl("user", "contact", "press", "--callback",
                   f"http://{silent.address}/told")
        press.deposit("a.xml", a_deposit("a"))
        self.assertTrue(silent.called.wait(60))
        self.assertEqual(engine.stop(), 0, engine.log())
        silent.called.clear()
        engine.start()
        self.assertTrue(silent.called.wait(60))

    def test_a_mail_that_hangs_is_sent_again(self):
        silent = self.silent()
        engine = self.prepared({**SOON, "mail.smtp": silent.address})
        self.depositor(engine, "press").deposit("a.xml", a_deposit("a"))
        self.assertTrue(silent.called.wait(60))
        self.assertEqual(engine.stop(), 0, engine.log())
        silent.called.clear()
        engine.start()
        self.assertTrue(silent.called.wait(60))


if __name__ == "__main__":
    harness.main()
