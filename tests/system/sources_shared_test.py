"""Schedulers of engines that share their shards: each is in one of them, and
goes on in another when that dies; every record becomes a message once."""

from harness import BROKEN, wait_until
from pulled import PulledTest, main
from queue_door import QueueRefused
from shared_engines import SharedEngines

SCHEDULERS = 6  # so that every engine has some
ROWS = 2_000
NAMES = ["a", "b"]


class SharedSources(SharedEngines, PulledTest):
    def setUp(self):
        super().setUp()
        self.engines = {
            name: self.sharing(name, {"emodb.anonymous": "true",
                                      "processors.count": 0}).start()
            for name in NAMES}
        wait_until(lambda: self.settled(NAMES))
        self.ids = {}  # by key: under which it came

    def add_all(self):
        for n in range(SCHEDULERS):
            url = self.sqlite(
                f"table-{n}", "CREATE TABLE t (id TEXT, number INTEGER)",
                ("INSERT INTO t VALUES (?, ?)",
                 [(f"{n}-{row}", row) for row in range(1, ROWS + 1)]))
            # Through one engine, wherever its shard is.
            self.add_scheduler(self.engines["a"], f"s{n}", f"queue-{n}",
                               high=300)
            self.add_source(
                self.engines["b"], f"rows-{n}", "sql", scheduler=f"s{n}",
                url=url, key="id", cursor="number", cursor_start="0",
                capacity=400, query="SELECT id, number FROM t WHERE number > "
                ":cursor ORDER BY number LIMIT :limit")

    def take_some(self, doors):
        for door in doors:
            try:
                found = door.poll(limit=100, ttl=2)
                for message in found:
                    self.ids.setdefault(message["payload"]["id"],
                                        set()).add(message["id"])
                if found:
                    door.ack(message["id"] for message in found)
            except (QueueRefused, *BROKEN):
                pass  # its shard has no engine at the moment

    def take_until(self, doors, count):
        def enough():
            self.take_some(doors)
            return len(self.ids) >= count
        wait_until(enough, 120, pause=0)

    def test_an_engine_that_dies_leaves_its_schedulers_to_the_others(self):
        self.add_all()
        told = self.engines["b"].ask("scheduler", "list")["schedulers"]
        self.assertEqual([x["name"] for x in told],
                         [f"s{n}" for n in range(SCHEDULERS)])
        doors = [self.queue(self.engines["b"], f"queue-{n}")
                 for n in range(SCHEDULERS)]
        self.take_until(doors, SCHEDULERS * ROWS // 4)
        self.engines["a"].kill()
        self.assertLess(len(self.ids), SCHEDULERS * ROWS)
        self.take_until(doors, SCHEDULERS * ROWS)
        twice = [key for key, ids in self.ids.items() if len(ids) > 1]
        self.assertEqual(twice, [])
        for n in range(SCHEDULERS):
            told = self.await_source(self.engines["b"], f"rows-{n}",
                                     buffer=0, in_flight=0, done=ROWS)
            self.assertEqual(told["cursor"], str(ROWS))


if __name__ == "__main__":
    main()
