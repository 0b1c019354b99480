"""kill -9 at random moments under load: what was acknowledged is there exactly
once, nothing is invented, what was finished stays finished, and settings of
operators survive."""

import os
import time

import harness
from rounds import KillRounds

ROUNDS = int(os.environ.get("DEPOSITD_CRASH_ROUNDS", "50"))
SEED = os.environ.get("DEPOSITD_CRASH_SEED", str(time.time_ns()))


class Crash(KillRounds):
    def test_nothing_is_lost_or_invented_over_many_kills(self):
        self.set_up_rounds(SEED)
        self.instance.start()
        self.add_users()
        for number in self.rounds(ROUNDS, 10):
            before = len(self.history.acknowledged)
            self.run_round(number)
            self.start_again()
            rows = self.verify(f"round {number}")
            self.verify_documents(f"round {number}")
            self.verify_contents(f"round {number}")
            print(f"round {number}: "
                  f"{len(self.history.acknowledged) - before} acknowledged, "
                  f"{len(rows)} in all, "
                  f"{len(self.history.documents)} seen finished", flush=True)
        # Rounds without work would prove nothing.
        self.assertGreater(len(self.history.acknowledged), 10 * ROUNDS)
        self.assertGreater(len(self.history.documents), ROUNDS)
        self.finish()
        self.assertEqual(self.instance.stop(), 0)


if __name__ == "__main__":
    harness.main()
