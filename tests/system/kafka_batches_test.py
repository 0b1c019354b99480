"""Batches that come in by Kafka, and the topic that tells how they and their
jobs have ended."""

import json
import unittest
import uuid
from collections import Counter

from harness import main, wait_until
from kafka_test import KafkaFixture, PostgresFixture
from kafka_tools import outcomes
from merritt_samples import Source, manifest, object_manifest, row, text

KILLS = 4
BATCHES = 24
ENDS = {"completed", "failed", "deleted"}

PLAIN = """order: [one, two]
stages:
  one: {state: pending, handler: noop}
  two: {state: storing, handler: noop}
"""


def batch_record(user, profile, name=None, content=None, kind="file", url=None,
                 number=None):
    """Its id, and the line for `produce`."""
    number = number or str(uuid.uuid4())
    form = {"profile": profile, "type": kind}
    document = {"id": number, "user": user, "type": "batch", "form": form}
    if url:
        document["payload_url"] = url
    else:
        form["filename"] = name
        document["payload"] = content
    return number, f"{user}\t{json.dumps(document)}\n".encode()


class Batches:
    """For a fixture with Kafka."""

    def setUp(self):
        super().setUp()
        self.source = Source()
        self.source.serve()
        self.addCleanup(self.source.server_close)
        self.addCleanup(self.source.shutdown)

    def engine_with_jobs_topic(self, label, settings, **more):
        """Not started yet."""
        engine = self.engine_on_kafka(label, {
            "kafka.jobs_topic": f"{label}.jobs",
            "fetch.allow": self.source.address, **settings}, **more)
        self.topics["jobs"] = f"{label}.jobs"
        return engine

    def prepared(self, label, **settings):
        engine = self.engine_with_jobs_topic(label, settings).start()
        made = engine.ask("kafka", "init")["topics"]
        self.assertIn(f"{label}.jobs", [x["topic"] for x in made])
        engine.add_user("lea", "secret-lea")
        engine.add_user("max", "secret-max")
        engine.ctl("collection", "add", "books", "--owner", "lea")
        return engine

    def ends(self):
        """By event id: what is told of jobs and batches."""
        found = outcomes(self.read("jobs"))
        for x in found.values():
            self.assertIn(x["state"], ENDS)
            self.assertIn(x["kind"], ("job", "batch"))
        return found

    def await_batches(self, numbers, timeout=120):
        """Until each of these batches has an end; all that is told then."""
        wanted = {f"bid-{x}" for x in numbers}

        def complete():
            found = self.ends()
            have = {x["uuid"] for x in found.values() if x["kind"] == "batch"}
            return found if have >= wanted else None
        return wait_until(complete, timeout, pause=0.5)

    def letters(self, count):
        def complete():
            found = self.read("dead")
            have = {x.header("event-id") for x in found}
            return found if len(have) >= count else None
        return wait_until(complete)


