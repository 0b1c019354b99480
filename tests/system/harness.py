"""What system tests share: an engine on a folder of its own, depositors, and
deposits made up on the spot."""

import http.client
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from deposit_door import Door
from engine import Engine

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["DEPOSITD_PROGRAMS"])
# What was built is watched by a sanitizer.
SANITIZED = bool(os.environ.get("DEPOSITD_SANITIZED"))
SHARED_DATA = Path(os.environ.get("DEPOSITD_SHARED_DATA", "absent"))


def fetched(*parts):
    """What scripts/clients has fetched; None if it has not."""
    if not hasattr(fetched, "folder"):
        fetched.folder = Path(subprocess.run(
            [ROOT / "scripts/clients", "where"], check=True, text=True,
            capture_output=True).stdout.strip())
    path = fetched.folder.joinpath(*parts)
    return path if path.exists() else None


def ask_json(address, method, path, body=None, timeout=30):
    """(status, document or None) of one request on a connection of its own."""
    line = http.client.HTTPConnection(*address, timeout=timeout)
    try:
        line.request(method, path, None if body is None else json.dumps(body),
                     {"Content-Type": "application/json"})
        answer = line.getresponse()
        text = answer.read()
    finally:
        line.close()
    return answer.status, json.loads(text) if text else None


# What a client sees when it is not known what became of its request.
BROKEN = (OSError, http.client.HTTPException, ValueError)

DEPOSIT = """<?xml version="1.0" encoding="UTF-8"?>
<doi_batch xmlns="http://www.crossref.org/schema/5.3.1" version="5.3.1">
  <head>
    <doi_batch_id>{batch}</doi_batch_id>
    <timestamp>{timestamp}</timestamp>
    <depositor>
      <depositor_name>A depositor</depositor_name>
      <email_address>depositor@example.org</email_address>
    </depositor>
    <registrant>A registrant</registrant>
  </head>
  <body>
    <journal>
      <journal_metadata>
        <full_title>Journal of Made-up Results</full_title>
        <issn media_type="electronic">2577-3569</issn>
      </journal_metadata>
      <journal_article publication_type="full_text">
        <titles><title>{title}</title></titles>
        <publication_date><year>2024</year></publication_date>
        <doi_data>
          <doi>{doi}</doi>
          <resource>https://example.org/{doi}</resource>
        </doi_data>
      </journal_article>
    </journal>
  </body>
</doi_batch>
"""


def a_deposit(name, doi=None, timestamp=20240101000000, title="A title"):
    """Deposit XML whose batch and DOI follow from a name."""
    return DEPOSIT.format(batch=f"batch-{name}", doi=doi or f"10.5555/{name}",
                          timestamp=timestamp, title=title).encode()


LONGEST_PAUSE_S = 0.25


def wait_until(condition, timeout=60, pause=0.02):
    """Polls until the condition gives something true, and returns that. A
    program that is started to ask takes processors from what is waited for:
    twice as long as the asking took it is not asked again."""
    deadline = time.monotonic() + timeout
    while True:
        asked = time.monotonic()
        found = condition()
        if found:
            return found
        now = time.monotonic()
        if now > deadline:
            raise AssertionError(f"not within {timeout} s: {condition}")
        time.sleep(max(pause, min(2 * (now - asked), LONGEST_PAUSE_S)))


def sanitizers_report(log):
    """What a sanitizer has said in a log from where it began; None if it has
    said nothing."""
    found = re.search(r"^==\d+==ERROR: |^\S+:\d+:\d+: runtime error: "
                      r"|^WARNING: ThreadSanitizer: ", log, re.M)
    return found and log[found.start():]


# A sanitizer wants more address space than a machine has memory.
in_little_memory = unittest.skipIf(
    SANITIZED, "A SANITIZER NEEDS MORE MEMORY THAN IS ALLOWED HERE")


class SystemTest(unittest.TestCase):
    """Gives every test a folder, and takes engines down after it."""

    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="depositd-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def no_pipelines(self):
        """For tests that count queues or slots: settings of an engine that has
        those of deposits only."""
        folder = self.folder / "no-pipelines"
        folder.mkdir(exist_ok=True)
        return {"pipelines.folder": str(folder)}

    def engine(self, settings=None, data="data", **more):
        """An engine that is not started yet."""
        engine = Engine(PROGRAMS, self.folder / data, settings, **more)
        self.addCleanup(self.assert_nothing_reported, engine)
        self.addCleanup(engine.kill)
        return engine

    def assert_nothing_reported(self, engine):
        """By a sanitizer, also where no test looks how an engine ends."""
        if engine.log_path.exists():
            log = engine.log_path.read_text(errors="replace")
            self.assertIsNone(sanitizers_report(log))

    def start(self, settings=None, **more):
        return self.engine(settings, **more).start()

    def door(self, engine, user, password=None):
        door = Door(engine.address("http"), user, password or f"secret-{user}")
        self.addCleanup(door.close)
        return door

    def depositor(self, engine, user, *more):
        """A new user and its connection."""
        engine.add_user(user, f"secret-{user}", *more)
        return self.door(engine, user)

    def outcome(self, door, file_name, timeout=60):
        """The diagnostic once the submission is completed."""
        def completed():
            found = door.poll(file_name)
            self.assertTrue(found.known, file_name)
            return found if found.completed else None
        return wait_until(completed, timeout)


def main():
    unittest.main()
