"""Work that is pulled from servers of other people: buckets, queues of SQS,
topics of Kafka; each private to this test, or skipped in capitals."""

import json
from pathlib import Path

import s3_door
from harness import wait_until
from kafka_tools import produce
from pulled import PulledTest, main, need_server
from sqs_client import SqsQueue, key_files


class Buckets(PulledTest):
    @classmethod
    def setUpClass(cls):
        cls.server = need_server(cls, "s3")

    def put(self, *keys):
        for key in keys:
            s3_door.put(self.server.address, key, key.encode())

    def keys_of_account(self):
        out = {}
        for option, text in (("access_key_file", s3_door.ACCESS_KEY),
                             ("secret_key_file", s3_door.SECRET_KEY)):
            path = self.folder / option
            path.write_text(text + "\n")
            path.chmod(0o600)
            out[option] = path
        return out

    def add_bucket(self, engine, prefix, **other):
        return self.add_source(engine, "bucket", "s3", **{
            "bucket": s3_door.BUCKET, "prefix": prefix,
            "endpoint": self.server.address, **self.keys_of_account(),
            **other})

    def test_objects_below_a_prefix_once_each_and_later_keys_only(self):
        names = [f"in/{n:02}+ü&.txt" for n in range(25)]
        self.put(*names, "other/1.txt")
        engine = self.pulling()
        door = self.queue(engine)
        self.add_bucket(engine, "in/", capacity=10)
        found = sorted(self.payloads(door, 25), key=lambda x: x["key"])
        self.assertEqual([x["key"] for x in found], names)
        self.assertEqual(set(found[0]), {"bucket", "key", "size", "etag",
                                         "modified_at"})
        self.assertEqual((found[0]["bucket"], found[0]["size"]),
                         (s3_door.BUCKET, len(names[0].encode())))
        self.await_record(engine, "bucket", names[3], "finished")
        # Before the last one that was applied: passed over, as was promised.
        self.put("in/00-late.txt", "in/30.txt")
        self.assertEqual([x["key"] for x in self.payloads(door, 1)],
                         ["in/30.txt"])
        engine.stop()
        engine.start()
        door = self.queue(engine)
        self.put("in/31.txt")
        self.assertEqual([x["key"] for x in self.payloads(door, 1)],
                         ["in/31.txt"])
        self.await_more_replenishes(engine, "bucket")
        self.assertEqual(door.size(), 0)

    def test_a_bucket_that_is_not_there_is_told_and_others_go_on(self):
        engine = self.pulling()
        door = self.queue(engine)
        self.add_neighbour(engine)
        self.add_bucket(engine, "x/", bucket="not-there")
        told = self.await_source(engine, "bucket", state="failing")
        self.assertIn("bucket", told["error"])
        self.assertNotIn(s3_door.SECRET_KEY, json.dumps(told) + engine.log())
        self.assert_neighbour_goes_on(engine, door)
        self.put("x/1.txt")
        engine.ctl("source", "set", "bucket", "--bucket", s3_door.BUCKET)
        self.assertEqual([x["key"] for x in self.payloads(door, 1)],
                         ["x/1.txt"])


