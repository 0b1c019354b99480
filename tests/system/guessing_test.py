"""Passwords guessed as fast as they can be sent, over many connections. The
limit is of a user and an address: past it the right password is one guess
of many."""

import contextlib
import http.client
import re
import threading
import time
import urllib.parse

import harness
from gauges import resident_mb
from harness import SystemTest, wait_until

GUESSER, KNOWN, NEWCOMER = "127.0.0.2", "127.0.0.3", "127.0.0.4"
CONNECTIONS = 20
GUESSES = 100          # over each
FAILURES_MAX = 20      # of a user from an address within a minute
LINES_PER_SECOND = 10  # of refusals in the log
POLL = "/servlet/submissionDownload"


class From:
    """A connection that comes from one address of this machine."""

    def __init__(self, engine, address):
        self.connection = http.client.HTTPConnection(
            *engine.address("http"), timeout=60, source_address=(address, 0))

    def close(self):
        self.connection.close()

    def ask(self, user, password):
        """The status of a request with this login."""
        self.connection.request(
            "POST", POLL,
            urllib.parse.urlencode({"usr": user, "pwd": password,
                                    "file_name": "none", "type": "result"}),
            {"Content-Type": "application/x-www-form-urlencoded"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status


def refusals(engine):
    """How many were refused so far, as each line of the log says."""
    return [int(x) for x in re.findall(
        r"login_(?:refused|limited) .* refused=(\d+)", engine.log())]


class Guessing(SystemTest):
    def setUp(self):
        super().setUp()
        self.target = self.start()
        self.target.add_user("press", "secret")

    def ask(self, address, user, password):
        with contextlib.closing(From(self.target, address)) as way:
            return way.ask(user, password)

    def flood(self, user_of):
        """The statuses of all guesses, sent over many connections at once, and
        how many windows of the limit they may have touched."""
        statuses = []

        def guess(number):
            with contextlib.closing(From(self.target, GUESSER)) as way:
                for i in range(GUESSES):
                    statuses.append(
                        way.ask(user_of(number, i), f"wrong-{number}-{i}"))

        began = time.monotonic()
        threads = [threading.Thread(target=guess, args=(x,))
                   for x in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(150)
        self.seconds = time.monotonic() - began
        self.assertEqual(len(statuses), CONNECTIONS * GUESSES)
        self.assertTrue(self.target.alive(), self.target.log()[-2000:])
        return statuses

    def answers_between_refusals(self, address, password):
        """What a password gets while it is certain that the limit is on: a
        wrong one is refused unchecked before it and after it."""
        def between():
            with contextlib.closing(From(self.target, address)) as way:
                answers = [way.ask("press", x)
                           for x in ("wrong-before", password, "wrong-after")]
            return answers[1] if answers[0] == answers[2] == 429 else None
        return wait_until(between)

    def assert_log_is_throttled_and_counts(self, refused):
        """Few lines, of which the newest knows of all refusals."""
        self.assertLessEqual(len(refusals(self.target)),
                             LINES_PER_SECOND * (self.seconds + 2))

        def counted():
            self.ask(GUESSER, "press", "wrong-again")
            found = refusals(self.target)
            return found and found[-1] >= refused
        wait_until(counted)

    def test_thousands_of_guesses_get_nobody_in(self):
        # Whoever was right once is remembered, and must not be found by that.
        self.assertEqual(self.ask(KNOWN, "press", "secret"), 200)
        before_mb = resident_mb(self.target.process.pid)
        statuses = self.flood(lambda *_: "press")
        self.assertLessEqual(set(statuses), {401, 429})
        windows = 1 + self.seconds // 60
        self.assertLessEqual(statuses.count(401), FAILURES_MAX * windows)
        self.assertEqual(self.answers_between_refusals(GUESSER, "secret"), 429)
        self.assertEqual(self.ask(NEWCOMER, "press", "secret"), 200)
        self.assertEqual(self.ask(KNOWN, "press", "secret"), 200)
        self.assertLess(resident_mb(self.target.process.pid) - before_mb, 64)
        self.assert_log_is_throttled_and_counts(len(statuses))

    def test_invented_names_cost_no_memory_and_keep_nobody_out(self):
        self.assertEqual(self.ask(KNOWN, "press", "secret"), 200)
        before_mb = resident_mb(self.target.process.pid)
        statuses = self.flood(lambda *x: f"{x}" + "n" * 900)
        # Nobody's name: all of them are one, and no key of the limit.
        self.assertLessEqual(set(statuses), {401, 429})
        self.assertEqual(self.ask(NEWCOMER, "press", "secret"), 200)
        self.assertEqual(self.ask(GUESSER, "press", "secret"), 200)
        self.assertLess(resident_mb(self.target.process.pid) - before_mb, 64)
        self.assert_log_is_throttled_and_counts(len(statuses))


if __name__ == "__main__":
    harness.main()
