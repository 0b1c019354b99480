"""A queue that shares out bytes: who sends large messages gets as many bytes
of the work as who sends small ones, also across a restart."""

import json

from harness import SystemTest, main
from queue_door import QueueDoor

QUEUE = "shared"
SMALL, LARGE = 100, 1000  # bytes of a payload, about
APART = 2 * LARGE + SMALL  # of users with work, at both ends of a stretch
EACH = 400


def bytes_of(payload):
    return len(json.dumps(payload, separators=(",", ":")))


class FairByCost(SystemTest):
    def door(self, engine, name):
        key = engine.ask("key", "add", name, "--role", "queue_standard")["key"]
        return QueueDoor(engine.address("http"), QUEUE, key)

    def take(self, door, count):
        """So many messages, one at a time: bytes and messages by user."""
        size, number = {}, {}
        for _ in range(count):
            message, = door.poll(limit=1)
            user = message["payload"]["user"]
            size[user] = size.get(user, 0) + bytes_of(message["payload"])
            number[user] = number.get(user, 0) + 1
            door.ack([message["id"]])
        return size, number

    def fill(self, doors):
        for name, (door, size) in doors.items():
            door.send({"user": name, "rest": "x" * size} for _ in range(EACH))

    def test_bytes_are_shared_and_turns_again_when_it_is_said(self):
        engine = self.start()
        small, large = self.door(engine, "small"), self.door(engine, "large")
        self.addCleanup(small.close)
        self.addCleanup(large.close)
        self.fill({"small": (small, SMALL), "large": (large, LARGE)})
        self.assertEqual(
            engine.ask("queue", "show", QUEUE)["fair_by"], "turns")
        _, number = self.take(small, 20)
        self.assertEqual(number, {"small": 10, "large": 10})

        engine.ctl("queue", "set", QUEUE, "--fair-by", "bytes")
        size, number = self.take(small, 110)
        # One message of each apart, at the beginning and at the end.
        self.assertLessEqual(abs(size["small"] - size["large"]), APART)
        self.assertGreater(number["small"], 4 * number["large"])

        self.assertEqual(engine.stop(), 0)
        engine.start()
        self.assertEqual(
            engine.ask("queue", "show", QUEUE)["fair_by"], "bytes")
        small = QueueDoor(engine.address("http"), QUEUE,
                          small.headers["X-BV-API-Key"])
        self.addCleanup(small.close)
        size, _ = self.take(small, 110)
        self.assertLessEqual(abs(size["small"] - size["large"]), APART)

        engine.ctl("queue", "set", QUEUE, "--fair-by", "turns")
        _, number = self.take(small, 20)
        self.assertEqual(number, {"small": 10, "large": 10})
        self.assertEqual(engine.stop(), 0)


if __name__ == "__main__":
    main()
