"""The engine on a real Kafka: deposits in by kcat, outcomes out, each exactly
once after repetitions are dropped, whatever is killed on the way."""

import os
import random
import re
import shutil
import signal
import subprocess
import threading
import unittest
from collections import Counter
from pathlib import Path

from engine import EngineFailed
from harness import SystemTest, a_deposit, main, wait_until
from kafka_tools import (NOT_INSTALLED, Server, deposit_record, outcomes,
                         produce, read_topic, services)

# How much the test with everything in it does; CI does less.
DEPOSITS = int(os.environ.get("DEPOSITD_KAFKA_DEPOSITS", "2000"))
KILLS = int(os.environ.get("DEPOSITD_KAFKA_KILLS", "4"))
PATIENCE = int(os.environ.get("DEPOSITD_KAFKA_PATIENCE", "120"))
USERS = [f"user-{n}" for n in range(7)]


def deposits(count, label):
    """(user, file name) and line of so many records."""
    for n in range(count):
        user, name = USERS[n % len(USERS)], f"{label}-{n}.xml"
        yield (user, name), deposit_record(
            user, name, a_deposit(f"{label}.{n}").decode(), number=n)


class KafkaFixture(SystemTest):
    @classmethod
    def setUpClass(cls):
        tried = services("installed")
        if tried.returncode == NOT_INSTALLED:
            raise unittest.SkipTest(tried.stderr.strip().upper())
        cls.kafka = Server()
        cls.addClassCleanup(cls.kafka.remove)
        cls.kafka.start()

    def engine_on_kafka(self, label, settings=None, **more):
        """Topics of its own; not started yet."""
        self.topics = {kind: f"{label}.{kind}"
                       for kind in ("in", "out", "dead")}
        return self.engine({
            "kafka.brokers": self.kafka.address,
            "kafka.ingress_topic": self.topics["in"],
            "kafka.egress_topic": self.topics["out"],
            "kafka.dead_letter_topic": self.topics["dead"],
            "kafka.partitions": 4, "log.level": "info", **(settings or {})},
            **more)

    def started(self, label, settings=None, **more):
        engine = self.engine_on_kafka(label, settings, **more).start()
        engine.ctl("kafka", "init")
        return engine

    def produce(self, lines, *more):
        produce(self.kafka.address, self.topics["in"], lines, *more)

    def read(self, kind):
        return read_topic(self.kafka.address, self.topics[kind])

    def outcomes(self):
        return outcomes(self.read("out"))

    def await_outcomes(self, keys, timeout=90):
        """Until every deposit has one; the events by id."""
        def complete():
            if self.size("out") < len(keys):
                return None
            found = self.outcomes()
            have = {(x["user"], x["id"]) for x in found.values()}
            return found if have >= keys else None
        return wait_until(complete, timeout, pause=0.5)

    def expect_exactly(self, events, keys):
        """One outcome for each deposit, and none for anything else."""
        counted = Counter((x["user"], x["id"]) for x in events.values())
        self.assertEqual(set(counted), keys)
        self.assertEqual([x for x in counted.items() if x[1] > 1], [])

    def run_with_kills(self, label, count, kills, settings=None, servers=None):
        """`servers` are killed after the kill of that number."""
        engine = self.started(label, settings)
        lines = dict(deposits(count, label))
        producer = threading.Thread(target=self.produce,
                                    args=(lines.values(),))
        producer.start()
        for kill in range(kills):
            wanted = count * (kill + 1) // (kills + 2)
            wait_until(lambda: self.size("out") >= wanted, PATIENCE, 0.1)
            if server := (servers or {}).get(kill):
                server.kill()
                server.start()
            engine.kill()
            engine.start()
        producer.join()
        events = self.await_outcomes(lines.keys(), PATIENCE)
        self.expect_exactly(events, lines.keys())
        self.assertEqual(self.read("dead"), [])
        print(f"{label}: {count} deposits, {kills} kills, "
              f"{len(self.read('out')) - count} repetitions")

    def size(self, kind):
        """How many records the topic has."""
        done = subprocess.run(
            ["kcat", "-Q", "-b", self.kafka.address]
            + [word for p in range(4)
               for word in ("-t", f"{self.topics[kind]}:{p}:-1")],
            capture_output=True, text=True, check=False, timeout=60)
        return sum(int(x) for x in re.findall(r"offset (\d+)", done.stdout))


