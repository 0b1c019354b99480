"""Turns and caps, seen from outside through the list of hand-outs."""

import subprocess
import sys
import time

import harness
from harness import SystemTest, a_deposit, wait_until

FLOOD = 2000
OTHERS = 99
EACH = 10


def handed_out(engine):
    """Submissions that were handed out, in the order in which they were."""
    rows = [row for row in engine.submissions() if row["started_at"]]
    return sorted(rows, key=lambda row: (row["started_at"], row["id"]))


class Fairness(SystemTest):
    def flood(self, door, count):
        for number in range(count):
            answer = door.deposit(f"{number}.xml",
                                  a_deposit(f"{door.user}-{number}"))
            self.assertTrue(answer.accepted, answer.text)

    def test_a_flood_gets_one_turn_more_than_anybody_else_at_most(self):
        # Slow enough that the flood lasts until the others have come.
        engine = self.start({"processors.count": 1,
                             "processors.inject_delay_ms": 10,
                             "http.connections_max": 200})
        names = ["flood"] + [f"user-{n:02}" for n in range(OTHERS)]
        doors = {}
        for name in names:
            doors[name] = self.depositor(engine, name)
        engine.ctl("queue", "suspend", "metadata")
        self.flood(doors["flood"], FLOOD)
        engine.ctl("queue", "resume", "metadata")
        wait_until(lambda: len(handed_out(engine)) > 50)
        engine.ctl("queue", "suspend", "metadata")
        alone = len(handed_out(engine))
        for name in names[1:]:
            self.flood(doors[name], EACH)
        engine.ctl("queue", "resume", "metadata")

        def others_are_done():
            rows = handed_out(engine)
            done = sum(row["user"] != "flood" for row in rows)
            return rows if done == OTHERS * EACH else None
        rows = wait_until(others_are_done, 200, pause=0.5)
        last = max(index for index, row in enumerate(rows)
                   if row["user"] != "flood")
        meanwhile = sum(row["user"] == "flood" for row in rows[:last]) - alone
        print(f"flood: {meanwhile} hand-outs while the others had {EACH}")
        # What was in flight at the suspension still ended before it.
        self.assertLessEqual(meanwhile, EACH + 1)
        self.assertGreaterEqual(meanwhile, EACH - 1)

    def test_nobody_is_above_the_cap_and_a_change_works_at_once(self):
        engine = self.start({"processors.count": 8,
                             "processors.inject_delay_ms": 400})
        door = self.depositor(engine, "one")
        engine.ctl("user", "set", "one", "--queue", "metadata",
                   "--concurrency", "2")
        engine.ctl("queue", "suspend", "metadata")
        # More than can end while this test looks, however slowly it does.
        self.flood(door, 400)
        engine.ctl("queue", "resume", "metadata")

        def running():
            return sum(row["status"] == "in_process"
                       for row in engine.submissions())
        wait_until(lambda: running() == 2, pause=0)
        seen = [running() for _ in range(8)]
        self.assertLessEqual(max(seen), 2)
        engine.ctl("user", "set", "one", "--queue", "metadata",
                   "--concurrency", "0")
        wait_until(lambda: running() == 0)
        waiting = sum(r["status"] == "queued" for r in engine.submissions())
        self.assertGreater(waiting, 0)
        engine.ctl("user", "set", "one", "--queue", "metadata",
                   "--concurrency", "8")
        wait_until(lambda: running() > 2, pause=0)

    def test_an_operators_hold_stops_one_user_only(self):
        engine = self.start({"processors.count": 2,
                             "processors.inject_delay_ms": 1})
        held, free = (self.depositor(engine, name) for name in ("held", "free"))
        engine.ctl("user", "hold", "held")
        held.deposit("a.xml", a_deposit("a"))
        free.deposit("b.xml", a_deposit("b"))
        self.outcome(free, "b.xml")
        self.assertEqual(held.poll("a.xml").status, "queued")
        engine.ctl("user", "release", "held")
        self.outcome(held, "a.xml")


if __name__ == "__main__":
    harness.main()
