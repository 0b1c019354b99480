"""Three engines share the shards while clients send, poll, ack and deposit, and
in every round something happens to an engine or to the server: killed, stopped
for a while and resumed, shut down, two at once. Nothing that was accepted is
lost, nothing that was acked comes again, every deposit is processed once.

DEPOSITD_SEED and DEPOSITD_ROUNDS choose another life."""

import os
import random
import signal
import threading
import time
import unittest

from harness import BROKEN, a_deposit, wait_until
from shared_engines import QUEUES, SharedEngines

ROUNDS = int(os.environ.get("DEPOSITD_ROUNDS", "8"))
SEED = int(os.environ.get("DEPOSITD_SEED", "1"))
CLAIM_S = 8

# With less the test proves nothing.
ENOUGH_ACKED = 500
ENOUGH_POSTED = 50


class Books:
    """What clients know; `wrong` is what must never be."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent, self.accepted = set(), set()
        self.acked, self.maybe_acked = set(), set()
        self.posted = {}
        self.wrong = []

    def handed(self, numbers):
        with self.lock:
            for n in numbers:
                if n in self.acked:
                    self.wrong.append(f"{n} came again after its ack")
                if n not in self.sent:
                    self.wrong.append(f"{n} was never sent")

    def enter(self, into, numbers):
        with self.lock:
            into.update(numbers)


class ShardRounds(SharedEngines):
    def test_rounds_of_trouble(self):
        self.engines = [
            self.sharing(name, {"processors.inject_delay_ms": 5,
                                "shards.lease_ms": 1500,
                                "shutdown.drain_ms": 2000}).start()
            for name in ("a", "b", "c")]
        wait_until(lambda: self.settled(["a", "b", "c"]))
        self.books = Books()
        self.over = threading.Event()
        users = [f"press{k}" for k in range(3)]
        for user in users:
            self.engines[0].add_user(user, f"secret-{user}")
        clients = [threading.Thread(target=work, args=(k,))
                   for work, count in ((self.keep_sending, 3),
                                       (self.keep_polling, 4),
                                       (self.keep_depositing, 3))
                   for k in range(count)]
        for client in clients:
            client.start()
        try:
            self.trouble(random.Random(SEED))
            wait_until(lambda: len(self.books.acked) > ENOUGH_ACKED
                       and len(self.books.posted) > ENOUGH_POSTED, 120)
        finally:
            self.over.set()
            for client in clients:
                client.join()
        self.check_messages()
        self.check_deposits()

    # -- clients ------------------------------------------------------------

    def keep_sending(self, k):
        rng, n = random.Random(SEED * 100 + k), k * 10**7
        while not self.over.is_set():
            n += 1
            self.books.enter(self.books.sent, [n])
            try:
                status, _ = self.call(
                    rng.choice(self.engines), "POST",
                    f"/queue/1/{QUEUES[n % len(QUEUES)]}/send", {"n": n})
                if status == 200:
                    self.books.enter(self.books.accepted, [n])
            except BROKEN:
                self.over.wait(0.02)

    def keep_polling(self, k):
        rng = random.Random(SEED * 1000 + k)
        while not self.over.is_set():
            queue = rng.choice(QUEUES)
            try:
                status, found = self.call(
                    rng.choice(self.engines), "GET",
                    f"/queue/1/{queue}/poll?limit=5&ttl={CLAIM_S}")
            except BROKEN:
                self.over.wait(0.02)
                continue
            if status != 200 or not found:
                continue
            numbers = [x["payload"]["n"] for x in found]
            self.books.handed(numbers)
            self.ack(rng, queue, found, numbers)

    def ack(self, rng, queue, found, numbers):
        books = self.books
        try:
            status, _ = self.call(rng.choice(self.engines), "POST",
                                  f"/queue/1/{queue}/ack",
                                  [x["id"] for x in found])
        except BROKEN:
            status = 0
        books.enter(books.acked if status == 200 else books.maybe_acked,
                    numbers)

    def keep_depositing(self, k):
        rng, user, n = random.Random(SEED * 10_000 + k), f"press{k}", 0
        while not self.over.wait(0.02):
            name = f"{user}-{n}.xml"
            n += 1
            try:
                door = self.door(rng.choice(self.engines), user)
                answer = door.deposit(name, a_deposit(name[:-4]))
                door.close()
                if answer.accepted:
                    self.books.posted[name] = user
            except BROKEN:
                self.over.wait(0.05)

    # -- trouble ------------------------------------------------------------

    def trouble(self, rng):
        for _ in range(ROUNDS):
            self.over.wait(rng.uniform(1, 3))
            engine, other = rng.sample(self.engines, 2)
            kind = rng.choice(["kill", "two", "stop", "pause", "pause",
                               "server"])
            with self.subTest(seed=SEED, kind=kind):
                getattr(self, "_" + kind)(rng, engine, other)
                for x in self.engines:
                    self.assertTrue(x.alive(), x.log()[-2000:])

    def _kill(self, rng, engine, _):
        engine.kill()
        self.over.wait(rng.choice([0, 2.5]))
        engine.start()

    def _two(self, rng, engine, other):
        engine.kill()
        other.kill()
        self.over.wait(rng.choice([0, 2]))
        engine.start()
        other.start()

    def _stop(self, rng, engine, _):
        self.assertEqual(engine.stop(), 0)
        engine.start()

    def _pause(self, rng, engine, _):
        engine.process.send_signal(signal.SIGSTOP)
        self.over.wait(rng.choice([0.7, 3, 5]))
        engine.process.send_signal(signal.SIGCONT)

    def _server(self, rng, engine, _):
        self.server.kill()
        self.server.start()

    # -- afterwards ---------------------------------------------------------

    def check_messages(self):
        books = self.books
        wait_until(lambda: self.settled(["a", "b", "c"]))
        # Claims whose ack went wrong end by themselves.
        ended = time.monotonic() + CLAIM_S + 1
        wait_until(lambda: time.monotonic() > ended)
        left = self.polled(self.engines[0], QUEUES)
        self.assertEqual(len(left), len(set(left)))
        books.handed(left)
        self.assertFalse(books.wrong)
        lost = books.accepted - books.acked - books.maybe_acked - set(left)
        self.assertFalse(lost)
        self.assertGreater(len(books.acked), ENOUGH_ACKED)

    def check_deposits(self):
        posted = self.books.posted

        def missing():
            done = self.sql("SELECT file_name FROM submissions "
                            "WHERE status = 'completed'").split()
            self.assertEqual(len(done), len(set(done)))
            return set(posted) - set(done)
        wait_until(lambda: not missing())
        self.assertGreater(len(posted), ENOUGH_POSTED)


if __name__ == "__main__":
    unittest.main()
