"""Processors on other nodes, as processes: what becomes of work in hand when a
node or the engine is killed, stopped, started again, or not let in."""

import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from datetime import datetime, timezone

import harness
from authority import Authority
from engine import Engine
from harness import SystemTest, a_deposit, wait_until

# With the defaults of the node port (messages/values/node_options.hpp): a peer
# that is silent for 10 s is gone. A claim's lease is a minute.
SILENCE_S = 10
LEASE_S = 60


class Node(Engine):
    """A depositd that only runs processors, for an engine."""

    def __init__(self, programs, folder, name, joins, settings=None):
        super().__init__(programs, folder / name, settings)
        self.name = name
        self.joins = joins
        self.settings = {"node.name": name, **(settings or {})}

    def command(self):
        line = [str(self.programs / "depositd"), "--processors-only",
                "--join", self.joins]
        for key, value in self.settings.items():
            line += ["--set", f"{key}={value}"]
        return line

    def launch(self):
        """Starts it without waiting until an engine has taken it in."""
        self.log_start = 0
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=log,
                stdin=subprocess.DEVNULL)
        return self


class RemoteTest(SystemTest):
    def engine_without_processors(self, **settings):
        engine = self.start({"processors.count": 0, **settings})
        # So that it comes back where its nodes look for it.
        for door in ("node", "http"):
            engine.settings[f"{door}.listen"] = engine.ready[door]
        return engine

    def node(self, engine, name, slots=2, delay_ms=0, **settings):
        node = Node(harness.PROGRAMS, self.folder, name, engine.ready["node"],
                    {"processors.count": slots,
                     "processors.inject_delay_ms": delay_ms, **settings})
        self.addCleanup(node.kill)
        return node

    def slots(self, engine, name=None):
        return [slot for slot in engine.ask("sp", "list")["slots"]
                if name is None or slot["node"] == name]

    def in_hand(self, engine, name):
        """Items that the slots of a node have, by number."""
        return {slot["item"] for slot in self.slots(engine, name)
                if slot["state"] == "busy"}

    def users(self, engine, count):
        return [self.depositor(engine, f"user-{i}") for i in range(count)]

    def submit(self, doors, each):
        names = []
        for door in doors:
            for i in range(each):
                name = f"{door.user}-{i}"
                self.assertTrue(
                    door.deposit(name + ".xml", a_deposit(name)).accepted)
                names.append(name)
        return names

    def completed(self, engine, count, timeout=60):
        """All submissions once so many of them are completed."""
        def those():
            rows = engine.submissions()
            done = [row for row in rows if row["status"] == "completed"]
            return rows if len(done) >= count else None
        return wait_until(those, timeout)


