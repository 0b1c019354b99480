"""The judges of soak, partitions and rounds of trouble are given wrong
histories, who reads the logs of sanitized engines their reports."""

import unittest

from gauges import Gauge
from harness import sanitizers_report
from outcome_stream import Outcomes
from shared_load import Books


class Judges(unittest.TestCase):
    def gauge(self, values, **more):
        out = Gauge(**more)
        out.samples = list(enumerate(values))
        return out

    def test_what_rises_is_not_flat(self):
        self.assertTrue(self.gauge([1] * 10 + [50] * 90).is_flat())
        self.assertFalse(self.gauge(range(100)).is_flat())
        self.assertTrue(self.gauge([50, 52] * 50).is_flat())
        self.assertTrue(self.gauge([5] * 50 + [9] * 50, slack=5).is_flat())

    def test_each_deposit_has_one_outcome(self):
        one = {"user": "u", "id": "1", "event_id": "5:1"}
        known = Outcomes()
        known.expect(("u", "1"))
        known.saw(one)
        known.saw(one)  # repeated
        self.assertFalse(known.wrong)
        self.assertFalse(known.missing())
        known.saw({**one, "event_id": "5:2"})
        self.assertTrue(known.wrong)
        known = Outcomes()
        known.expect(("u", "1"))
        self.assertEqual(known.missing(), {("u", "1")})


class JudgeOfClients(unittest.TestCase):
    def books(self):
        out = Books()
        out.enter(out.sent, [1, 2, 3])
        out.enter(out.accepted, [1, 2, 3])
        return out

    def test_what_was_acked_may_not_come_again(self):
        books = self.books()
        books.handed([1], 0)
        books.acked([1])
        books.handed([1], 0)  # was on its way
        self.assertFalse(books.wrong)
        books.handed([1], books.acked_at[1] + 1)
        self.assertTrue(books.wrong)

    def test_nothing_may_be_made_up(self):
        books = self.books()
        books.handed([4], 0)
        self.assertTrue(books.wrong)

    def test_what_was_accepted_is_somewhere(self):
        books = self.books()
        books.acked([1])
        self.assertFalse(books.lost([2, 3]))
        self.assertEqual(books.lost([2]), {3})

    def test_what_is_settled_is_forgotten(self):
        books = self.books()
        books.acked([1])
        self.assertEqual(books.forget_before(books.acked_at[1] + 1), 1)
        self.assertEqual(books.lost([2, 3]), set())


class JudgeOfLogs(unittest.TestCase):
    def test_what_sanitizers_say_is_seen(self):
        for said in ("==7==ERROR: AddressSanitizer: heap-use-after-free on",
                     "==7==ERROR: LeakSanitizer: detected memory leaks",
                     "a/b.cpp:3:14: runtime error: signed integer overflow",
                     "WARNING: ThreadSanitizer: data race (pid=7)"):
            self.assertEqual(sanitizers_report(f"a line\n{said}\n"),
                             f"{said}\n")

    def test_what_engines_say_is_nothing_of_theirs(self):
        self.assertIsNone(sanitizers_report(
            'job_failed reason="x.py: runtime error: ERROR: no such file"\n'))


if __name__ == "__main__":
    unittest.main()
