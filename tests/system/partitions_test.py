"""Partitions as Jepsen makes them: three engines, PostgreSQL and Kafka on
machines of their own (network namespaces), links that are cut one way or both,
slowed and lossy, and clocks that jump, while clients send, poll, ack and
deposit over HTTP and Kafka through all engines. What clients saw is judged as
in shard_rounds_test, outcomes in Kafka as in kafka_test.

DEPOSITD_PARTITIONS (how many) and DEPOSITD_SEED choose another run."""

import glob
import os
import random
import subprocess
import threading
import time
import unittest

from authority import Authority
from harness import BROKEN, wait_until
from kafka_tools import (NOT_INSTALLED, Server, outcomes, producer_command,
                         read_topic, services)
from network import SUBNET, Network, reason_against
from partitions import Partitions
from shared_load import SharedLoad

PARTITIONS = int(os.environ.get("DEPOSITD_PARTITIONS", "6"))
SEED = int(os.environ.get("DEPOSITD_SEED", "1"))
LEASE_MS = 4000
TOPICS = {"ingress": "in", "egress": "out", "dead_letter": "dead"}
KAFKA = f"""
listeners=PLAINTEXT://0.0.0.0:@PORT@,CONTROLLER://127.0.0.1:@CONTROLLER@
advertised.listeners=PLAINTEXT://{SUBNET}.{{host}}:@PORT@
"""
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


def placed_server(machine, service):
    """A server on a machine of its own; started."""
    server = Server(service, machine.wrapper())
    if service == "kafka":
        os.mkdir(os.path.join(server.folder, "kafka"))
        with open(os.path.join(server.folder, "kafka", "more.properties"),
                  "w", encoding="ascii") as settings:
            settings.write(KAFKA.format(host=machine.host))
    server.start()
    if service == "postgres":
        data = os.path.join(server.folder, "postgres", "data")
        for name, line in (("postgresql.conf", "listen_addresses = '*'"),
                           ("pg_hba.conf",
                            f"host all all {SUBNET}.0/24 trust")):
            with open(os.path.join(data, name), "a",
                      encoding="ascii") as settings:
                settings.write(line + "\n")
        server.kill()
        server.start()
    server.address = server.address.replace("127.0.0.1", machine.address)
    return server