class KafkaTest(KafkaFixture):
    def test_topics_are_made_once(self):
        engine = self.engine_on_kafka("init").start()
        made = engine.ask("kafka", "init")["topics"]
        self.assertEqual([(x["topic"], x["partitions"], x["existed"])
                          for x in made],
                         [(self.topics[x], 4, False)
                          for x in ("in", "out", "dead")])
        printed = engine.ctl("kafka", "init")
        self.assertEqual(printed.count("yes"), 3, printed)
        self.assertIn("audit", engine.log())

    def test_an_engine_without_kafka_says_so(self):
        engine = self.start()
        for words in (("kafka", "init"), ("deadletter", "list")):
            refused = engine.ctl_result(*words)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("kafka.brokers", refused.stderr)

    def test_an_option_that_is_wrong_is_one_line_and_exit_2(self):
        engine = self.engine_on_kafka("wrong",
                                      {"kafka.options": "nonsense=1"})
        with self.assertRaises(EngineFailed) as refused:
            engine.start()
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("nonsense", refused.exception.log)

    def test_records_come_in_and_outcomes_go_out(self):
        engine = self.started("plain")
        lines = dict(deposits(300, "plain"))
        self.produce(lines.values())
        events = self.await_outcomes(lines.keys())
        self.expect_exactly(events, lines.keys())
        one = next(iter(events.values()))
        self.assertEqual(one["outcome"], "done")
        self.assertEqual(one["queue"], "metadata")
        self.assertEqual(one["source"], "kafka")
        self.assertIn("<doi_batch_diagnostic", one["document"])
        self.assertLessEqual(one["received"], one["finished"])
        # The other doors know them, and what comes in there goes out too.
        door = self.depositor(engine, USERS[0])
        self.assertIn("<doi_batch_diagnostic",
                      self.outcome(door, "plain-0.xml").document.decode())
        self.assertTrue(door.deposit("http.xml", a_deposit("http")))
        events = self.await_outcomes(lines.keys() | {(USERS[0], "http.xml")})
        by_name = {x["id"]: x for x in events.values()}
        self.assertEqual(by_name["http.xml"]["source"], "http")
        self.assertEqual(self.read("dead"), [])

    def test_a_deposit_that_fails_is_an_outcome_too(self):
        self.started("bad")
        self.produce([
            deposit_record("ann", "no.xml", "this is no XML"),
            deposit_record("ann", "good.xml", a_deposit("good").decode()),
            deposit_record("ann", "big.xml",
                           a_deposit("big", title="A" * 400_000).decode())])
        names = {"no.xml", "good.xml", "big.xml"}
        events = self.await_outcomes({("ann", name) for name in names})
        how = {x["id"]: x["outcome"] for x in events.values()}
        self.assertEqual(how["good.xml"], "done")
        self.assertEqual(how["big.xml"], "done")
        no = next(x for x in events.values() if x["id"] == "no.xml")
        self.assertIn("record_diagnostic status=\"Failure\"", no["document"])

    def test_a_deposit_that_is_sent_again_is_taken_once(self):
        engine = self.started("again", {"kafka.partitions": 1})
        lines = dict(deposits(20, "again"))
        self.produce(lines.values())
        self.await_outcomes(lines.keys())
        engine.kill()
        engine.start()
        other = deposit_record(USERS[0], "again-0.xml", "else")
        self.produce(lines.values())
        self.produce([other], "-H", "sent-by=a", "-H", "event-id=1:1")
        self.produce([deposit_record("ann", "last.xml", "last")])
        keys = lines.keys() | {("ann", "last.xml")}
        self.expect_exactly(self.await_outcomes(keys), keys)
        letters = wait_until(lambda: self.all_letters(1))
        self.assertEqual(letters[0].key, USERS[0].encode())
        self.assertEqual(letters[0].key + b"\t" + letters[0].value + b"\n",
                         other)
        self.assertIn("something else", letters[0].header("reason"))
        self.assertEqual(letters[0].header("sent-by"), "a")
        self.assertNotEqual(letters[0].header("event-id"), "1:1")

    def test_a_trace_context_comes_back_with_the_outcome(self):
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        engine = self.started("trace")
        lines = dict(deposits(3, "trace"))
        self.produce(lines.values(), "-H", f"traceparent={trace}")
        self.await_outcomes(lines.keys())
        # Also of one that the publisher has to look up.
        engine.ctl("suspend")
        late = dict(deposits(1, "late"))
        self.produce(late.values(), "-H", f"traceparent={trace}")
        wait_until(lambda: "late-0.xml" in engine.ctl("submission", "list"))
        engine.kill()
        engine.start()
        engine.ctl("resume")
        self.await_outcomes(lines.keys() | late.keys())
        self.assertEqual({x.header("traceparent") for x in self.read("out")},
                         {trace})

    def test_poison_goes_aside_and_what_is_behind_it_goes_on(self):
        engine = self.started("poison", {"kafka.partitions": 1})
        poison = [f"p\tpoison {n}\n".encode() for n in range(1000)]
        poison[10] = b"p\t{\"id\": 1}\n"
        poison[20] = b"p\t\xff\xfe\x01\n"
        good = dict(deposits(1, "behind"))
        self.produce(poison + list(good.values()))
        self.await_outcomes(good.keys())
        engine.kill()
        engine.start()
        more = dict(deposits(1, "later"))
        self.produce(more.values())
        self.await_outcomes(good.keys() | more.keys())
        letters = wait_until(lambda: self.all_letters(1000))
        by_id = {x.header("event-id"): x for x in letters}
        self.assertEqual(len(by_id), 1000)
        self.assertEqual(
            Counter(x.value for x in by_id.values()),
            Counter(x[2:-1] for x in poison))
        offsets = sorted(int(x.header("source-offset"))
                         for x in by_id.values())
        self.assertEqual(offsets, list(range(1000)))
        one = by_id[next(iter(by_id))]
        self.assertEqual(one.header("source-topic"), self.topics["in"])
        self.assertEqual(one.header("source-partition"), "0")
        self.assertTrue(one.header("reason"))

    def test_records_of_every_odd_kind_go_aside(self):
        engine = self.started("odd", {"kafka.partitions": 1})
        noise = random.Random(51).randbytes(990_000).replace(b"\n", b"\0")
        good = dict(deposits(1, "odd"))
        fine = next(iter(good.values()))
        self.produce([b"none\t\n"], "-Z")
        self.produce([b"empty\t\n"])
        self.produce([b"noise\t" + noise + b"\n"])
        self.produce([fine.replace(b"odd-0", b"later")],
                     "-H", "schema-version=2")
        self.produce([b"no key nor deposit\n"])
        self.produce(good.values(), "-H", "schema-version=1",
                     "-H", "twice=1", "-H", "twice=2")
        self.await_outcomes(good.keys())
        letters = wait_until(lambda: self.all_letters(5))
        self.assertEqual(
            [(x.key, x.header("reason").split(":")[0]) for x in letters],
            [(b"none", "the record has no value"),
             (b"empty", "no JSON text"), (b"noise", "no JSON text"),
             (b"user-0", "schema-version is not 1"), (b"", "no JSON text")])
        self.assertEqual(letters[2].value, noise)
        self.assertEqual(letters[4].value, b"no key nor deposit")
        self.expect_letters_go_back(engine)

    def test_a_key_of_a_megabyte_holds_nothing_up(self):
        engine = self.started("keys", {"kafka.partitions": 1})
        good = dict(deposits(1, "behind"))
        self.produce([b"k" * 990_000 + b"\t{}\n", *good.values()])
        self.await_outcomes(good.keys())
        letter = wait_until(lambda: self.all_letters(1))[0]
        self.assertEqual((letter.key, letter.value), (b"", b"{}"))
        self.assertEqual(letter.header("key-omitted"), "990000")
        self.assertEqual(letter.header("reason"),
                         "the key has more than 4096 bytes")
        listed = engine.ask("deadletter", "list")["dead_letters"][0]
        refused = engine.ctl_result("deadletter", "replay", "--yes",
                                    listed["id"])
        self.assertIn("its key was left out", refused.stderr)

    def expect_letters_go_back(self, engine):
        """Operators see them, and what is still wrong comes again."""
        found = engine.ask("deadletter", "list")["dead_letters"]
        self.assertEqual(len(found), 5)
        keyless = next(x for x in found if not x["key"])
        shown = engine.ask("deadletter", "show", keyless["id"])
        self.assertEqual(shown["value"], "no key nor deposit")
        other = next(x for x in found if x["key"] == "user-0")
        refused = engine.ctl_result("deadletter", "replay", "--yes",
                                    f"{keyless['id']},{other['id']}")
        self.assertIn("schema-version is not 1", refused.stderr)
        done = engine.ask("deadletter", "replay", "--yes", keyless["id"])
        self.assertEqual(done["topic"], self.topics["in"])
        letters = wait_until(lambda: self.all_letters(6))
        self.assertEqual(len({x.header("event-id") for x in letters}), 6)
        self.assertEqual(
            len(engine.ask("deadletter", "list", "--text", "no JSON",
                           "--limit", "9")["dead_letters"]), 4)

    def all_letters(self, count):
        found = self.read("dead")
        return found if len({x.header("event-id") for x in found}) >= count \
            else None

    def test_an_engine_may_be_killed_on_the_way(self):
        self.run_with_kills("kills", 1500, KILLS)

    def test_brokers_that_are_away_are_waited_for(self):
        engine = self.started("away")
        first = dict(deposits(50, "first"))
        self.produce(first.values())
        self.await_outcomes(first.keys())
        self.kafka.kill()
        # Other doors do not care.
        door = self.depositor(engine, "press")
        self.assertTrue(door.deposit("meanwhile.xml", a_deposit("meanwhile")))
        self.outcome(door, "meanwhile.xml")
        # What is to be published is not forgotten.
        refused = engine.ctl_result("user", "forget", "press", "--yes")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("is not published yet", refused.stderr)
        # A start does not care either.
        engine.kill()
        engine.start()
        self.kafka.start()
        second = dict(deposits(50, "second"))
        self.produce(second.values())
        keys = first.keys() | second.keys() | {("press", "meanwhile.xml")}
        self.expect_exactly(self.await_outcomes(keys), keys)
        gone = engine.ask("user", "forget", "press", "--yes")
        self.assertEqual(gone["submissions"], 1)

    def test_another_log_under_the_same_name_is_an_alarm(self):
        engine = self.started("other", {"kafka.partitions": 1})
        lines = dict(deposits(20, "other"))
        self.produce(lines.values())
        self.await_outcomes(lines.keys())
        self.kafka.kill()
        shutil.rmtree(Path(self.kafka.folder, "kafka", "data"))
        self.kafka.start()
        engine.ctl("kafka", "init")
        wait_until(lambda: "intake_stopped" in engine.log())
        self.assertIn("but ends at 0", engine.log())
        # Outcomes still go out.
        door = self.depositor(engine, "press")
        self.assertTrue(door.deposit("one.xml", a_deposit("one")))
        self.await_outcomes({("press", "one.xml")})