class Sqs(PulledTest):
    @classmethod
    def setUpClass(cls):
        cls.server = need_server(cls, "sqs")

    def add_queue(self, engine, queue, **other):
        return self.add_source(engine, "jobs", "sqs", **{
            "url": queue.url, **key_files(self.folder), **other})

    def test_messages_are_deleted_after_the_commit(self):
        theirs = SqsQueue(self.server.address, "commit")
        bodies = [json.dumps({"n": n}) for n in range(24)]
        ids = theirs.send([*bodies, "no \"JSON\" ü"])
        engine = self.pulling(high=10)
        self.add_queue(engine, theirs)
        self.await_source(engine, "jobs", in_flight=10)
        # What only waits in a buffer is not ours yet.
        wait_until(lambda: theirs.left() == 15)
        door = self.queue(engine)
        found = self.payloads(door, 25)
        self.assertIn("no \"JSON\" ü", found)
        self.assertEqual(sorted(x["n"] for x in found if isinstance(x, dict)),
                         list(range(24)))
        wait_until(lambda: theirs.left() == 0)
        for one in (ids[0], ids[-1]):
            self.await_record(engine, "jobs", one, "finished")
        self.assert_refused(engine, "source", "test", "jobs", says="jobs")

    def test_a_message_that_comes_again_is_known(self):
        theirs = SqsQueue(self.server.address, "again")
        theirs.send([json.dumps({"id": f"job-{n}"}) for n in range(5)])
        engine = self.pulling(high=1)
        door = self.queue(engine)
        # Visible again long before its turn comes.
        self.add_queue(engine, theirs, key="id", visibility_timeout_s=1)
        self.await_source(engine, "jobs", in_flight=1, buffer=4)
        wait_until(lambda: self.source(engine, "jobs")["duplicates"] > 0)
        self.assertEqual(self.keys(door, 5), [f"job-{n}" for n in range(5)])
        wait_until(lambda: theirs.left() == 0)
        self.assertEqual(self.source(engine, "jobs")["records"]["finished"], 5)

    def test_a_bad_message_is_kept_there_and_told(self):
        theirs = SqsQueue(self.server.address, "bad")
        theirs.send([json.dumps({"id": "good"}), "no object",
                     json.dumps({"id": "large", "filler": "x" * 40_000})])
        engine = self.pulling()
        self.add_queue(engine, theirs, key="id")
        self.assertEqual(self.keys(self.queue(engine), 1), ["good"])
        told = self.await_source(engine, "jobs", bad=2)
        self.assertIn("jobs: ", told["bad_last"])
        wait_until(lambda: len(
            engine.ask("source", "failed", "jobs")["failed"]) == 2)
        wait_until(lambda: theirs.left() == 2)

    def test_a_queue_that_is_not_there_is_told_and_others_go_on(self):
        theirs = SqsQueue(self.server.address, "missing")
        engine = self.pulling()
        door = self.queue(engine)
        self.add_neighbour(engine)
        self.add_queue(engine, theirs, url=theirs.url + "-not-there")
        told = self.await_source(engine, "jobs", state="failing")
        self.assertIn("jobs", told["error"])
        self.assert_neighbour_goes_on(engine, door)


class Topics(PulledTest):
    """The broker makes a topic when it is first written to."""

    PARTITIONS = 2

    @classmethod
    def setUpClass(cls):
        cls.server = need_server(cls, "kafka", cls.prepare)

    @classmethod
    def prepare(cls, server):
        folder = Path(server.folder, "kafka")
        folder.mkdir()
        (folder / "more.properties").write_text(
            "auto.create.topics.enable=true\n"
            f"num.partitions={cls.PARTITIONS}\n")

    def produce(self, topic, values):
        produce(self.server.address, topic, [
            f"{n}\t{value}\n".encode() for n, value in enumerate(values)])

    def add_topic(self, engine, topic, **other):
        return self.add_source(engine, "topic", "kafka", topic=topic, **{
            "brokers": self.server.address, **other})

    def test_records_from_the_oldest_on_once_each(self):
        self.produce("plain", [json.dumps({"n": n}) for n in range(40)])
        engine = self.pulling()
        door = self.queue(engine)
        self.add_topic(engine, "plain", capacity=15)
        self.assertEqual(sorted(x["n"] for x in self.payloads(door, 40)),
                         list(range(40)))
        told = self.await_source(engine, "topic", done=40)
        cursor = json.loads(told["cursor"])
        self.assertLessEqual(set(cursor),
                             {str(n) for n in range(self.PARTITIONS)})
        partition = next(iter(cursor))
        self.await_record(engine, "topic", f"{partition}-0", "finished")
        engine.kill()
        engine.start()
        door = self.queue(engine)
        self.produce("plain", ["41", "no \"JSON\""])
        found = self.payloads(door, 2)
        self.assertEqual(sorted(map(str, found)), ["41", "no \"JSON\""])
        self.await_more_replenishes(engine, "topic")
        self.assertEqual(door.size(), 0)

    def test_a_field_can_be_the_key(self):
        self.produce("fields", [json.dumps({"id": f"k{n % 5}"})
                                for n in range(10)])
        engine = self.pulling()
        self.add_topic(engine, "fields", key="id")
        self.assertEqual(self.keys(self.queue(engine), 5),
                         [f"k{n}" for n in range(5)])
        self.await_source(engine, "topic", duplicates=5, bad=0)

    def test_a_topic_that_is_not_there_is_told_and_others_go_on(self):
        engine = self.pulling()
        door = self.queue(engine)
        self.add_neighbour(engine)
        self.add_topic(engine, "x", brokers="127.0.0.1:1", timeout_ms=1000)
        told = self.await_source(engine, "topic", state="failing")
        self.assertIn("topic", told["error"])
        self.assert_neighbour_goes_on(engine, door)


if __name__ == "__main__":
    main()
