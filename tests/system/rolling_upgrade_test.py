"""Engines and nodes of two versions: what is allowed goes on without a loss,
what is not is refused by name, and nothing is changed then.

DEPOSITD_PREVIOUS is a folder with depositd and depositctl of another version,
to be upgraded from."""

import os
import signal
import sqlite3
import unittest

from engine import EngineFailed
from harness import PROGRAMS, SystemTest, a_deposit, wait_until
from remote_test import Node
from shared_engines import QUEUES, SharedEngines
from shared_load import SharedLoad
from versions import (PROTOCOL, SCHEMA, Version, following, next_version,
                      released)

NAMES = ["a", "b", "c"]
LATER_PROTOCOL, LATER_SCHEMA = following(PROTOCOL), SCHEMA + 1


class Refusing(SystemTest):
    def refused(self, engine, *texts):
        """It is not ready: exit 2, and why."""
        with self.assertRaises(EngineFailed) as found:
            engine.start()
        self.assertEqual(found.exception.code, 2, found.exception.log)
        for text in texts:
            self.assertIn(text, found.exception.log)
        return found.exception.log


class UnderLoad(SharedLoad, Refusing):
    def setUp(self):
        super().setUp()
        self.engines = [released().into(self.sharing(name, {
            "processors.inject_delay_ms": 5, "shards.lease_ms": 4000,
            "shutdown.drain_ms": 2000})).start() for name in NAMES]
        wait_until(lambda: self.settled(NAMES))

    def enough(self):
        """Clients have got somewhere meanwhile."""
        before = dict(self.books.counts)
        wait_until(lambda: self.books.counts["acked"] > before["acked"] + 100
                   and self.books.counts["posted"] > before["posted"] + 10)

    def under_load(self, upgrade):
        """Does it while clients are at work; then everything must balance."""
        self.begin_load()
        try:
            upgrade()
            self.await_enough()
        finally:
            self.end_load()
        self.check_messages(NAMES)
        self.check_deposits()

    def one_by_one(self, version):
        for engine in self.engines:
            self.enough()
            self.assertEqual(engine.stop(), 0)
            version.into(engine).start()
            wait_until(lambda: self.settled(NAMES))
        self.enough()

    def all_at_once(self, version):
        """As it has to be when the versions do not go together: refused while
        one of the earlier still runs."""
        self.enough()
        for engine in self.engines:
            self.assertEqual(engine.stop(), 0)
            version.into(engine)
            if engine is not self.engines[-1]:
                self.refused(engine, "stop all engines")
        for engine in self.engines:
            engine.start()
        wait_until(lambda: self.settled(NAMES))
        self.enough()

    def test_engines_are_upgraded_one_by_one(self):
        version = next_version(self.folder)
        if self.go_together(version):
            self.under_load(lambda: self.one_by_one(version))
        else:
            self.under_load(lambda: self.all_at_once(version))
        for engine in self.engines:
            self.assertEqual(engine.programs, version.programs)

    def go_together(self, version):
        """Whether the next may run beside the last release."""
        if "DEPOSITD_PREVIOUS" not in os.environ:
            return True
        other = version.into(self.sharing("d"))
        try:
            other.start()
        except EngineFailed as refused:
            self.assertIn("stop all engines", refused.log)
            print(f"not one by one: {refused.log.strip()}", flush=True)
            return False
        self.assertEqual(other.stop(), 0)
        wait_until(lambda: self.settled(NAMES))
        return True

    def test_what_does_not_go_together_is_upgraded_at_once(self):
        later = next_version(self.folder, LATER_PROTOCOL, LATER_SCHEMA)
        self.under_load(lambda: self.all_at_once(later))
        self.engines[0].stop()
        version = self.sql("SELECT max(version) FROM schema_versions")
        self.assertEqual(version, str(LATER_SCHEMA))
        self.refused(Version().into(self.engines[0]),
                     f"the schema has version {LATER_SCHEMA}",
                     "a later depositd has used this database")


