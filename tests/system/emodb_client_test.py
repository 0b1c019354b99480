"""A client as EmoDB documents it (500 ms timeouts, no retries) through kills
and restarts: what was acknowledged is delivered, what was acked stays away.

    python3 tests/system/emodb_client_test.py --messages 100000 --kills 20 \\
        --batch-share 0.3
"""

import argparse
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
import unittest

import harness
from harness import BROKEN, SystemTest, wait_until
from unflushed import PowerCut

KEY = "key-of-the-client"
TIMEOUT_S = 0.5
TTL_S = 2
BATCH = 10
CLOCKS_S = 0.02  # of two processes
MESSAGES = 5_000
KILLS = 5
BATCH_SHARE = 0.05  # of the sends
SEED = str(time.time_ns())
SETTINGS = {"store.segment_mb": 4, "log.level": "warn"}
SHIM = os.environ.get("DEPOSITD_UNFLUSHED")


class Witness:
    """Says when the machine was too busy for promises: a flush of a byte and a
    nap of 10 ms took longer than a fifth of the client's patience."""

    def __init__(self, folder):
        self.path = folder / "witness"
        self.busy = []  # (from, until)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        with open(self.path, "wb") as file:
            while not self.over.is_set():
                begun = time.monotonic()
                file.write(b"x")
                file.flush()
                os.fsync(file.fileno())
                time.sleep(0.01)
                if time.monotonic() - begun > TIMEOUT_S / 5:
                    self.busy.append((begun, time.monotonic()))

    def excuses(self, first, last):
        return any(first <= end and last >= begun for begun, end in self.busy)


class Refused(Exception):
    """An answer other than 200."""


