"""Kill rounds of an engine whose store, blobs or logs are on a server, which is
killed now and then as well."""

import contextlib
import http.client
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import s3_door
from harness import a_deposit, wait_until
from kafka_tools import (KafkaFailed, deposit_record, outcomes, produce,
                         read_topic)
from pulled import need_server
from rounds import KillRounds


class WithServer(KillRounds):
    """`service` is one of scripts/services."""

    service = ""
    goes_too = 0.2  # so often the server is killed, before or with the engine

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = need_server(cls, cls.service)

    def places(self):
        return [*super().places(), Path(self.server.folder)]

    def kill_server(self):
        self.server.kill()
        self.server.start()

    def end_engine(self):
        """Sometimes the server goes first, sometimes both at once."""
        choice = self.chance.random()
        if choice < self.goes_too / 2:
            self.kill_server()
            time.sleep(self.chance.uniform(0, 0.5))
        elif choice < self.goes_too:
            server = threading.Thread(target=self.server.kill)
            server.start()
            time.sleep(self.chance.uniform(0, 0.3))
            self.instance.kill()
            server.join()
            self.server.start()
        super().end_engine()


class OnPostgres(WithServer):
    service = "postgres"

    def set_up_rounds(self, seed, **engine_options):
        schema = f"kills{time.time_ns()}"
        subprocess.run(["psql", self.server.address, "-Xqc",
                        f"CREATE SCHEMA {schema}"], check=True)
        self.settings = {**self.settings, "store.kind": "postgres",
                         "store.url": f"{self.server.address}"
                                      f"?options=-csearch_path%3D{schema}"}
        super().set_up_rounds(seed, **engine_options)


class LeasedShards(OnPostgres):
    """The engine has to take over from itself: what was killed did not give
    its shards back."""

    settings = {**OnPostgres.settings, "shards.count": 4,
                "shards.lease_ms": 1000, "node.name": "a"}

    def start_again(self):
        super().start_again()
        wait_until(self.serves)

    def serves(self):
        line = http.client.HTTPConnection(*self.instance.address("admin"))
        with contextlib.closing(line):
            line.request("GET", "/readyz")
            return line.getresponse().status == 200


class BlobsInS3(WithServer):
    service = "s3"
    large = 0.2

    def key_file(self, name, key):
        path = self.folder / name
        path.write_text(key + "\n")
        path.chmod(0o600)
        return str(path)

    def set_up_rounds(self, seed, **engine_options):
        self.settings = {**self.settings, **s3_door.settings(
            "blobs", self.server.address, "kills", self.key_file)}
        super().set_up_rounds(seed, **engine_options)


class OverKafka(WithServer):
    """Deposits come by a topic as well, and what became of each goes out by
    another: whoever reads that is told as a poller is."""

    service = "kafka"
    goes_too = 0.1  # it takes long to start
    records = 40  # of a round

    def set_up_rounds(self, seed, **engine_options):
        label = f"kills{time.time_ns()}"
        self.topics = {kind: f"{label}.{kind}"
                       for kind in ("in", "out", "dead")}
        self.settings = {**self.settings,
                         "kafka.brokers": self.server.address,
                         "kafka.ingress_topic": self.topics["in"],
                         "kafka.egress_topic": self.topics["out"],
                         "kafka.dead_letter_topic": self.topics["dead"],
                         "kafka.partitions": 4}
        super().set_up_rounds(seed, **engine_options)
        self.produced = set()

    def add_users(self):
        super().add_users()
        self.instance.ctl("kafka", "init")

    def run_round(self, number):
        producer = threading.Thread(target=self.produce, args=(number,))
        producer.start()
        super().run_round(number)
        producer.join()
        self.verify_told(f"round {number}")

    def produce(self, number):
        """What the brokers have taken is theirs to keep."""
        keys = []
        for n in range(self.records):
            name = f"k{number}-{n}"
            key = (self.users[n % len(self.users)], name + ".xml")
            content = a_deposit(name, title="A title" * (60_000 if n == 7 else
                                                         1))
            self.history.attempt(key, content)
            keys.append((key, deposit_record(*key, content.decode())))
        for first in range(0, self.records, 10):
            some = keys[first:first + 10]
            wait_until(lambda: self.taken([line for _, line in some]), 120, 1)
            self.produced |= {key for key, _ in some}

    def taken(self, lines):
        """By brokers that may go away: what was sent is sent again then, and
        is one deposit all the same."""
        try:
            produce(self.server.address, self.topics["in"], lines)
        except KafkaFailed:
            return False
        return True

    def contents(self, key):
        """Who writes records has them; large ones are blobs."""
        if key not in self.produced:
            return super().contents(key)
        door = self.door(self.instance, key[0])
        answer = door.download(key[1], "contents")
        door.close()
        self.assertIn(answer.status, (200, 404), key)
        return (answer.body if answer.status == 200
                else a_deposit(key[1].removesuffix(".xml")))

    def events(self):
        return outcomes(read_topic(self.server.address,
                                   self.topics["out"])).values()

    def verify_told(self, label):
        """Before the engine starts again: it has to keep to that."""
        for event in self.events():
            key = (event["user"], event["id"])
            before = self.history.complete(key, event["document"].encode())
            self.assertIsNone(before, f"{label}: {key} has two documents")

    def verify(self, label):
        """The engine reads on from where it was."""
        def all_taken():
            rows = self.instance.submissions(self.users)
            return self.produced <= {(row["user"], row["file_name"])
                                     for row in rows}
        wait_until(all_taken, 120, 0.2)
        for key in self.produced:
            self.history.acknowledge(key)
        return super().verify(label)

    def finish(self):
        super().finish()
        rows = self.instance.submissions(self.users)
        expected = Counter((row["user"], row["file_name"]) for row in rows)
        def all_told():
            events = self.events()
            return events if len(events) >= len(rows) else None
        self.assertEqual(Counter((event["user"], event["id"])
                                 for event in wait_until(all_told, 120, 0.3)),
                         expected)
        self.assertEqual(read_topic(self.server.address, self.topics["dead"]),
                         [])
        self.verify_told("at the end")
