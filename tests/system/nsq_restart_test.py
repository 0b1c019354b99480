"""What NSQ's clients were told holds across kill -9, clean restarts and a full
disk. Rows R of the case table, and 100,000 messages through kills."""

import os
import subprocess
import threading
import time
import unittest

import harness
from harness import wait_until
from nsq_client import Connection, Refused
from nsq_history import UNKNOWN, Hands, History, complaints
from nsq_server import NSQD, NsqTest, better

MESSAGES = int(os.environ.get("DEPOSITD_NSQ_MESSAGES", "100000"))
KILLS = int(os.environ.get("DEPOSITD_NSQ_KILLS", "3"))


class Restarts(NsqTest):
    @better
    def test_row_r1_what_was_acknowledged_survives_a_kill(self):
        self.serve()
        self.consumer("kept").close()
        client = self.connect()
        for n in range(500):
            client.pub("kept", b"%d" % n)
        self.restart()
        fresh = self.consumer("kept", rdy=500)
        self.assertEqual(sorted(int(x.body) for x in fresh.messages(500)),
                         list(range(500)))
        self.assert_quiet(fresh, 0.5)

    @better
    def test_row_r1_so_does_what_waits_in_a_topic(self):
        self.serve()
        self.connect().mpub("alone", [b"%d" % n for n in range(500)])
        self.restart()
        self.assertEqual(self.topic("alone")["depth"], 500)
        fresh = self.consumer("alone", rdy=500)
        self.assertEqual({int(x.body) for x in fresh.messages(500)},
                         set(range(500)))

    @better
    def test_row_r2_in_flight_deferred_and_queued_survive_a_kill(self):
        self.serve(msg_timeout=3000)
        client = self.consumer("mixed", rdy=3)
        client.mpub("mixed", [b"%d" % n for n in range(9)])
        in_flight = {x.body for x in client.messages(3)}
        client.dpub("mixed", 600_000, b"deferred")
        self.becomes("mixed", depth=6, in_flight_count=3, deferred_count=1)
        self.restart()
        seen = self.channel("mixed")
        self.assertEqual(seen["deferred_count"], 1)
        self.assertEqual(seen["depth"] + seen["in_flight_count"], 9)
        fresh = self.consumer("mixed", rdy=9)
        found = fresh.messages(9)
        self.assertEqual({x.body for x in found},
                         {b"%d" % n for n in range(9)})
        for one in found:
            self.assertEqual(one.attempts, 2 if one.body in in_flight else 1)
        self.becomes("mixed", deferred_count=1)

    @better
    def test_row_r3_deferred_ones_stay_so_across_a_clean_restart(self):
        self.serve()
        client = self.consumer("far", rdy=2)
        client.dpub("far", 3_000_000, b"published")
        client.pub("far", b"requeued")
        client.req(client.message(), 3_000_000)
        self.becomes("far", deferred_count=2)
        for how in ("stop", "kill"):
            self.restart(how)
            self.becomes("far", deferred_count=2, depth=0, in_flight_count=0)
            self.assert_quiet(self.consumer("far", rdy=2), 0.5)

    @better
    def test_row_r3_a_delay_goes_on_while_nobody_serves(self):
        self.serve()
        self.consumer("near").close()
        began = time.monotonic()
        self.connect().dpub("near", 5000, b"x")
        self.restart()
        client = self.consumer("near", rdy=1)
        client.message()
        self.assert_due(began, 5)

    @better
    def test_row_r4_attempts_are_counted_on_after_a_restart(self):
        for how in ("stop", "kill"):
            with self.subTest(how):
                self.serve(data=how)
                client = self.consumer("count", rdy=1)
                client.pub("count", b"x")
                for attempt in range(1, 5):
                    found = client.message()
                    self.assertEqual(found.attempts, attempt)
                    if attempt == 4:
                        client.rdy(0)
                    client.req(found)
                self.assertEqual(client.confirm("confirm"), [])
                self.restart(how)
                found = self.consumer("count", rdy=1).message()
                self.assertEqual(found.attempts, 5)
                self.server.kill()

    def test_row_r5_what_was_finished_is_not_replayed(self):
        self.serve()
        client = self.consumer("done", rdy=50)
        client.mpub("done", [b"x"] * 50)
        for found in client.messages(50):
            client.fin(found)
        self.assertEqual(client.confirm("confirm"), [])
        self.restart()
        fresh = self.consumer("done", rdy=50)
        self.assert_quiet(fresh, 1)
        self.becomes("done", depth=0, in_flight_count=0, deferred_count=0)

    @better
    def test_ephemeral_ones_are_gone_and_nothing_else(self):
        self.serve()
        self.consumer("kept", "brief#ephemeral")
        self.consumer("kept", "ch")
        self.connect().pub("brief#ephemeral", b"x")
        self.connect().pub("kept", b"x")
        self.restart()
        self.assertEqual([x["topic_name"] for x in self.stats()["topics"]],
                         ["kept"])
        self.becomes("kept", depth=1)
        self.assertIsNone(self.channel("kept", "brief#ephemeral"))


