"""What tests of pipelines have: a source of files, a relay for mail, a
depositor with a collection, and batches."""

import shutil
from pathlib import Path

import poster_door
from harness import SystemTest, wait_until
from mail_sink import MailSink
from merritt_samples import Source, manifest, row

PASSWORD = "secret-lea"
SHIPPED = Path(__file__).resolve().parents[2] / "config" / "pipelines"


def impatient_pipelines(folder):
    """Those that are shipped, in a folder of that one; Merritt's jobs that wait
    ask again soon."""
    pipelines = folder / "pipelines"
    shutil.copytree(SHIPPED, pipelines)
    shipped = (pipelines / "merritt.yaml").read_text()
    (pipelines / "merritt.yaml").write_text(shipped.replace(
        "not_yet_delay_ms: 30000", "not_yet_delay_ms: 300"))
    return str(pipelines)


class PipelineTest(SystemTest):
    def setUp(self):
        super().setUp()
        self.source = self.serve(Source())
        self.mails = self.serve(MailSink())

    def serve(self, server):
        server.serve()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def settings(self):
        return {"fetch.allow": self.source.address,
                "mail.smtp": self.mails.address,
                "mail.from": "depositd@example.org"}

    def prepared(self, settings=None):
        engine = self.start({**self.settings(), **(settings or {})})
        engine.add_user("lea", PASSWORD)
        engine.ctl("collection", "add", "books", "--owner", "lea",
                   "--notify", "lea@example.org")
        return engine

    def submit(self, engine, name, kind, content, user="lea",
               password=PASSWORD, **fields):
        return poster_door.submit(
            engine.address("http"), user, password,
            {"profile": "books", "type": kind, **fields}, name, content)

    def batch(self, engine, uuid):
        return engine.ask("batch", "show", uuid)

    def ended(self, engine, uuid, state="completed", timeout=90):
        def has_ended():
            found = self.batch(engine, uuid)
            return found if found["state"] == state else None
        return wait_until(has_ended, timeout, pause=0.2)

    def jobs(self, engine, uuid):
        return engine.rows("job", "list", "--batch",
                           str(self.batch(engine, uuid)["id"]))

    def reports(self, uuid):
        return [mail for mail in self.mails.mails
                if uuid in str(mail["Subject"])
                and "Processed" in str(mail["Subject"])]

    def batch_of(self, manifests):
        """A batch manifest of {name: object manifest}."""
        return manifest("mrt-batch-manifest", [
            row(self.source.add(name, content), content, name, "", "",
                f"local-{name}") for name, content in manifests.items()])
