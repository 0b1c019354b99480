"""Clients of engines that share one database, what they know, and the judge of
it: nothing that was accepted is lost, nothing that was acked comes again, every
deposit is processed once."""

import random
import threading
import time

from deposit_door import Door
from harness import BROKEN, a_deposit, wait_until
from kafka_tools import deposit_record
from shared_engines import QUEUES, SharedEngines

# With less a test proves nothing.
ENOUGH_ACKED = 500
ENOUGH_POSTED = 50


class Books:
    """What clients know; `wrong` is what must never be. What is settled is
    forgotten by who runs for hours (`forget_before`)."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent, self.accepted = set(), set()
        self.acked_at, self.maybe_acked = {}, set()
        self.posted = {}
        self.counts = {"acked": 0, "posted": 0, "completed": 0}
        self.wrong = []

    def handed(self, numbers, asked_at):
        """An answer to a poll that was begun at that time. What was acked
        while it was on its way may be in it."""
        with self.lock:
            for n in numbers:
                if self.acked_at.get(n, asked_at) < asked_at:
                    self.wrong.append(f"{n} came again after its ack")
                if n not in self.sent:
                    self.wrong.append(f"{n} was never sent")

    def enter(self, into, numbers):
        with self.lock:
            into.update(numbers)

    def acked(self, numbers):
        """They were told so just now."""
        now = time.monotonic()
        with self.lock:
            for n in numbers:
                self.acked_at.setdefault(n, now)
            self.counts["acked"] += len(numbers)

    def post(self, name, user):
        with self.lock:
            self.posted[name] = user
            self.counts["posted"] += 1

    def lost(self, left):
        """Accepted, not handed to who acked it, and not among what is left."""
        return (self.accepted - set(self.acked_at) - self.maybe_acked
                - set(left))

    def forget_before(self, asked_at):
        """Messages that were acked before that; a claim that is older than
        any poll on its way can no longer bring them. The number of those it
        forgot."""
        with self.lock:
            old = {n for n, at in self.acked_at.items() if at < asked_at}
            for n in old:
                del self.acked_at[n]
            self.sent -= old
            self.accepted -= old
            self.maybe_acked -= old
            return len(old)


class SharedLoad(SharedEngines):
    """`self.engines` are used by all clients; `seed` is what they choose by."""

    seed = 1
    claim_s = 8         # how long polled messages are claimed
    patience_s = 30     # of a client with one request
    users = [f"press{k}" for k in range(3)]
    pause_s = 0.0       # between two requests of a client; 0: none

    def begin_load(self):
        self.books = Books()
        self.over = threading.Event()
        for user in self.users:
            self.engines[0].add_user(user, f"secret-{user}")
        self.clients = [threading.Thread(target=work, args=(k,))
                        for work, count in ((self.keep_sending, 3),
                                            (self.keep_polling, 4),
                                            (self.keep_depositing, 3))
                        for k in range(count)]
        for client in self.clients:
            client.start()

    def await_enough(self, timeout=120):
        wait_until(lambda: self.books.counts["acked"] > ENOUGH_ACKED
                   and self.books.counts["posted"] > ENOUGH_POSTED, timeout)

    def end_load(self):
        self.over.set()
        for client in self.clients:
            client.join()

    # -- clients ------------------------------------------------------------

    def keep_sending(self, k):
        rng, n = random.Random(self.seed * 100 + k), k * 10**9
        while not self.over.wait(self.pause_s):
            n += 1
            self.books.enter(self.books.sent, [n])
            try:
                status, _ = self.call(
                    rng.choice(self.engines), "POST",
                    f"/queue/1/{QUEUES[n % len(QUEUES)]}/send", {"n": n},
                    self.patience_s)
                if status == 200:
                    self.books.enter(self.books.accepted, [n])
            except BROKEN:
                self.over.wait(0.02)

    def keep_polling(self, k):
        rng = random.Random(self.seed * 1000 + k)
        while not self.over.wait(self.pause_s / 2):
            queue = rng.choice(QUEUES)
            asked_at = time.monotonic()
            try:
                status, found = self.call(
                    rng.choice(self.engines), "GET",
                    f"/queue/1/{queue}/poll?limit=5&ttl={self.claim_s}",
                    timeout=self.patience_s)
            except BROKEN:
                self.over.wait(0.02)
                continue
            if status != 200 or not found:
                continue
            numbers = [x["payload"]["n"] for x in found]
            self.books.handed(numbers, asked_at)
            self.ack(rng, queue, found, numbers)

    def ack(self, rng, queue, found, numbers):
        try:
            status, _ = self.call(rng.choice(self.engines), "POST",
                                  f"/queue/1/{queue}/ack",
                                  [x["id"] for x in found], self.patience_s)
        except BROKEN:
            status = 0
        if status == 200:
            self.books.acked(numbers)
        else:
            self.books.enter(self.books.maybe_acked, numbers)

    def keep_depositing(self, k):
        rng = random.Random(self.seed * 10_000 + k)
        user, n = self.users[k], 0
        while not self.over.wait(max(0.02, self.pause_s)):
            name = f"{user}-{n}.xml"
            n += 1
            try:
                self.deposit(rng.choice(self.engines), user, name)
            except BROKEN:
                self.over.wait(0.05)

    def deposit(self, engine, user, name):
        door = Door(engine.address("http"), user, f"secret-{user}",
                    self.patience_s)
        try:
            if door.deposit(name, a_deposit(name[:-4])).accepted:
                self.books.post(name, user)
        finally:
            door.close()

    # -- afterwards ---------------------------------------------------------

    def produce(self, producer, pause_s, expect):
        """Deposits as records for kcat, until the load ends. `expect` is told
        of each, (user, name), before it is written."""
        n = 0
        while not self.over.wait(pause_s):
            n += 1
            user, name = f"user{n % 5}", f"kafka-{n}.xml"
            expect((user, name))
            producer.stdin.write(deposit_record(
                user, name, a_deposit(name[:-4]).decode(), number=n))
            producer.stdin.flush()
        producer.stdin.close()

    def check_messages(self, names):
        """Once the engines of these names have settled and the load is over."""
        books = self.books
        wait_until(lambda: self.settled(names))
        # Claims whose ack went wrong end by themselves.
        ended = time.monotonic() + self.claim_s + 1
        wait_until(lambda: time.monotonic() > ended)
        asked_at = time.monotonic()
        left = self.polled(self.engines[0], QUEUES)
        self.assertEqual(len(left), len(set(left)))
        books.handed(left, asked_at)
        self.assertFalse(books.wrong)
        self.assertFalse(books.lost(left))
        self.assertGreater(books.counts["acked"], ENOUGH_ACKED)

    def check_deposits(self):
        posted = self.books.posted

        def missing():
            done = self.sql("SELECT file_name FROM submissions "
                            "WHERE status = 'completed'").split()
            self.assertEqual(len(done), len(set(done)))
            return set(posted) - set(done)
        wait_until(lambda: not missing())
        self.assertGreater(len(posted), ENOUGH_POSTED)