class Processing(RemoteTest):
    def test_a_joined_node_processes_deposits_and_queries(self):
        engine = self.engine_without_processors()
        door = self.depositor(engine, "ann")
        door.deposit("first.xml", a_deposit("first"))
        node = self.node(engine, "n1").start()
        self.assertEqual(node.ready["joined"], engine.ready["node"])
        self.assertEqual(node.ready["name"], "n1")
        first = self.outcome(door, "first.xml")
        self.assertEqual(first.records,
                         [("Success", "10.5555/first", "Successfully added")])
        # The registry is the engine's: what one deposit left, others find.
        door.deposit("again.xml", a_deposit("again", doi="10.5555/first"))
        again = self.outcome(door, "again.xml")
        self.assertEqual([r[0] for r in again.records], ["Failure"])
        door.deposit("bad.xml", b"<doi_batch>")
        self.assertTrue(self.outcome(door, "bad.xml").failures())
        door.deposit("ask.txt",
                     b"2577-3569|Journal of Made-up Results||||||full_text|k1|"
                     b"10.5555/first\n", "doQueryUpload")
        wait_until(lambda: b"10.5555/first" in door.download("ask.txt").body)
        large = a_deposit("large") + b"<!--" + b"x" * (5 << 20) + b"-->"
        self.assertTrue(door.deposit("large.xml", large).accepted)
        self.assertEqual(self.outcome(door, "large.xml").failures(), [])

    def test_sp_list_shows_every_slot_wherever_it_is(self):
        engine = self.start({"processors.count": 1, **self.no_pipelines()})
        node = self.node(engine, "n1", slots=3).start()
        wait_until(lambda: len(self.slots(engine, "n1")) == 6)
        slots = self.slots(engine)
        self.assertEqual(len(slots), 8)
        for slot in slots:
            self.assertIn(slot["node"], (None, "n1"))
            self.assertIn(slot["queue"], ("metadata", "query"))
            self.assertEqual((slot["state"], slot["item"], slot["since"]),
                             ("idle", None, None))
        self.assertEqual(engine.ask("sp", "list")["nodes"],
                         [{"name": "n1", "state": "joined"}])
        text = engine.ctl("sp", "list")
        self.assertRegex(text, r"n1 +query +3 +query +idle")
        self.assertRegex(text, r"engine +query +1 +query +idle")
        self.assertEqual(engine.ask("status")["slots"],
                         {"total": 8, "busy": 0})
        # What an operator says of an SP is for all of its slots.
        engine.ctl("sp", "stop", "metadata", "--yes")
        wait_until(lambda: {slot["queue"] for slot in self.slots(engine)}
                   == {"query"})
        self.assertEqual(node.stop(), 0)

    def test_sp_list_says_what_a_slot_on_a_node_holds(self):
        engine = self.engine_without_processors()
        door = self.depositor(engine, "ann")
        self.node(engine, "n1", slots=1, delay_ms=600_000).start()
        self.submit([door], 1)
        slot = wait_until(lambda: next(
            (x for x in self.slots(engine) if x["state"] == "busy"), None))
        row = engine.submissions()[0]
        self.assertEqual((slot["node"], slot["processor"], slot["user"]),
                         ("n1", "metadata", "ann"))
        self.assertEqual(slot["item"], row["id"])
        self.assertRegex(slot["since"], r"^\d{4}-\d\d-\d\dT")
        self.assertEqual(engine.ask("status")["slots"]["busy"], 1)

    def test_sigterm_finishes_what_is_in_hand(self):
        engine = self.engine_without_processors()
        doors = self.users(engine, 2)
        # So long that they are still in hand when the signal comes, however
        # busy the machine is.
        node = self.node(engine, "n1", delay_ms=10_000).start()
        self.submit(doors, 2)
        held = wait_until(lambda: (ids := self.in_hand(engine, "n1"))
                          and len(ids) == 2 and ids)
        self.assertEqual(node.stop(), 0)
        rows = {row["id"]: row for row in engine.submissions()}
        for item in held:
            self.assertEqual(rows[item]["status"], "completed")
            self.assertEqual(rows[item]["attempt"], 1)
        for row in rows.values():
            if row["id"] not in held:
                self.assertEqual(row["status"], "queued")
        wait_until(lambda: engine.ask("sp", "list")["nodes"] == [])


