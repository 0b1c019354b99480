"""A random life: publishers, and consumers that finish, requeue, touch, forget
and die, while the engine is killed. The judge is tested with mistakes first."""

import os
import random
import threading
import time
import unittest

import harness
from harness import wait_until
from nsq_client import Connection, Message
from nsq_history import UNKNOWN, Hands, History, complaints
from nsq_server import NSQD, NsqTest

SEED = os.environ.get("DEPOSITD_SEED", str(time.time_ns()))
MESSAGES = int(os.environ.get("DEPOSITD_NSQ_HISTORY", "3000"))
KILLS = int(os.environ.get("DEPOSITD_NSQ_KILLS", "0" if NSQD else "4"))
CONSUMERS = {"a": 4, "b": 2}


class Judge(unittest.TestCase):
    """Message 1 was delivered, requeued for 2 s, delivered and finished."""

    def setUp(self):
        self.history = History()
        self.history.publish(1, now=10)
        self.history.acknowledge([1])
        self.history.deliver("ch", 1, 1, 10.1)
        self.history.requeue("ch", 1, 1, 12.2)
        self.history.deliver("ch", 1, 2, 12.2)
        self.history.try_to_finish("ch", 1)
        self.history.finish("ch", 1, 2)

    def found(self, channels=("ch",)):
        return complaints(self.history, channels)

    def test_accepts_what_is_right(self):
        self.assertEqual(self.found(), [])

    def test_accepts_that_what_has_no_answer_came_or_did_not(self):
        for number in (2, 3):
            self.history.publish(number, now=10)
        self.history.deliver("ch", 2, 1, 11)
        self.assertEqual(self.found(), [])

    def test_accepts_a_delivery_that_was_long_on_its_way(self):
        self.history.publish(2, now=10)
        self.history.deliver("ch", 2, 2, 11)
        self.history.try_to_finish("ch", 2)
        self.history.finish("ch", 2, 2)
        self.history.deliver("ch", 2, 1, 14)
        self.assertEqual(self.found(), [])

    def test_sees_a_loss(self):
        self.history.publish(2, now=10)
        self.history.acknowledge([2])
        self.assertEqual(self.found(), ["lost: ('ch', 2)"])

    def test_sees_a_loss_on_one_channel(self):
        self.assertEqual(self.found(("ch", "other")),
                         ["lost: ('other', 1)"])

    def test_sees_what_nobody_finished(self):
        self.history.publish(2, now=10)
        self.history.acknowledge([2])
        self.history.deliver("ch", 2, 1, 11)
        self.assertEqual(self.found(),
                         ["vanished before anybody finished it: ('ch', 2)"])

    def test_sees_an_invention(self):
        self.history.deliver("ch", 7, 1, 11)
        self.assertEqual(self.found(), ["invented: ('ch', 7)"])

    def test_sees_what_comes_after_it_was_finished(self):
        self.history.deliver("ch", 1, 3, 13)
        self.assertEqual(
            self.found(),
            ["finished at attempt 2, and then came 3: ('ch', 1)"])

    def test_sees_attempts_that_are_not_counted_on(self):
        self.history.deliver("ch", 1, 2, 13)
        self.assertEqual(self.found(), ["attempt 2 came twice: ('ch', 1)"])

    def test_sees_an_attempt_0(self):
        self.history.publish(2, now=10)
        self.history.deliver("ch", 2, 0, 11)
        self.assertEqual(self.found(), ["attempt 0: ('ch', 2)"])

    def test_sees_a_shortened_delay(self):
        self.history.deliveries["ch", 1][1] = (2, 12.0)
        self.assertEqual(self.found(),
                         ["attempt 2 came 0.200 s too soon: ('ch', 1)"])

    def test_sees_a_shortened_first_delay(self):
        self.history.publish(2, delay=3, now=10)
        self.history.deliver("ch", 2, 1, 12.5)
        self.assertEqual(self.found(),
                         ["attempt 1 came 0.500 s too soon: ('ch', 2)"])


class FakeClient:
    """Refuses what concerns one id."""

    def __init__(self, refused):
        self.refused = refused
        self.waiting = []

    def fin(self, message):
        pass

    def req(self, message, delay):
        pass

    def confirm(self, topic):
        return [f"E_FIN_FAILED FIN {self.refused} failed ID not in flight"]


class Notes(unittest.TestCase):
    def test_what_was_refused_is_not_confirmed(self):
        from nsq_client import Message
        history = History()
        hands = Hands(history, FakeClient("b" * 16), "ch")
        hands.finish(Message(0, 1, "a" * 16, b"1"))
        hands.finish(Message(0, 1, "b" * 16, b"2"))
        hands.requeue(Message(0, 4, "c" * 16, b"3"), 1)
        self.assertEqual((history.finished, history.requeued), ({}, {}))
        hands.confirm()
        self.assertEqual(history.finished, {("ch", 1): 1})
        self.assertEqual(list(history.requeued), [("ch", 3, 4)])
        self.assertEqual(hands.open, 0)

    def test_who_is_slow_ends_the_attempt_that_came_meanwhile(self):
        from nsq_client import Message
        history = History()
        client = FakeClient("b" * 16)
        hands = Hands(history, client, "ch")
        hands.finish(Message(0, 1, "a" * 16, b"1"))
        hands.finish(Message(0, 1, "c" * 16, b"2"))
        hands.requeue(Message(0, 1, "d" * 16, b"3"), 1)
        client.waiting = [Message(0, 2, "a" * 16, b"1"),
                          Message(0, 2, "d" * 16, b"3")]
        hands.confirm()
        self.assertEqual(history.finished, {("ch", 1): 2, ("ch", 2): 1})
        self.assertEqual(list(history.requeued), [("ch", 3, 2)])