class Client:
    """One connection; whatever breaks is for the caller."""

    def __init__(self, instance, base):
        self.instance = instance
        self.base = base
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def call(self, method, path, body=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                *self.instance.address("http"), timeout=TIMEOUT_S)
        headers = {"X-BV-API-Key": KEY}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        try:
            self.connection.request(method, self.base + path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except BaseException:
            self.close()
            raise
        if answer.status != 200:
            raise Refused(answer.status, text[:200])
        return json.loads(text)


class Run:
    """What several clients of one queue did, and what they were told."""

    def __init__(self, instance, base, count, chance):
        self.instance = instance
        self.base = base
        self.count = count
        self.chance = chance
        self.guard = threading.Lock()
        self.sent = 0               # numbers given out
        self.acknowledged = set()   # numbers whose send was answered
        self.unknown = set()        # numbers whose send was not
        self.ids = {}               # number: id of its message
        self.acked_at = {}          # id: when its ack had been answered
        self.held_until = {}        # id: its claim surely lasts until then
        self.failures = []          # (when begun, when ended, what)
        self.wrong = []
        self.senders_left = 0
        self.stopped = threading.Event()

    def attempt(self, client, *call):
        """The answer, or None if it is not known what happened."""
        begun = time.monotonic()
        try:
            return client.call(*call)
        except (*BROKEN, Refused) as problem:
            with self.guard:
                self.failures.append(
                    (begun, time.monotonic(), f"{call[1]}: {problem!r}"))
            self.await_engine()
            return None

    def await_engine(self):
        """What is sent while nobody listens proves nothing."""
        while not self.stopped.wait(0.02):
            try:
                socket.create_connection(self.instance.address("http"),
                                         TIMEOUT_S).close()
                return
            except OSError:
                pass

    def next_numbers(self):
        with self.guard:
            count = BATCH if self.chance.random() < BATCH_SHARE else 1
            count = min(count, self.count - self.sent)
            self.sent += count
            return list(range(self.sent - count, self.sent))

    def send(self):
        client = Client(self.instance, self.base)
        while numbers := self.next_numbers():
            payloads = [{"n": n} for n in numbers]
            if len(payloads) == 1:
                answer = self.attempt(client, "POST", "/send", payloads[0])
            else:
                answer = self.attempt(client, "POST", "/sendbatch", payloads)
            with self.guard:
                to = self.acknowledged if answer else self.unknown
                to.update(numbers)
        client.close()
        with self.guard:
            self.senders_left -= 1

    def take(self, found, polled_at, answered_at):
        with self.guard:
            for message in found:
                name, number = message["id"], message["payload"]["n"]
                if answered_at < self.held_until.get(name, 0) - CLOCKS_S:
                    self.wrong.append(f"{number} came while it was claimed")
                self.hold(name, polled_at + TTL_S)
                if polled_at > self.acked_at.get(name, polled_at):
                    self.wrong.append(f"{number} came after its ack")
                if self.ids.setdefault(number, name) != name:
                    self.wrong.append(f"{number} came under a second id")
                if number not in self.acknowledged \
                        and number not in self.unknown \
                        and number >= self.sent:
                    self.wrong.append(f"{number} was never sent")

    def hold(self, name, until):
        self.held_until[name] = max(self.held_until.get(name, 0), until)

    def work(self):
        client = Client(self.instance, self.base)
        while not self.stopped.is_set():
            polled_at = time.monotonic()
            found = self.attempt(client, "GET",
                                 f"/poll?ttl={TTL_S}&limit={BATCH}")
            if not found:
                if self.drained(client):
                    break
                time.sleep(0.02)
                continue
            self.take(found, polled_at, time.monotonic())
            ids = [message["id"] for message in found]
            if self.chance.random() < 0.3:
                self.renew(client, ids)
            if self.attempt(client, "POST", "/ack", ids):
                now = time.monotonic()
                with self.guard:
                    for name in ids:
                        self.acked_at.setdefault(name, now)
        client.close()

    def renew(self, client, ids):
        until = time.monotonic() + TTL_S + 1
        if self.attempt(client, "POST", f"/renew?ttl={TTL_S + 1}", ids):
            with self.guard:
                for name in ids:
                    self.hold(name, until)

    def drained(self, client):
        with self.guard:
            if self.senders_left > 0:
                return False
        return self.attempt(client, "GET", "/size") == 0

    def start(self):
        self.senders_left = 2
        threads = [threading.Thread(target=x, daemon=True)
                   for x in [self.send] * 2 + [self.work] * 2]
        for thread in threads:
            thread.start()
        return threads

    def lost(self):
        return sorted(self.acknowledged - set(self.ids))


class DocumentedClient(SystemTest):
    messages = MESSAGES
    kills = KILLS
    seed = SEED

    def start_with_key(self, settings=None, **more):
        instance = self.start(settings, **more)
        self.add_key(instance)
        return instance

    def add_key(self, instance):
        instance.ctl("key", "add", "client", "--key-stdin", "--permit",
                     "queue|*|*", "--replace", text=KEY + "\n")

    def kill_on_the_way(self, instance, runs, chance, kills, settle_disk):
        """Spread over the run by what has been sent; the outages."""
        outages = []
        total = sum(run.count for run in runs)
        for number in range(kills):
            due = (number + 0.5) / kills * total * 0.95
            wait_until(lambda d=due: sum(r.sent for r in runs) >= d
                       or any(r.wrong for r in runs), 600, 0.005)
            time.sleep(chance.uniform(0, 0.05))
            begun = time.monotonic()
            instance.kill()
            settle_disk()
            instance.start()
            outages.append((begun, time.monotonic()))
        return outages

    def run_through_kills(self, instance, messages, kills,
                          settle_disk=lambda: None):
        print(f"seed {self.seed}", flush=True)
        chance = random.Random(self.seed)
        half = messages // 2
        runs = [Run(instance, base + "/jobs", half,
                    random.Random(f"{self.seed}{base}"))
                for base in ("/queue/1", "/dedupq/1")]
        begun = time.monotonic()
        witness = Witness(self.folder)
        self.addCleanup(witness.over.set)
        threads = [thread for run in runs for thread in run.start()]
        for run in runs:
            self.addCleanup(run.stopped.set)
        outages = self.kill_on_the_way(instance, runs, chance, kills,
                                       settle_disk)
        for thread in threads:
            thread.join(600)
        for run in runs:
            self.assertEqual(run.wrong[:20], [], run.base)
            self.assertEqual(run.lost()[:20], [], run.base)
            self.assertEqual(run.sent, half, run.base)
            self.assertGreater(len(run.acknowledged), 0.8 * half, run.base)
            last = Client(instance, run.base)
            self.addCleanup(last.close)
            self.assertEqual(last.call("GET", "/size"), 0, run.base)
        failures = [f for run in runs for f in run.failures]
        alone = [what for first, last, what in failures
                 if not any(first <= end + TIMEOUT_S and last >= start
                            for start, end in outages)
                 and not witness.excuses(first, last)]
        print(f"{messages} messages in {time.monotonic() - begun:.1f} s, "
              f"{len(outages)} kills, {len(failures)} calls without an "
              f"answer, {len(alone)} of them without a kill", flush=True)
        self.assertLess(len(alone), max(5, messages // 1000), alone[:5])
        self.assertEqual(instance.stop(), 0)

    def test_acknowledged_messages_are_delivered_and_acked_ones_stay_away(
            self):
        instance = self.start_with_key(SETTINGS)
        self.run_through_kills(instance, self.messages, self.kills)

    def start_under_power_cuts(self, **options):
        if not SHIM:
            self.skipTest("DEPOSITD_UNFLUSHED names no library")
        (self.folder / "data").mkdir()
        power = PowerCut(SHIM, self.folder / "data", self.folder, **options)
        return power, self.start_with_key(SETTINGS,
                                          environment=power.environment)

    def test_and_if_whatever_was_not_flushed_is_lost_with_the_kill(self):
        power, instance = self.start_under_power_cuts()
        self.run_through_kills(instance, 2000, 4, power.settle)

    def test_an_engine_that_does_not_flush_is_noticed(self):
        """Neither the journal nor the tables, which are a copy of it."""
        power, instance = self.start_under_power_cuts()
        self.assertEqual(instance.stop(), 0)
        power.deafen(".segment:projection.db")
        instance.start()
        run = Run(instance, "/queue/1/jobs", 20, random.Random(self.seed))
        run.senders_left = 1
        run.send()
        self.assertGreater(len(run.acknowledged), 0, run.failures)
        instance.kill()
        power.settle()
        instance.start()
        client = Client(instance, run.base)
        self.addCleanup(client.close)
        run.take(client.call("GET", "/poll?limit=100&ttl=60"), 0, 0)
        self.assertEqual(run.lost(), sorted(run.acknowledged))

    def test_the_documented_curl_examples_work_with_a_key(self):
        instance = self.start_with_key()
        base = f"http://{instance.ready['http']}/queue/1"

        def curl(*arguments):
            out = subprocess.run(
                ["curl", "-s", "-H", f"X-BV-API-Key: {KEY}", *arguments],
                capture_output=True, text=True, timeout=30, check=True).stdout
            return json.loads(out)

        json_type = ("-H", "Content-Type: application/json")
        queue = base + "/demo-app_provision-q"
        self.assertEqual(
            curl("-XPOST", *json_type, queue + "/send", "--data-binary",
                 '{"provision":"TestCustomer"}'), {"success": True})
        self.assertEqual(
            curl("-XPOST", *json_type, base + "/_sendbatch", "--data-binary",
                 '{"demo-app_provision-q":[{"provision":"TestCustomer"}]}'),
            {"success": True})
        self.assertEqual(curl(queue + "/size"), 2)
        self.assertEqual(len(curl(queue + "/peek?limit=5")), 2)
        found = curl(queue + "/poll?ttl=30&limit=10")
        self.assertEqual([m["payload"] for m in found],
                         [{"provision": "TestCustomer"}] * 2)
        self.assertEqual(curl(queue + "/claimcount"), 2)
        ids = json.dumps([m["id"] for m in found])
        for path, body in (("/renew?ttl=60", ids), ("/ack", ids)):
            self.assertEqual(curl("-XPOST", *json_type, queue + path,
                                  "--data-binary", body), {"success": True})
        self.assertEqual(curl("-XPOST", queue + "/unclaimall"),
                         {"success": True})
        moved = curl("-XPOST", f"{base}/_move?from=demo-app_provision-q&to=b")
        wait_until(lambda: curl(f"{base}/_move/{moved['id']}")["status"]
                   == "COMPLETE", 20)
        self.assertEqual(curl("-XDELETE", queue), {"success": True})
        self.assertEqual(curl(queue + "/size"), 0)


class Bites(unittest.TestCase):
    """Wrong histories are seen."""

    def setUp(self):
        self.one = Run(None, "/queue/1/jobs", 10, random.Random(1))
        self.one.sent = 5
        self.one.acknowledged = {0, 1}
        self.one.take([{"id": "a", "payload": {"n": 0}}], 1.0, 1.1)

    def test_a_good_history_is_fine_until_it_is_incomplete(self):
        self.assertEqual(self.one.wrong, [])
        self.assertEqual(self.one.lost(), [1])

    def test_a_message_after_its_ack(self):
        self.one.acked_at["a"] = 2.0
        self.one.take([{"id": "a", "payload": {"n": 0}}], 1.9, 3.2)
        self.assertEqual(self.one.wrong, [])
        self.one.take([{"id": "a", "payload": {"n": 0}}], 2.1, 5.0)
        self.assertEqual(self.one.wrong, ["0 came after its ack"])

    def test_a_message_in_two_hands(self):
        self.one.take([{"id": "a", "payload": {"n": 0}}], 1.5, 1.6)
        self.assertEqual(self.one.wrong, ["0 came while it was claimed"])

    def test_a_second_id_and_an_invented_message(self):
        self.one.take([{"id": "b", "payload": {"n": 0}},
                       {"id": "c", "payload": {"n": 7}}], 1.0, 1.1)
        self.assertEqual(self.one.wrong, ["0 came under a second id",
                                          "7 was never sent"])


def main():
    global BATCH_SHARE
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", default=SEED)
    parser.add_argument("--batch-share", type=float, default=BATCH_SHARE)
    given, others = parser.parse_known_args()
    DocumentedClient.messages = given.messages
    DocumentedClient.kills = given.kills
    DocumentedClient.seed = given.seed
    BATCH_SHARE = given.batch_share
    unittest.main(argv=[sys.argv[0], *others])


if __name__ == "__main__":
    main()