class NodesThatGo(RemoteTest):
    def test_work_of_a_killed_node_goes_to_another_at_once(self):
        engine = self.engine_without_processors()
        doors = self.users(engine, 4)
        first = self.node(engine, "n1", slots=4, delay_ms=600_000).start()
        self.submit(doors, 1)
        held = wait_until(lambda: len(self.in_hand(engine, "n1")) == 4
                          and self.in_hand(engine, "n1"))
        self.node(engine, "n2", slots=8, delay_ms=1).start()
        wait_until(lambda: len(self.slots(engine, "n2")) == 16)
        first.kill()
        killed = datetime.now(timezone.utc)
        rows = self.completed(engine, 4)
        # By the engine's own account, whatever kept this test waiting.
        for row in rows:
            again = datetime.fromisoformat(row["started_at"])
            self.assertLess((again - killed).total_seconds(), SILENCE_S / 2)
        self.assertEqual({row["id"] for row in rows}, held)
        for row in rows:
            self.assertEqual(row["attempt"], 2)

    def test_a_node_that_hangs_loses_its_work_and_comes_back(self):
        engine = self.engine_without_processors()
        doors = self.users(engine, 2)
        first = self.node(engine, "n1", delay_ms=15_000).start()
        self.submit(doors, 1)
        wait_until(lambda: len(self.in_hand(engine, "n1")) == 2)
        self.node(engine, "n2", delay_ms=1).start()
        first.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        self.assertIn({"name": "n1", "state": "silent"},
                      engine.ask("sp", "list")["nodes"])
        rows = self.completed(engine, 2)
        self.assertLess(time.monotonic() - began, LEASE_S / 2)
        for row in rows:
            self.assertEqual(row["attempt"], 2)
        first.process.send_signal(signal.SIGCONT)
        # Its handlers end now: nobody wants to hear of it.
        wait_until(lambda: len(self.slots(engine, "n1")) == 4)
        wait_until(lambda: not self.in_hand(engine, "n1"), 90)
        self.assertEqual([row["attempt"] for row in engine.submissions()],
                         [2, 2])
        self.assertIn("claim_lost", first.log())

    def test_a_name_belongs_to_one_node_at_a_time(self):
        engine = self.engine_without_processors()
        first = self.node(engine, "n1").start()
        twin = Node(harness.PROGRAMS, self.folder / "twin", "n1",
                    engine.ready["node"])
        twin.data.parent.mkdir()
        self.addCleanup(twin.kill)
        twin.launch()
        wait_until(lambda: "has joined" in twin.log())
        first.kill()
        wait_until(lambda: engine.ask("sp", "list")["nodes"]
                   and "engine_joined" in twin.log())


class EnginesThatGo(RemoteTest):
    def assert_worked_on_once(self, rows, nodes):
        """A hand-out that was durable when the engine died, but not sent, has
        cost an attempt; no item was given to a handler more than once."""
        log = "".join(node.log() for node in nodes)
        runs = Counter(int(item) for item in re.findall(
            r"item_in_work .* item=(\d+) ", log))
        self.assertEqual(runs, {row["id"]: 1 for row in rows})
        self.assertEqual(re.findall("claim_lost.*", log), [])

    def test_nodes_carry_their_work_over_restarts_of_the_engine(self):
        engine = self.engine_without_processors()
        doors = self.users(engine, 6)
        nodes = [self.node(engine, name, slots=3, delay_ms=2000,
                           **{"log.level": "debug"}).start()
                 for name in ("n1", "n2")]
        names = self.submit(doors, 4)
        for end in (engine.kill, engine.stop, engine.kill):
            wait_until(lambda: self.in_hand(engine, "n1")
                       and self.in_hand(engine, "n2"))
            end()
            engine.start()
        rows = self.completed(engine, len(names), 120)
        self.assertEqual(len(rows), len(names))
        for row in rows:
            self.assertFalse(row["failed"])
        self.assert_worked_on_once(rows, nodes)
        for node in nodes:
            self.assertTrue(node.alive())
            self.assertEqual(node.stop(), 0)

    def test_real_deposits_survive_an_engine_that_is_killed_again_and_again(
            self):
        engine = self.engine_without_processors()
        doors = self.users(engine, 5)
        nodes = [self.node(engine, name, slots=4,
                           **{"log.level": "debug"}).start()
                 for name in ("n1", "n2")]
        names = []
        for round_number in range(4):
            for door in doors:
                for i in range(6):
                    name = f"{door.user}-{round_number}-{i}"
                    self.assertTrue(door.deposit(
                        name + ".xml", a_deposit(name)).accepted)
                    names.append((door, name))
            engine.kill()
            engine.start()
            for door in doors:
                door.close()
        self.completed(engine, len(names), 120)
        for door, name in names:
            found = self.outcome(door, name + ".xml")
            self.assertEqual(
                found.records,
                [("Success", f"10.5555/{name}", "Successfully added")])
        self.assert_worked_on_once(engine.submissions(), nodes)

    def test_deaths_in_any_order_lose_and_repeat_nothing(self):
        seed = int(os.environ.get("DEPOSITD_REMOTE_SEED",
                                  random.randrange(1 << 32)))
        chance = random.Random(seed)
        engine = self.engine_without_processors(
            **{"queues.metadata.attempts_max": "none"})
        doors = self.users(engine, 5)
        nodes = [self.node(engine, name, slots=4).start()
                 for name in ("n1", "n2", "n3")]
        names = []
        for round_number in range(10):
            for door in doors:
                for i in range(chance.randrange(1, 8)):
                    name = f"{door.user}-{round_number}-{i}"
                    self.assertTrue(door.deposit(
                        name + ".xml", a_deposit(name)).accepted)
                    names.append((door, name))
            for node in chance.sample(nodes, chance.randrange(3)):
                node.kill()
            if chance.random() < 0.5:
                chance.choice((engine.kill, engine.stop))()
                engine.start()
                for door in doors:
                    door.close()
            for node in nodes:
                if not node.alive():
                    node.launch()
        self.completed(engine, len(names), 120)
        for door, name in names:
            found = self.outcome(door, name + ".xml")
            self.assertEqual(
                found.records,
                [("Success", f"10.5555/{name}", "Successfully added")],
                f"seed {seed}")

    def test_a_node_waits_for_an_engine_that_is_not_there_yet(self):
        engine = self.engine_without_processors()
        door = self.depositor(engine, "ann")
        engine.kill()
        node = self.node(engine, "n1").launch()
        wait_until(lambda: "engine_not_joined" in node.log())
        engine.start()
        door.deposit("late.xml", a_deposit("late"))
        self.assertEqual(self.outcome(door, "late.xml").failures(), [])


