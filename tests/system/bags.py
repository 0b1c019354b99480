"""What tests of what is stored have: an institution that sends bags, and what
it and its operators order."""

import base64
import http.client
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import urllib.parse
from pathlib import Path

import harness
from harness import SystemTest, wait_until

PIPELINES = Path(__file__).resolve().parents[2] / "config" / "pipelines"
INSTITUTION = "test.edu"
SECRET = "secret-test"


def files_of(tar):
    """{path inside the bag: bytes}."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        return {entry.name.split("/", 1)[1]: archive.extractfile(entry).read()
                for entry in archive if entry.isfile()}


class BagTest(SystemTest):
    def setUp(self):
        super().setUp()
        self.receiving = self.folder / "receiving"
        self.receiving.mkdir()
        self.pipelines = self.folder / "pipelines"
        self.pipelines.mkdir()

    def settings(self):
        """As shipped, but for waits that a test has no time for."""
        for file in PIPELINES.glob("aptrust*.yaml"):
            text = re.sub(r"(retry_delay_ms(?:_max)?): \d+", r"\1: 200",
                          file.read_text())
            text = re.sub(r"not_yet_delay_ms: \d+", "not_yet_delay_ms: 300",
                          text)
            (self.pipelines / file.name).write_text(text)
        place = f"aptrust.receiving.{INSTITUTION}"
        return {"pipelines.folder": str(self.pipelines),
                f"{place}.path": str(self.receiving),
                f"{place}.interval_s": 1}

    def prepared(self, settings=None):
        engine = self.start({**self.settings(), **(settings or {})})
        engine.add_user(INSTITUTION, SECRET)
        engine.ctl("collection", "add", INSTITUTION, "--owner", INSTITUTION,
                   "--pipeline", "aptrust")
        return engine

    def send(self, bag, content=None):
        """Under its name once it is whole, and as if some time ago. A text
        names a file with this content."""
        name = bag if isinstance(bag, str) else f"{bag.name}.tar"
        part = self.receiving / f"{name}.part"
        part.write_bytes(bag.packed() if content is None else content)
        past = time.time() - 3600
        os.utime(part, (past, past))
        part.rename(self.receiving / name)

    def store(self, engine, bag):
        """Sends the bag and waits until it is an object."""
        self.send(bag)

        def is_stored():
            rows = engine.rows("job", "list", "--identifier", bag.identifier())
            return rows and rows[-1]["state"] == "completed"
        wait_until(is_stored, 90, pause=0.2)

    def order(self, engine, *words):
        return engine.ask(*words)["batch"]

    def ended(self, engine, uuid, state="completed", timeout=90):
        """The job of an order, once it has ended so."""
        def has_ended():
            batch = engine.ask("batch", "show", uuid)
            rows = engine.rows("job", "list", "--batch", str(batch["id"]))
            if not rows or any(row["state"] not in ("completed", "failed")
                               for row in rows):
                return None
            return rows
        rows = wait_until(has_ended, timeout, pause=0.2)
        for row in rows:
            self.assertEqual(row["state"], state, row["note"])
        return rows

    def given_back(self, engine, name):
        return engine.data / "restored" / INSTITUTION / name

    def http(self, engine, method, path, **fields):
        """(status, document) of a request as the institution."""
        login = base64.b64encode(f"{INSTITUTION}:{SECRET}".encode()).decode()
        door = http.client.HTTPConnection(*engine.address("http"), timeout=60)
        try:
            door.request(method, path,
                         urllib.parse.urlencode(fields) if fields else None,
                         {"Authorization": f"Basic {login}", "Content-Type":
                          "application/x-www-form-urlencoded"})
            answer = door.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            door.close()

    def as_operator(self, engine, name, *words):
        """depositctl by an account that the engine does not know."""
        if os.geteuid() != 0:
            print("SKIPPED: only root can be somebody else", flush=True)
            self.skipTest("only root can be somebody else")
        place = Path(tempfile.mkdtemp(prefix="depositctl-"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        program = shutil.copy(harness.PROGRAMS / "depositctl", place)
        return subprocess.run(
            [program, "--connect", engine.ready["node"], "--operator", name,
             "--password-stdin", *words],
            input=f"secret-{name}\n", capture_output=True, text=True,
            timeout=60, user="nobody", group="nogroup", extra_groups=[],
            cwd="/", env={"PATH": os.environ["PATH"], "HOME": "/"})
