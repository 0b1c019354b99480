"""The repository itself passes every check of layering and style."""

import sys
import unittest
from pathlib import Path

import documents
import layering
import style
from tree import read_tree

ROOT = Path(__file__).resolve().parent.parent.parent


class ThisTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = read_tree(ROOT)

    def test_is_read(self):
        """An empty tree would pass everything."""
        for path in ("messages/actors.hpp", "actors/rules/ring/ring.cpp",
                     "tests/style/tree.py", "scripts/test"):
            self.assertIn(path, self.tree)


def add_check(check):
    def test(self):
        found = check(self.tree)
        self.assertFalse(found, "\n" + "\n".join(found))
    setattr(ThisTree, check.__name__.replace("check_", "test_"), test)


for each in layering.CHECKS + style.CHECKS + documents.CHECKS:
    add_check(each)

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
