"""The judge of the crash tests sees every kind of wrong history."""

import random
import unittest

from history import History, disagreements


def row(user, file_name, status="queued"):
    return {"user": user, "file_name": file_name, "status": status}


class Judge(unittest.TestCase):
    def setUp(self):
        self.history = History()
        for name in ("a", "b", "c"):
            self.history.attempt(("u", name), name.encode())
        for name in ("a", "b"):
            self.history.acknowledge(("u", name))
        self.history.complete(("u", "a"), b"document")

    def found(self, *rows):
        return disagreements(self.history, rows)

    def test_accepts_what_must_be_there(self):
        self.assertEqual(
            self.found(row("u", "a", "completed"), row("u", "b")), [])

    def test_accepts_what_may_be_there(self):
        self.assertEqual(
            self.found(row("u", "a", "completed"), row("u", "b"),
                       row("u", "c")), [])

    def test_sees_a_loss(self):
        self.assertEqual(self.found(row("u", "a", "completed")),
                         ["lost: ('u', 'b')"])

    def test_sees_an_invention(self):
        self.assertEqual(
            self.found(row("u", "a", "completed"), row("u", "b"),
                       row("v", "a")), ["invented: ('v', 'a')"])

    def test_sees_a_repetition(self):
        self.assertEqual(
            self.found(row("u", "a", "completed"), row("u", "b"),
                       row("u", "b")), ["stored 2 times: ('u', 'b')"])

    def test_sees_a_completion_undone(self):
        self.assertEqual(
            self.found(row("u", "a"), row("u", "b")),
            ["completed, and now queued: ('u', 'a')"])

    def test_sees_another_document(self):
        self.assertEqual(self.history.complete(("u", "a"), b"other"),
                         b"document")

    def test_knows_what_nobody_has_seen_completed(self):
        chance = random.Random(1)
        self.history.acknowledge(("v", "d"))
        for _ in range(20):
            self.assertEqual(self.history.an_open_key("u", chance),
                             ("u", "b"))
        self.history.complete(("u", "b"), b"document")
        self.assertIsNone(self.history.an_open_key("u", chance))
        self.assertIsNone(self.history.an_open_key("w", chance))

    def test_sees_other_content(self):
        self.assertTrue(self.history.is_what_was_sent(("u", "a"), b"a"))
        self.assertFalse(self.history.is_what_was_sent(("u", "a"), b"b"))

    def test_knows_which_settings_are_possible(self):
        self.assertEqual(self.history.possible("u"), [None])
        self.history.intend("u", 1)
        self.assertEqual(self.history.possible("u"), [None, 1])
        self.history.settle("u", 1)
        self.history.intend("u", 2)
        self.assertEqual(self.history.possible("u"), [1, 2])


if __name__ == "__main__":
    unittest.main()