class JepsenLike(Partitions, SharedLoad):
    seed = SEED
    names = ["a", "b", "c"]
    patience_s = 6
    pause_s = 0.02

    @classmethod
    def setUpClass(cls):
        if reason := reason_against():
            raise unittest.SkipTest(reason)
        for service in ("kafka", "postgres"):
            if services("installed", service=service).returncode \
                    == NOT_INSTALLED:
                raise unittest.SkipTest(f"{service.upper()} IS NOT INSTALLED")
        if not FAKETIME:
            raise unittest.SkipTest("LIBFAKETIME IS NOT INSTALLED")
        cls.network = Network([*cls.names, "database", "log"])
        cls.addClassCleanup(cls.network.close)
        cls.server = placed_server(cls.network["database"], "postgres")
        cls.addClassCleanup(cls.server.remove)
        cls.server.url = cls.server.address
        cls.kafka = placed_server(cls.network["log"], "kafka")
        cls.addClassCleanup(cls.kafka.remove)

    # -- engines ------------------------------------------------------------

    def on_machine(self, name):
        machine = self.network[name]
        return self.sharing(
            name,
            {"shards.lease_ms": LEASE_MS, "processors.inject_delay_ms": 5,
             "http.listen": f"{machine.address}:0",
             "node.listen": f"{machine.address}:0",
             **self.authority.settings("engine"),
             "kafka.brokers": self.kafka.address, "kafka.partitions": 4,
             **{f"kafka.{kind}_topic": topic
                for kind, topic in TOPICS.items()}},
            environment={"LD_PRELOAD": FAKETIME[0],
                         "FAKETIME_TIMESTAMP_FILE": str(self.clock_of(name)),
                         "FAKETIME_CACHE_DURATION": "1",
                         "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                         "DONT_FAKE_MONOTONIC": "1"},
            wrapper=machine.wrapper(), shell=self.authority.options("engine"))

    def clock_of(self, name):
        return self.folder / f"{name}.clock"

    def set_clock(self, name, offset_s):
        """The machine's wall clock, within a second."""
        path = self.clock_of(name)
        fresh = path.with_suffix(".new")
        fresh.write_text(f"{offset_s:+d}\n", encoding="ascii")
        fresh.rename(path)

    # -- deposits by Kafka --------------------------------------------------

    def keep_producing(self):
        self.produce(self.producer, 0.1, self.produced.add)

    def check_outcomes(self):
        """Each record once, each deposit over HTTP once."""
        wanted = self.produced | {
            (user, name) for name, user in self.books.posted.items()}

        def found():
            have = [(x["user"], x["id"]) for x in outcomes(
                read_topic(self.kafka.address, "out")).values()]
            # An accepted deposit whose answer was lost has an outcome, too.
            self.assertEqual(len(have), len(set(have)))
            return wanted <= set(have)
        wait_until(found, 120, pause=1)
        self.assertEqual(read_topic(self.kafka.address, "dead"), [])

    # -- the run ------------------------------------------------------------

    def test_partitions(self):
        # From yesterday on: clocks of engines go back.
        self.authority = Authority(self.folder,
                                   wrapper=["faketime", "-f", "-1d"])
        self.authority.issue("engine")
        for name in self.names:
            self.set_clock(name, 0)
        self.engines = [self.on_machine(name).start() for name in self.names]
        self.engines[0].ctl("kafka", "init")
        wait_until(lambda: self.settled(self.names))
        self.produced = set()
        self.producer = subprocess.Popen(
            producer_command(self.kafka.address, "in", "-E"),
            stdin=subprocess.PIPE)
        self.addCleanup(self.producer.kill)
        self.begin_load()
        records = threading.Thread(target=self.keep_producing)
        records.start()
        try:
            self.partitions(random.Random(SEED))
            self.await_enough()
        finally:
            self.end_load()
            records.join()
        self.assertEqual(self.producer.wait(120), 0)
        self.check_messages(self.names)
        self.check_deposits()
        self.check_outcomes()
        print(f"{PARTITIONS} partitions, {self.books.counts['acked']} acked, "
              f"{len(self.books.posted)} deposits and {len(self.produced)} "
              f"records; {self.network.lost} packets lost of "
              f"{self.network.carried}", flush=True)

    def partitions(self, rng):
        deck = []
        for number in range(PARTITIONS):
            deck = deck or rng.sample(self.kinds, len(self.kinds))
            kinds = [deck.pop()]
            if rng.random() < 0.25:
                kinds.append(rng.choice(self.kinds))
            lasts = rng.choice([0.5, 2, 5, 9])
            with self.subTest(seed=SEED, number=number, kinds=kinds):
                begun, before = time.monotonic(), self.network.lost
                for kind in kinds:
                    self.begin_partition(kind, rng)
                self.over.wait(lasts)
                self.end_partition()
                ended = time.monotonic()
                self.serve_again()
                print(f"{number}: {' '.join(kinds)} {ended - begun:.1f} s, "
                      f"served {time.monotonic() - ended:.1f} s later, "
                      f"{self.network.lost - before} packets lost", flush=True)
            for x in self.engines:
                self.assertTrue(x.alive(), x.log()[-2000:])
            self.assertFalse(self.books.wrong[:5])
            self.over.wait(rng.uniform(0, 2))

    def serve_again(self):
        """Every engine reaches every shard."""
        for engine in self.engines:
            for k in range(8):
                wait_until(lambda: self.answers(engine, k), 60, pause=0.1)

    def answers(self, engine, k):
        try:
            return self.call(engine, "GET", f"/queue/1/q{k}/size",
                             timeout=self.patience_s)[0] == 200
        except BROKEN:
            return False


if __name__ == "__main__":
    unittest.main()
