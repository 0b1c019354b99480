"""This machine's clock is set while an engine runs."""

import glob
import unittest

import harness
from aptrust_samples import Bag, payload, wrong_digest
from bags import BagTest
from harness import wait_until
from merritt_forms import MerrittTest
from pipelines import PASSWORD

FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


class Clock:
    """Of tests with one engine, which is `running`."""

    def start(self, settings=None, **more):
        self.clock = self.folder / "clock"
        self.clock.write_text("+0\n")
        self.running = super().start(
            settings,
            environment={"LD_PRELOAD": FAKETIME[0],
                         "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                         "FAKETIME_NO_CACHE": "1",
                         "NO_FAKE_STAT": "1",  # files keep their times
                         "FAKETIME_DONT_FAKE_MONOTONIC": "1"}, **more)
        return self.running

    def set_clock(self, ahead_s):
        self.clock.write_text(f"{ahead_s:+d}\n")
        wait_until(lambda: f"clock_set ahead_ms={ahead_s}" in
                   self.running.log() or
                   f"clock_set ahead_ms={ahead_s - 1}" in self.running.log())


@unittest.skipUnless(FAKETIME, "LIBFAKETIME IS NOT INSTALLED")
class ClockSteps(Clock, MerrittTest):
    def prepared(self, settings=None):
        engine = self.start({**self.settings(), **(settings or {})})
        for user in ("lea", "max"):
            engine.add_user(user, PASSWORD)
        engine.ctl("collection", "add", "books", "--owner", "lea",
                   "--submitters", "max")
        return engine

    def the_job_of(self, name, user="lea"):
        """The job that is made of a file of one object."""
        uuid = self.submit(self.running, name, "file", b"x", user,
                           localIdentifier="x")
        return wait_until(lambda: self.jobs(self.running, uuid))[0]["id"]

    def has(self, job, **what):
        row = self.running.ask("job", "show", str(job))
        return all(value in row[key] for key, value in what.items())

    def test_an_object_is_its_jobs_until_that_has_failed(self):
        engine = self.prepared()
        engine.ctl("pipeline", "set", "merritt.store", "--workers", "0")
        first = self.the_job_of("1.txt")
        wait_until(lambda: self.has(first, state="storing"))
        second = self.the_job_of("2.txt")
        wait_until(lambda: self.has(second, note="another job's hands"))
        self.set_clock(7200)  # locks last for an hour
        # Of another depositor, who waits for no turn of hers.
        third = self.the_job_of("3.txt", "max")
        wait_until(lambda: self.has(third, note="another job's hands")
                   or self.has(third, state="storing"))
        self.assertTrue(self.has(third, note="another job's hands"))
        engine.ctl("job", "fail", str(first))
        wait_until(lambda: self.has(second, state="storing")
                   or self.has(third, state="storing"), 120)


@unittest.skipUnless(FAKETIME, "LIBFAKETIME IS NOT INSTALLED")
class ClockStepsOfBags(Clock, BagTest):
    def test_bags_that_are_not_valid_stay_for_their_time(self):
        engine = self.prepared()
        self.send(wrong_digest("turned"))
        wait_until(lambda: [x for x in engine.rows("job", "list")
                            if x["state"] == "failed"])
        engine.ctl("pipeline", "pause", "aptrust")
        self.set_clock(365 * 86400)  # they stay for a fortnight
        # The second is found by a look that began after the step.
        for count, name in ((2, "first"), (3, "second")):
            self.send(Bag(name, payload(1)))
            wait_until(lambda: len(engine.rows("batch", "list")) == count)
        self.assertTrue((self.receiving / "turned.tar").exists())


if __name__ == "__main__":
    harness.main()
