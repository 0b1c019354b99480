"""Three engines share the shards while clients send, poll, ack and deposit, and
in every round something happens to an engine or to the server: killed, stopped
for a while and resumed, shut down, two at once. Nothing that was accepted is
lost, nothing that was acked comes again, every deposit is processed once.

DEPOSITD_SEED and DEPOSITD_ROUNDS choose another life."""

import os
import random
import unittest

from accidents import Accidents
from harness import wait_until
from shared_load import SharedLoad

ROUNDS = int(os.environ.get("DEPOSITD_ROUNDS", "8"))
SEED = int(os.environ.get("DEPOSITD_SEED", "1"))


class ShardRounds(Accidents, SharedLoad):
    seed = SEED

    def test_rounds_of_trouble(self):
        names = ["a", "b", "c"]
        self.engines = [
            self.sharing(name, {"processors.inject_delay_ms": 5,
                                "shards.lease_ms": 1500,
                                "shutdown.drain_ms": 2000}).start()
            for name in names]
        wait_until(lambda: self.settled(names))
        self.begin_load()
        try:
            rng = random.Random(SEED)
            for _ in range(ROUNDS):
                self.over.wait(rng.uniform(1, 3))
                self.accident(rng)
            self.await_enough()
        finally:
            self.end_load()
        self.check_messages(names)
        self.check_deposits()


if __name__ == "__main__":
    unittest.main()