class PostgresFixture(KafkaFixture):
    """The store on a server too."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if services("installed", service="postgres").returncode != 0:
            raise unittest.SkipTest("POSTGRESQL IS NOT INSTALLED")
        cls.postgres = Server("postgres")
        cls.addClassCleanup(cls.postgres.remove)
        cls.postgres.start()

    def settings(self, schema):
        done = subprocess.run(
            ["psql", self.postgres.address, "-XAtqc",
             f"CREATE SCHEMA {schema}"], capture_output=True, text=True,
            check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {"store.kind": "postgres",
                "store.url": f"{self.postgres.address}"
                             f"?options=-csearch_path%3D{schema}"}


class KafkaAndPostgres(PostgresFixture):
    """Both servers and the engine are killed."""

    def test_records_come_in_and_outcomes_go_out(self):
        self.started("pgplain", self.settings("pgplain"))
        lines = dict(deposits(200, "pgplain"))
        self.produce(lines.values())
        self.expect_exactly(self.await_outcomes(lines.keys()), lines.keys())

    def test_the_same_set_comes_out_whatever_is_killed(self):
        """Engine several times, Postgres and Kafka once each."""
        self.run_with_kills("all", DEPOSITS, KILLS, self.settings("everything"),
                            {KILLS // 3: self.postgres, KILLS // 2: self.kafka})

    def test_engines_that_share_shards_take_partitions_over(self):
        """One is killed, one stands still past its lease."""
        shared = {**self.settings("shared"), "shards.count": 4,
                  "shards.lease_ms": 2000}
        first, second, third = (
            self.engine_on_kafka("shared", {**shared, "node.name": name},
                                 data=name).start() for name in "abc")
        first.ctl("kafka", "init")
        lines = dict(deposits(900, "shared"))
        producer = threading.Thread(target=self.produce,
                                    args=(lines.values(),))
        producer.start()
        wait_until(lambda: self.size("out") >= 100, PATIENCE, 0.1)
        second.kill()
        wait_until(lambda: self.size("out") >= 300, PATIENCE, 0.1)
        third.process.send_signal(signal.SIGSTOP)
        more = dict(deposits(100, "late"))
        producer.join()
        self.produce(more.values())
        keys = lines.keys() | more.keys()
        wait_until(lambda: self.size("out") >= len(keys), PATIENCE, 0.1)
        third.process.send_signal(signal.SIGCONT)
        second.start()
        self.expect_exactly(self.await_outcomes(keys, PATIENCE), keys)
        self.assertEqual(self.read("dead"), [])

    def test_shards_leave_an_engine_that_does_not_reach_the_brokers(self):
        shared = {**self.settings("cutoff"), "shards.count": 4,
                  "shards.lease_ms": 2000}
        first = self.engine_on_kafka("cutoff", {**shared, "node.name": "a"},
                                     data="a").start()
        first.ctl("kafka", "init")
        # Nobody listens there.
        cut_off = self.engine_on_kafka(
            "cutoff", {**shared, "node.name": "b",
                       "kafka.brokers": "127.0.0.1:1"}, data="b").start()
        wait_until(lambda: "logs_not_reached" in cut_off.log(), PATIENCE)
        wait_until(lambda: {x["engine"] for x in
                            first.ask("shards")["shards"]} == {"a"}, PATIENCE)
        lines = dict(deposits(100, "cutoff"))
        self.produce(lines.values())
        self.expect_exactly(self.await_outcomes(lines.keys(), PATIENCE),
                            lines.keys())
        told = first.ask("shards")["engines"]
        self.assertEqual({x["engine"]: x["reaches_logs"] for x in told},
                         {"a": True, "b": False})

    def test_an_engine_without_kafka_is_refused_beside_one_with_it(self):
        shared = {**self.settings("without"), "shards.count": 4,
                  "shards.lease_ms": 2000}
        self.engine_on_kafka("without", {**shared, "node.name": "a"},
                             data="a").start()
        other = self.engine({**shared, "node.name": "b"}, data="b")
        with self.assertRaises(EngineFailed) as failed:
            other.start()
        self.assertEqual(failed.exception.code, 2)
        self.assertIn("kafka", failed.exception.log)


if __name__ == "__main__":
    main()