class Refused(SharedEngines, Refusing):
    """Of engines that share a database."""

    def schema_version(self):
        return int(self.sql("SELECT max(version) FROM schema_versions"))

    def test_another_protocol_beside_engines_that_run(self):
        engine = self.sharing("a").start()
        self.send(engine, QUEUES[0], [1])
        later = next_version(self.folder, LATER_PROTOCOL)
        other = later.into(self.sharing("b"))
        self.refused(other, f"engine a at {engine.ready['node']} speaks "
                     f"{PROTOCOL}, this one {LATER_PROTOCOL}")
        self.send(engine, QUEUES[0], [2])
        self.assertEqual(engine.stop(), 0)
        other.start()
        self.refused(engine, f"speaks {LATER_PROTOCOL}, this one {PROTOCOL}")
        self.assertEqual(sorted(self.poll(other, QUEUES[0])), [1, 2])

    def test_another_schema_under_engines_that_run(self):
        engine = self.sharing("a").start()
        later = next_version(self.folder, schema=LATER_SCHEMA)
        other = later.into(self.sharing("b"))
        self.refused(other, f"engine a at {engine.ready['node']} was alive",
                     f"version {SCHEMA}", f"to {LATER_SCHEMA}")
        self.assertEqual(self.schema_version(), SCHEMA)
        self.send(engine, QUEUES[0], [1])
        self.assertEqual(engine.stop(), 0)
        other.start()
        self.assertEqual(self.schema_version(), LATER_SCHEMA)
        self.refused(engine, "a later depositd has used this database")
        self.assertEqual(self.poll(other, QUEUES[0]), [1])

    def test_another_schema_under_an_engine_that_is_alone(self):
        alone = {"shards.count": 1}
        engine = self.sharing("a", alone).start()
        later = next_version(self.folder, schema=LATER_SCHEMA)
        other = later.into(self.sharing("b", alone))
        self.refused(other, "another engine runs on this schema")
        self.assertEqual(self.schema_version(), SCHEMA)
        self.send(engine, QUEUES[0], [1])
        self.assertEqual(engine.stop(), 0)
        other.start()
        self.assertEqual(self.poll(other, QUEUES[0]), [1])

    def test_an_engine_that_stood_still_meanwhile_is_out(self):
        engine = self.sharing("a").start()
        self.send(engine, QUEUES[0], [1])
        engine.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: self.sql(
            "SELECT alive_until < now() FROM engines") == "t")
        later = next_version(self.folder, LATER_PROTOCOL, LATER_SCHEMA)
        other = later.into(self.sharing("b")).start()
        engine.process.send_signal(signal.SIGCONT)
        wait_until(lambda: not engine.alive())
        self.assertIn("a later depositd has brought the schema to version "
                      f"{LATER_SCHEMA}", engine.log())
        self.assertEqual(self.poll(other, QUEUES[0]), [1])


class Nodes(Refusing):
    """Of processors, and the shell."""

    def test_nodes_come_after_their_engine(self):
        engine = self.start({"processors.count": 0})
        for door in ("node", "http"):
            engine.settings[f"{door}.listen"] = engine.ready[door]
        door = self.depositor(engine, "ann")
        nodes = [Node(PROGRAMS, self.folder, name, engine.ready["node"],
                      {"processors.count": 1}) for name in ("n1", "n2")]
        for node in nodes:
            self.addCleanup(node.kill)
            node.start()
        later = next_version(self.folder, LATER_PROTOCOL)
        self.assertEqual(engine.stop(), 0)
        later.into(engine).start()
        # The nodes of before say why they get nothing, and wait.
        self.assertTrue(door.deposit("a.xml", a_deposit("a")).accepted)
        for node in nodes:
            wait_until(lambda n=node: PROTOCOL in n.log())
            self.assertIn("engine_not_joined", node.log())
            self.assertTrue(node.alive())
        shown = engine.ctl_result("status")
        self.assertEqual(shown.returncode, 3, shown)
        self.assertIn(PROTOCOL, shown.stderr)
        self.assertEqual(nodes[0].stop(), 0)
        later.into(nodes[0]).start()
        self.assertEqual(self.outcome(door, "a.xml").failures(), [])
        self.assertEqual(nodes[1].stop(), 0)


class Folder(Refusing):
    """A data folder that a later version has used."""

    TABLES = ["projection.db", "registry.db", "inventory.db"]

    def test_later_tables_are_refused_by_name(self):
        engine = self.start()
        self.depositor(engine, "ann").deposit("a.xml", a_deposit("a"))
        self.assertEqual(engine.stop(), 0)
        for name in self.TABLES:
            path = engine.data / name
            with self.subTest(table=name):
                known = self.version(path)
                self.version(path, known + 1)
                before = path.read_bytes()
                self.refused(engine, name, f"schema version {known + 1} of a "
                             "later depositd")
                self.assertEqual(path.read_bytes(), before)
                self.version(path, known)
        engine.start()
        self.assertEqual(len(engine.submissions()), 1)

    def version(self, path, new=None):
        tables = sqlite3.connect(path)
        try:
            if new is not None:
                tables.execute(f"PRAGMA user_version = {new}")
                tables.commit()
            return tables.execute("PRAGMA user_version").fetchone()[0]
        finally:
            tables.close()

    def test_a_setting_of_a_later_version_is_refused_by_name(self):
        engine = self.engine({"queues.metadata.shine": "bright"})
        self.refused(engine, "queues.metadata.shine")


if __name__ == "__main__":
    unittest.main()
