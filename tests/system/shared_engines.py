"""Engines that share one database by shard, for system tests."""

import os
import subprocess
import unittest

from harness import SystemTest, ask_json, wait_until
from postgres_test import Server, services

SHARDS = 4
LEASE_MS = 2000

# In every one of four shards.
QUEUES = [f"q{i}" for i in range(8)]


class MessageTest(SystemTest):
    """Sends, polls and counts through the emodb door of any engine."""

    def call(self, engine, method, path, body=None, timeout=30):
        return ask_json(engine.address("http"), method, path, body, timeout)

    def ok(self, engine, method, path, body=None):
        status, answer = self.call(engine, method, path, body)
        self.assertEqual(status, 200, answer)
        return answer

    def send(self, engine, queue, numbers):
        self.ok(engine, "POST", f"/queue/1/{queue}/sendbatch",
                [{"n": n} for n in numbers])

    def poll(self, engine, queue, limit=1000, ttl=600):
        found = self.ok(engine, "GET",
                        f"/queue/1/{queue}/poll?limit={limit}&ttl={ttl}")
        return [x["payload"]["n"] for x in found]

    def polled(self, engine, queues):
        out = []
        for queue in queues:
            while found := self.poll(engine, queue):
                out += found
        return sorted(out)


class SharedEngines(MessageTest):
    @classmethod
    def setUpClass(cls):
        if services("installed", "none").returncode == 3:
            raise unittest.SkipTest("POSTGRESQL IS NOT INSTALLED")
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def setUp(self):
        super().setUp()
        self.schema = f"test_{os.getpid()}_{self.id().rsplit('.', 1)[1][:40]}"
        self.url = f"{self.server.url}?options=-csearch_path%3D{self.schema}"
        self.sql(f"CREATE SCHEMA {self.schema}", self.server.url)

    def sql(self, text, url=None):
        done = subprocess.run(["psql", url or self.url, "-XAtqc", text],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def sharing(self, name, settings=None, **more):
        return self.engine({
            "store.kind": "postgres", "store.url": self.url,
            "shards.count": SHARDS, "shards.lease_ms": LEASE_MS,
            "node.name": name, "emodb.anonymous": "true",
            **(settings or {})}, data=name, **more)

    def started(self, *names, settings=None):
        """Engines that have settled on about as many shards each."""
        engines = [self.sharing(name, settings).start() for name in names]
        wait_until(lambda: self.settled(names))
        return engines

    def owners(self):
        """Shards by engine, as the database says."""
        rows = self.sql("SELECT coalesce(engine, '-'), shard FROM shards "
                        "WHERE in_force ORDER BY shard")
        out = {}
        for row in rows.splitlines():
            engine, shard = row.split("|")
            out.setdefault(engine, []).append(int(shard))
        return out

    def settled(self, names):
        found = self.owners()
        return (sorted(found) == sorted(names)
                and sum(map(len, found.values())) == SHARDS
                and max(map(len, found.values()))
                - min(map(len, found.values())) <= 1)
