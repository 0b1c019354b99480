"""A node of processors that has joined one of several engines: it works for the
shards of all of them, also when one of the others dies."""

import harness
from harness import a_deposit, wait_until
from remote_test import Node, RemoteTest
from shared_engines import SharedEngines


class NodesBetweenEngines(SharedEngines, RemoteTest):
    def member(self, name):
        """Of the engines, without processors of its own."""
        return self.sharing(name, {"processors.count": 0}).start()

    def test_a_node_works_for_all_and_outlives_the_others(self):
        first, second = self.member("a"), self.member("b")
        wait_until(lambda: self.settled(["a", "b"]))
        node = Node(harness.PROGRAMS, self.folder, "n1", first.ready["node"],
                    {"processors.count": 2})
        self.addCleanup(node.kill)
        node.start()
        doors = self.users(first, 8)
        names = self.submit(doors, 2)
        self.completed(first, len(names))
        self.completed(second, len(names))
        second.kill()
        wait_until(lambda: self.settled(["a"]))
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
