"""depositbench over Kafka: each deposit that it writes has an outcome that it
reads, and what is not taken ends it at once with the reason."""

import json
import subprocess
import time

from harness import PROGRAMS, main
from kafka_test import KafkaFixture


class KafkaBench(KafkaFixture):
    def bench(self, instance, *arguments):
        """The finished process."""
        return subprocess.run(
            [str(PROGRAMS / "depositbench"), *arguments, "--door", "kafka",
             "--connect", self.kafka.address, "--topics",
             ",".join(self.topics[x] for x in ("in", "out", "dead")),
             "--server-pid", str(instance.process.pid), "--json"],
            capture_output=True, text=True, timeout=200)

    def figures(self, *arguments):
        """One document for each line; a failure fails the test."""
        done = self.bench(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_what_it_writes_has_outcomes_that_it_reads(self):
        instance = self.started("bench")
        peak, flow = self.figures(instance, "P3", "--items", "300", "--rate",
                                  "20", "--users", "5")
        self.assertEqual([peak["phase"], flow["phase"]], ["P3", "P3-open"])
        self.assertEqual(peak["door"], "kafka")
        self.assertGreaterEqual(peak["items"], 300)
        self.assertGreater(peak["server_cpu_us_per_item"], 0)
        self.assertGreater(flow["items"], 0)
        self.assertGreaterEqual(flow["p99_ms"], flow["p50_ms"])
        self.assertGreater(flow["p50_ms"], 0)
        ended = self.outcomes().values()
        self.assertGreaterEqual(len(ended), peak["items"] + flow["items"])
        self.assertEqual({x["outcome"] for x in ended}, {"done"})
        self.assertEqual(len(self.read("in")), len(ended))
        self.assertEqual(self.read("dead"), [])

    def test_the_first_user_does_not_hold_up_the_others(self):
        instance = self.started("fair")
        [found] = self.figures(instance, "P4", "--items", "1000")
        self.assertEqual(found["items"], 1000)
        # An even share is 10; what slots hold already comes on top.
        self.assertLess(found["first_user_items"], 100)
        self.assertEqual(len(self.outcomes()), 1000 + 99 * 10)

    def assert_ends_at_once(self, done, began, text):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(text, done.stderr)
        self.assertLess(time.monotonic() - began, 60)

    def test_a_deposit_that_fails_ends_it_with_its_outcome(self):
        instance = self.started("failing")
        instance.add_user("user-0", "password", "--prefix", "10.1234")
        began = time.monotonic()
        done = self.bench(instance, "P3", "--items", "10", "--users", "1")
        self.assert_ends_at_once(done, began, "a deposit failed: ")

    def test_records_that_no_broker_takes_are_not_tried(self):
        instance = self.started("large")
        began = time.monotonic()
        done = self.bench(instance, "P3", "--body-bytes", "2000000")
        self.assert_ends_at_once(done, began, "more than brokers take")
        self.assertEqual(self.read("in"), [])

    def test_topics_that_are_not_there_end_it(self):
        instance = self.started("named")
        self.topics["out"] = "nowhere"
        began = time.monotonic()
        done = self.bench(instance, "P3")
        self.assert_ends_at_once(done, began, "nowhere")
        self.assertEqual(self.read("in"), [])


if __name__ == "__main__":
    main()