class RandomLife(NsqTest):
    def setUp(self):
        super().setUp()
        self.seed = f"{SEED}"
        print(f"DEPOSITD_SEED={self.seed}", flush=True)
        self.history = History()
        self.draining = threading.Event()
        self.over = threading.Event()
        self.addCleanup(self.over.set)
        self.broken = []

    # -- publishers

    def publish(self, name):
        chance = random.Random(self.seed + name)
        while len(self.history.acknowledged) < MESSAGES \
                and not self.over.is_set():
            try:
                with Connection(self.tcp(), {"client_id": name}) as client:
                    while len(self.history.acknowledged) < MESSAGES \
                            and not self.over.is_set():
                        self.publish_some(client, chance)
                        self.let_them_follow()
            except UNKNOWN:
                self.over.wait(0.05)

    def let_them_follow(self):
        """So that kills find all of them at work. What was lost would never
        be followed, so not for ever."""
        patience = time.monotonic() + 0.5
        while self.history.next * len(CONSUMERS) - self.history.received > 300 \
                and time.monotonic() < patience:
            self.over.wait(0.01)

    def publish_some(self, client, chance):
        what = chance.random()
        count = chance.randint(2, 20) if what < 0.3 else 1
        delay = round(chance.uniform(0.1, 1.5), 3) if what > 0.9 else 0
        numbers = self.history.numbers(count)
        for number in numbers:
            self.history.publish(number, delay)
        bodies = [b"%d" % number for number in numbers]
        if count > 1:
            client.mpub("life", bodies)
        elif delay:
            client.dpub("life", round(delay * 1000), bodies[0])
        else:
            client.pub("life", bodies[0])
        self.history.acknowledge(numbers)

    # -- consumers

    def consume(self, name, channel):
        chance = random.Random(self.seed + name)
        while not self.over.is_set():
            try:
                with Connection(self.tcp(), {"client_id": name,
                                             "msg_timeout": 1000}) as client:
                    client.sub("life", channel)
                    client.rdy(chance.choice((1, 5, 20)))
                    self.live(Hands(self.history, client, channel), chance)
            except UNKNOWN:
                self.over.wait(0.05)

    def live(self, hands, chance):
        """Until it dies."""
        while not self.over.is_set():
            found = hands.take(0.2)
            if found and not self.treat(hands, chance, found):
                return
            if hands.open >= 10 or not found:
                hands.confirm()

    def treat(self, hands, chance, found):
        """False: it died with the message in its hands."""
        what = chance.random()
        if self.draining.is_set() or what < 0.6:
            hands.finish(found)
        elif what < 0.72:
            hands.requeue(found, 0)
        elif what < 0.85:
            hands.requeue(found, round(chance.uniform(0.05, 1.5), 3))
        elif what < 0.92:
            hands.touch(found)
            hands.finish(found)
        elif what < 0.97:
            pass  # forgotten: it comes again after the timeout
        else:
            return False
        return True

    def guarded(self, what, *arguments):
        try:
            what(*arguments)
        except Exception as why:  # pylint: disable=broad-except
            self.broken.append(repr(why))
            raise

    def test_no_loss_no_repetition_attempts_and_delays(self):
        self.serve()
        for channel in CONSUMERS:
            self.consumer("life", channel).close()
        threads = [threading.Thread(target=self.guarded,
                                    args=(self.publish, f"p{n}"))
                   for n in range(3)]
        threads += [threading.Thread(
            target=self.guarded, args=(self.consume, f"{channel}{n}", channel))
            for channel, count in CONSUMERS.items() for n in range(count)]
        for thread in threads:
            thread.start()
        try:
            for kill in range(KILLS):
                goal = MESSAGES * (kill + 1) // (KILLS + 1)
                wait_until(lambda g=goal: self.history.received >= g, 120)
                self.restart()
            wait_until(lambda: len(self.history.acknowledged) >= MESSAGES, 180)
            self.draining.set()
            wait_until(self.drained, 120, pause=0.2)
        finally:
            self.over.set()
            for thread in threads:
                thread.join(60)
            self.assertEqual(complaints(self.history, CONSUMERS)[:20], [])
        self.assertEqual(self.broken, [])
        # A life in which nothing goes wrong would show nothing.
        self.assertGreater(len(self.history.requeued), MESSAGES // 20)

    def drained(self):
        """Nothing is left to be delivered or given up."""
        found = [self.channel("life", channel) for channel in CONSUMERS]
        return all(one and one["depth"] + one["in_flight_count"]
                   + one["deferred_count"] == 0 for one in found)


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
