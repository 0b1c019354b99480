"""A node of processors that has joined one of several engines: it works for the
shards of all of them, also when one of the others dies."""

import os
import subprocess
import unittest

import harness
from harness import a_deposit, wait_until
from postgres_test import Server, services
from remote_test import RemoteTest, Node

SHARDS = 4
LEASE_MS = 2000


class NodesBetweenEngines(RemoteTest):
    @classmethod
    def setUpClass(cls):
        if services("installed", "none").returncode == 3:
            raise unittest.SkipTest("POSTGRESQL IS NOT INSTALLED")
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def setUp(self):
        super().setUp()
        schema = f"remote_{os.getpid()}"
        subprocess.run(["psql", self.server.url, "-Xqc",
                        f"CREATE SCHEMA {schema}"], check=True, timeout=60)
        self.url = f"{self.server.url}?options=-csearch_path%3D{schema}"

    def sharing(self, name):
        return self.engine({
            "store.kind": "postgres", "store.url": self.url,
            "shards.count": SHARDS, "shards.lease_ms": LEASE_MS,
            "node.name": name, "processors.count": 0}, data=name).start()

    def owners(self):
        found = subprocess.run(
            ["psql", self.url, "-XAtqc", "SELECT engine FROM shards "
             "WHERE in_force ORDER BY shard"], check=True, timeout=60,
            capture_output=True, text=True)
        return found.stdout.split()

    def test_a_node_works_for_all_and_outlives_the_others(self):
        first, second = self.sharing("a"), self.sharing("b")
        wait_until(lambda: sorted(self.owners()) == ["a", "a", "b", "b"])
        node = Node(harness.PROGRAMS, self.folder, "n1", first.ready["node"],
                    {"processors.count": 2})
        self.addCleanup(node.kill)
        node.start()
        doors = self.users(first, 8)
        names = self.submit(doors, 2)
        self.completed(first, len(names))
        self.completed(second, len(names))
        second.kill()
        wait_until(lambda: self.owners() == ["a"] * SHARDS)
        for door in doors:
            name = f"{door.user}-late"
            wait_until(lambda: door.deposit(
                name + ".xml", a_deposit(name)).accepted)
        self.completed(first, len(names) + len(doors))
        for door in doors:
            found = self.outcome(door, f"{door.user}-late.xml")
            self.assertEqual(found.failures(), [])
        self.assertEqual(node.stop(), 0)


if __name__ == "__main__":
    harness.main()