class Starting(RemoteTest):
    def refusal(self, *arguments):
        result = subprocess.run(
            [str(harness.PROGRAMS / "depositd"), *arguments],
            capture_output=True, text=True, timeout=30,
            stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1,
                         result.stderr)
        return result.stderr

    def test_wrong_words_end_it_with_one_line(self):
        self.assertIn("--join", self.refusal("--processors-only"))
        self.assertIn("--processors-only",
                      self.refusal("--join", "127.0.0.1:1"))
        self.assertIn("--join", self.refusal("--processors-only", "--join",
                                             "nowhere"))
        self.assertIn("node.tls", self.refusal("--processors-only", "--join",
                                               "192.0.2.1:4747"))
        self.assertIn("node.name", self.refusal(
            "--processors-only", "--join", "127.0.0.1:1",
            "--set", "node.name=a/b"))


class CertifiedTest(RemoteTest):
    """Gives every test an authority, those it has signed, and others."""

    def setUp(self):
        super().setUp()
        self.authorities = {name: Authority(self.folder, name)
                            for name in ("ca", "other")}
        for who, authority in (("engine", "ca"), ("node", "ca"),
                               ("stranger", "other")):
            self.authorities[authority].issue(who)

    def file(self, who, kind):
        return str(self.folder / f"{who}.{kind}")

    def files(self, who, authority="ca"):
        return {"node.tls.certificate": self.file(who, "pem"),
                "node.tls.key": self.file(who, "key"),
                "node.tls.ca": self.file(authority, "pem")}


class Certificates(CertifiedTest):
    def test_only_nodes_with_a_certificate_of_the_authority_get_in(self):
        engine = self.start({"processors.count": 0, **self.files("engine")})
        strangers = [
            self.node(engine, "plain").launch(),
            self.node(engine, "own", **self.files("stranger")).launch(),
            self.node(engine, "alien",
                      **self.files("stranger", "other")).launch()]
        node = self.node(engine, "n1", **self.files("node")).start()
        self.assertEqual(node.ready["name"], "n1")
        for stranger in strangers:
            wait_until(lambda: "engine_not_joined" in stranger.log())
            self.assertNotIn("engine_joined", stranger.log())
        names = wait_until(lambda: self.nodes_with_slots(engine))
        self.assertEqual(names, {"n1"})

    def nodes_with_slots(self, engine):
        listed = subprocess.run(
            [str(harness.PROGRAMS / "depositctl"), "--connect",
             engine.ready["node"],
             "--tls-certificate", self.file("node", "pem"),
             "--tls-key", self.file("node", "key"),
             "--tls-ca", self.file("ca", "pem"), "sp", "list"],
            capture_output=True, text=True, timeout=60, check=True)
        return set(re.findall(r"^(\w+) +metadata", listed.stdout, re.M))


if __name__ == "__main__":
    harness.main()