class FullDisk(NsqTest):
    def small_disk(self):
        place = self.folder / "disk"
        place.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m",
                               "tmpfs", str(place)], capture_output=True)
        if made.returncode != 0:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)])
        return place

    def fill(self, place):
        with open(place / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65536))
            except OSError:
                pass

    @better
    def test_row_r6_and_h6_a_full_disk_refuses_and_recovers(self):
        place = self.small_disk()
        self.serve({"store.segment_mb": 1}, data="disk/data",
                   log=self.folder / "log")
        self.consumer("kept").close()
        self.connect().pub("kept", b"first")
        self.fill(place)
        taken, refused = 1, 0
        for _ in range(3000):
            client = self.connect()
            client.command("PUB", "kept", body=b"x" * 2000)
            try:
                client.answer()
                taken += 1
            except Refused as why:
                self.assertEqual(why.code, "E_PUB_FAILED", why)
                refused += 1
                if refused > 3:
                    break
            client.close()
        self.assertGreater(refused, 0)
        status, _, text = self.call("GET", "/ping")
        self.assertEqual(status, 500)
        self.assertTrue(text.startswith(b"NOK"), text)
        (place / "filler").unlink()
        wait_until(lambda: self.call("POST", "/pub", b"again",
                                     topic="kept")[0] == 200, 60, pause=0.2)
        wait_until(lambda: self.call("GET", "/ping")[::2] == (200, b"OK"))
        # All that was acknowledged is there; what was refused may be once.
        found = self.channel("kept")["depth"]
        self.assertGreaterEqual(found, taken + 1)


class ManyThroughKills(NsqTest):
    def publish(self, history):
        """Numbers are never used twice, so what has no answer may come or
        not."""
        while not self.enough(history):
            try:
                with Connection(self.tcp(), {}) as client:
                    while not self.enough(history):
                        numbers = history.numbers(100)
                        for number in numbers:
                            history.publish(number)
                        client.mpub("many", [b"%d" % n for n in numbers])
                        history.acknowledge(numbers)
            except UNKNOWN:
                self.over.wait(0.05)

    def enough(self, history):
        return len(history.acknowledged) >= MESSAGES or self.over.is_set()

    def consume(self, history):
        while not self.over.is_set():
            try:
                with Connection(self.tcp(), {"msg_timeout": 2000}) as client:
                    client.sub("many", "ch").rdy(100)
                    self.finish_all(Hands(history, client, "ch"))
            except UNKNOWN:
                self.over.wait(0.05)

    def finish_all(self, hands):
        while not self.over.is_set():
            found = hands.take(0.2)
            if found:
                hands.finish(found)
            if hands.open >= 50 or not found:
                hands.confirm()

    def empty(self):
        found = self.channel("many")
        return found["depth"] + found["in_flight_count"] \
            + found["deferred_count"] == 0

    @unittest.skipIf(NSQD and KILLS, "nsqd loses messages")
    def test_nothing_is_lost_and_nothing_finished_comes_again(self):
        self.serve()
        self.consumer("many").close()
        history = History()
        self.over = threading.Event()
        threads = [threading.Thread(target=self.publish, args=(history,))
                   for _ in range(2)]
        threads += [threading.Thread(target=self.consume, args=(history,))
                    for _ in range(4)]
        self.addCleanup(self.over.set)
        for thread in threads:
            thread.start()
        try:
            for kill in range(KILLS):
                goal = MESSAGES * (kill + 1) // (KILLS + 1)
                wait_until(lambda g=goal: history.received >= g, 300)
                self.restart()
            wait_until(lambda: len(history.acknowledged) >= MESSAGES, 300)
            # Some finished ones may never be known as such: their consumer
            # lost its connection before the answer.
            wait_until(self.empty, 120, pause=0.2)
        finally:
            self.over.set()
            for thread in threads:
                thread.join(60)
            self.assertEqual(complaints(history, ["ch"])[:20], [])
        self.server.stop()


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
