"""Collections whose servers take calls and never answer, and depositors whose
sources do not: others must not wait for them. A call is given up after five
minutes, a mail and a source after two; nothing here takes as long."""

import socket
import threading

import harness
import mail_sink
from harness import wait_until
from merritt_forms import Hook, MerrittTest
from merritt_samples import manifest


class Silent:
    """Takes connections and says nothing."""

    def __init__(self):
        self.door = socket.create_server(("127.0.0.1", 0))
        self.held = []

    @property
    def address(self):
        return f"127.0.0.1:{self.door.getsockname()[1]}"

    def serve(self):
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            try:
                self.held.append(self.door.accept()[0])
            except OSError:
                return

    def shutdown(self):
        self.door.shutdown(socket.SHUT_RDWR)

    def server_close(self):
        self.door.close()
        for line in self.held:
            line.close()


class SilentSession(mail_sink.Session):
    """Takes a mail and does not say so."""

    def take(self):
        super().take()
        self.server.over.wait()


class SilentRelay(mail_sink.MailSink):
    def __init__(self):
        super().__init__()
        self.RequestHandlerClass = SilentSession
        self.over = threading.Event()

    def shutdown(self):
        self.over.set()
        super().shutdown()


class SilentReceivers(MerrittTest):
    def prepared_with(self, silent, settings):
        """An engine where `books` is silent's, and `maps` whose hook is
        returned, another depositor's."""
        hook = self.serve(Hook())
        allowed = ",".join(
            x.address for x in (self.source, hook, silent))
        engine = self.prepared({"fetch.allow": allowed, **settings})
        engine.add_user("boris", "secret-boris")
        engine.ctl("collection", "add", "maps", "--owner", "boris",
                   "--notify", "boris@example.org",
                   "--callback", f"http://{hook.address}/back")
        return engine, hook

    def deposit_of_boris(self, engine, **fields):
        return self.submit(engine, "map.txt", "file", b"a map\n", "boris",
                           "secret-boris", **{"profile": "maps", **fields})

    def test_a_job_is_told_while_another_collection_does_not_listen(self):
        silent = self.serve(Silent())
        engine, hook = self.prepared_with(silent, {})
        engine.ctl("collection", "set", "books", "--callback",
                   f"http://{silent.address}/back")
        self.send({"type": "file"},
                  [(f"{n}.txt", str(n).encode()) for n in range(8)])
        wait_until(lambda: len(silent.held) >= 2)
        self.ended(engine, self.deposit_of_boris(engine))
        self.assertEqual(len(hook.calls), 1)

    def test_failures_are_told_while_another_collection_does_not_listen(self):
        silent = self.serve(Silent())
        engine, hook = self.prepared_with(silent, {})
        engine.ctl("collection", "set", "books", "--callback",
                   f"http://{silent.address}/back")
        wrong = {"digestType": "MD5", "digestValue": "0" * 32}
        for n in range(4):
            self.send({"type": "file", **wrong}, [(f"{n}.txt", b"x")])
        wait_until(lambda: silent.held)
        self.ended(engine, self.deposit_of_boris(engine, **wrong), "failed")
        self.assertEqual(len(hook.calls), 1)

    def test_files_are_fetched_while_sources_of_another_do_not_answer(self):
        silent = self.serve(Silent())
        engine, _ = self.prepared_with(silent, {})
        for n in range(6):
            rows = [f"http://{silent.address}/{n} | | | | | {n}.txt"]
            self.send({"type": "object-manifest"},
                      [(f"{n}.checkm", manifest("mrt-ingest-manifest", rows))])
        wait_until(lambda: len(silent.held) >= 3)
        rows = [self.source_row("map.txt", b"a map")]
        self.ended(engine, self.submit(
            engine, "map.checkm", "object-manifest",
            manifest("mrt-ingest-manifest", rows), "boris", "secret-boris",
            profile="maps"), timeout=60)

    def test_batches_are_split_while_the_mail_server_does_not_answer(self):
        silent = self.serve(SilentRelay())
        engine, hook = self.prepared_with(
            silent, {"mail.smtp": silent.address})
        engine.ctl("collection", "set", "maps", "--mails", "none")
        for n in range(4):
            self.send({"type": "file"}, [(f"{n}.txt", b"x")])
        wait_until(lambda: silent.mails)
        self.deposit_of_boris(engine)
        wait_until(lambda: hook.calls)


if __name__ == "__main__":
    harness.main()