class KafkaBatches(Batches, KafkaFixture):
    def test_batches_run_and_their_ends_are_told(self):
        engine = self.prepared("batches")
        files = {"one.txt": text("one", 5), "two.txt": text("two", 9)}
        whole = manifest("mrt-batch-manifest", [
            row(self.source.add(name, content), content, name, "", "",
                f"local-{name}")
            for name, content in (
                ("a.checkm", object_manifest(self.source, "a", files)),
                ("b.checkm", object_manifest(self.source, "b", files)))])
        alone, first = batch_record("lea", "books", "a.txt", "hello\n")
        many, second = batch_record("lea", "books", kind="batch-manifest",
                                    url=self.source.add("all.checkm", whole))
        cut, third = batch_record(
            "lea", "books", "cut.checkm",
            manifest("mrt-ingest-manifest", []).replace(b"#%eof", b"")
            .decode(), "object-manifest")
        self.produce([first, second, third])
        told = self.await_batches([alone, many, cut])
        batches = {x["uuid"]: x for x in told.values() if x["kind"] == "batch"}
        self.assertEqual(
            {key: x["state"] for key, x in batches.items()},
            {f"bid-{alone}": "completed", f"bid-{many}": "completed",
             f"bid-{cut}": "failed"})
        self.assertEqual(batches[f"bid-{many}"]["jobs"]["completed"], 2)
        self.assertEqual(batches[f"bid-{alone}"]["source"], "kafka")
        jobs = [x for x in told.values() if x["kind"] == "job"]
        self.assertEqual(Counter((x["batch_uuid"], x["state"]) for x in jobs),
                         {(f"bid-{alone}", "completed"): 1,
                          (f"bid-{many}", "completed"): 2,
                          (f"bid-{cut}", "failed"): 1})
        for x in jobs:
            self.assertEqual(x["user"], "lea")
            self.assertEqual(x["collection"], "books")
            if x["state"] == "completed":
                self.assertTrue(x["identifier"].startswith("ark:/"), x)
            else:
                self.assertIn("#%eof", x["note"])
                self.assertTrue(x["stage"], x)
        self.assertEqual(
            engine.ask("batch", "show", f"bid-{many}")["state"], "completed")
        # Who reads outcomes of deposits sees nothing of it.
        self.assertEqual(self.read("out"), [])
        self.assertEqual(self.read("dead"), [])

    def test_what_is_refused_goes_to_the_dead_letters(self):
        self.prepared("refused", **{"kafka.partitions": 1})
        good, line = batch_record("lea", "books", "a.txt", "hello\n")
        lines = [
            batch_record("lea", "nowhere", "a.txt", "x\n")[1],
            batch_record("max", "books", "a.txt", "x\n")[1],
            batch_record("lea", "books", "../a", "x\n")[1],
            batch_record("lea", "books", "a.txt", "x\n", number="7")[1],
            b"lea\t" + json.dumps({"id": str(uuid.uuid4()), "user": "lea",
                                   "type": "batch"}).encode() + b"\n",
            line,
            line,
            batch_record("lea", "books", "a.txt", "other\n", number=good)[1]]
        self.produce(lines)
        self.await_batches([good])
        letters = self.letters(6)
        reasons = [x.header("reason") for x in
                   sorted(letters, key=lambda x:
                          int(x.header("source-offset")))]
        for reason, words in zip(reasons, ("nowhere", "max", "file name",
                                           "UUID", "form is missing",
                                           "something else")):
            self.assertIn(words, reason)
        ends = [x for x in self.ends().values() if x["kind"] == "batch"]
        self.assertEqual(len(ends), 1)

    def test_an_engine_may_be_killed_on_the_way(self):
        engine = self.prepared("killed")
        lines = dict(batch_record("lea", "books", f"{n}.txt", f"{n}\n")
                     for n in range(BATCHES))
        self.produce(lines.values())
        for kill in range(KILLS):
            wanted = BATCHES * (kill + 1) // (KILLS + 2)
            wait_until(lambda wanted=wanted: self.size("jobs") >= wanted, 120,
                       0.1)
            engine.kill()
            engine.start()
        # Once more, by a producer that was not sure.
        self.produce(lines.values())
        told = self.await_batches(lines.keys())
        last, line = batch_record("lea", "books", "last.txt", "last\n")
        self.produce([line])
        told = self.await_batches([*lines.keys(), last])
        self.assertEqual(
            Counter((x["kind"], x["state"]) for x in told.values()),
            {("batch", "completed"): BATCHES + 1,
             ("job", "completed"): BATCHES + 1})
        self.assertEqual(self.read("out"), [])
        self.assertEqual(self.read("dead"), [])
        print(f"{len(self.read('jobs')) - len(told)} repetitions")


class KafkaBatchesInShards(Batches, PostgresFixture):
    def test_users_of_several_shards_have_each_batch_once(self):
        """One of two engines is killed; the other takes its shards over."""
        # Engines have no working folder in common here.
        pipelines = self.folder / "pipelines"
        pipelines.mkdir()
        (pipelines / "plain.yaml").write_text(PLAIN, "utf-8")
        shared = {**self.settings("batches"), "shards.count": 4,
                  "shards.lease_ms": 2000, "pipelines.folder": str(pipelines)}
        first, second = (
            self.engine_with_jobs_topic("inshards",
                                        {**shared, "node.name": name},
                                        data=name).start() for name in "ab")
        first.ctl("kafka", "init")
        users = [f"user-{n}" for n in range(6)]
        for user in users:
            first.add_user(user, "secret-of-a-user")
        first.ctl("collection", "add", "books", "--owner", users[0],
                  "--submitters", ",".join(users[1:]), "--pipeline", "plain")
        lines = dict(batch_record(users[n % 6], "books", f"{n}.txt", f"{n}\n")
                     for n in range(BATCHES))
        refused = [batch_record(user, "nowhere", "a.txt", "x\n")[1]
                   for user in users]
        self.produce([*lines.values(), *refused])
        wait_until(lambda: self.size("jobs") >= BATCHES // 3, 120, 0.1)
        second.kill()
        self.produce(lines.values())
        told = self.await_batches(lines.keys(), 180)
        found = [x for x in told.values() if x["kind"] == "batch"]
        self.assertEqual(len({x["uuid"] for x in found}), BATCHES)
        self.assertEqual(len(found), BATCHES)
        self.assertEqual(len({x.header("event-id")
                              for x in self.letters(len(users))}), len(users))
        self.assertEqual(self.read("out"), [])


if __name__ == "__main__":
    main()
