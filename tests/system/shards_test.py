"""Engines that share one database by shard: requests through any of them, and
what happens when one is killed, stopped for a while, or shut down."""

import glob
import http.client
import json
import signal
import subprocess
import threading
import time
import unittest

from engine import EngineFailed
from harness import BROKEN, a_deposit, wait_until
from shared_engines import QUEUES, SHARDS, SharedEngines

# For tests that are not about leases: a busy machine must not cost one.
AT_REST = {"shards.lease_ms": 20000}

FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
LONG_LEASE_S = 120


class SharedShards(SharedEngines):
    def test_every_engine_serves_every_queue(self):
        engines = self.started("a", "b", "c", settings=AT_REST)
        listed = {}
        for row in engines[0].rows("shards"):
            listed.setdefault(row["engine"], []).append(row["shard"])
        self.assertEqual(listed, self.owners())
        for i, queue in enumerate(QUEUES):
            self.send(engines[i % 3], queue, [10 * i, 10 * i + 1])
        self.assertEqual(len({self.shard_of(q) for q in QUEUES}), SHARDS)
        for i, queue in enumerate(QUEUES):
            other = engines[(i + 1) % 3]
            self.assertEqual(self.ok(other, "GET", f"/queue/1/{queue}/size"),
                             2)
            self.assertEqual(sorted(self.poll(other, queue)),
                             [10 * i, 10 * i + 1])
            self.assertFalse(self.poll(engines[(i + 2) % 3], queue))

    def shard_of(self, queue):
        return wait_until(lambda: self.sql(
            f"SELECT DISTINCT shard FROM items WHERE queue = '{queue}'"))

    def test_deposits_posted_and_polled_through_different_engines(self):
        engines = self.started("a", "b", "c", settings=AT_REST)
        users = [f"press{i}" for i in range(8)]
        for i, user in enumerate(users):
            engines[i % 3].add_user(user, f"secret-{user}")
        for i, user in enumerate(users):  # known at once everywhere
            door = self.door(engines[(i + 1) % 3], user)
            self.assertTrue(door.deposit(f"{user}.xml", a_deposit(user)))
        for i, user in enumerate(users):
            door = self.door(engines[(i + 2) % 3], user)
            found = self.outcome(door, f"{user}.xml")
            self.assertFalse(found.failures(), found.document)
        # The views follow the polls within a slice.
        wait_until(lambda: int(self.sql(
            "SELECT count(DISTINCT shard) FROM submissions")) > 1)
        listed = engines[0].submissions()
        self.assertEqual({x["user"] for x in listed}, set(users))

    def test_an_engine_that_is_killed_loses_nothing(self):
        engines = self.started("a", "b", "c")
        accepted, sent = set(), set()
        stop = threading.Event()

        def keep_sending(engine, first):
            n = first
            while not stop.is_set():
                queue = QUEUES[n % len(QUEUES)]
                try:
                    sent.add(n)
                    status, _ = self.call(engine, "POST",
                                          f"/queue/1/{queue}/send", {"n": n})
                    if status == 200:
                        accepted.add(n)
                except BROKEN:
                    pass
                n += 1
        senders = [threading.Thread(target=keep_sending, args=(x, 10**6 * i))
                   for i, x in enumerate(engines)]
        for x in senders:
            x.start()
        time_out = time.monotonic() + 60
        while len(accepted) < 300 and time.monotonic() < time_out:
            stop.wait(0.05)
        engines[0].kill()
        wait_until(lambda: self.settled(["b", "c"]))
        after = len(accepted)
        wait_until(lambda: len(accepted) > after + 300)
        stop.set()
        for x in senders:
            x.join()
        found = self.polled(engines[1], QUEUES)
        self.assertEqual(len(found), len(set(found)), "handed out twice")
        self.assertFalse(accepted - set(found), "lost")
        self.assertFalse(set(found) - sent, "invented")

    def test_shards_go_on_with_a_copy_that_takes_over_and_is_behind(self):
        engines = self.started("a", "b")
        kept = list(range(len(QUEUES)))
        for i, queue in enumerate(QUEUES):
            self.send(engines[i % 2], queue, [i])
        with self.server.set_back():
            for i, queue in enumerate(QUEUES):
                self.send(engines[i % 2], queue, [100 + i])
        for i, queue in enumerate(QUEUES):
            wait_until(lambda: self.is_sent(engines[0], queue, 200 + i))
        for engine in engines:
            self.assertTrue(engine.alive())
            engine.kill()
        again = self.sharing("a").start()
        # Not known to have come in is not known to have stayed out.
        self.assertEqual(sorted(set(self.polled(again, QUEUES))),
                         kept + [200 + i for i in kept])

    @unittest.skipUnless(FAKETIME, "LIBFAKETIME IS NOT INSTALLED")
    def test_claims_last_as_long_as_was_said_whatever_clocks_show(self):
        for name, ahead_s in (("behind", -600), ("ahead", 600)):
            with self.subTest(name):
                self.claimed_by_an_engine_whose_clock_is(name, ahead_s)

    def claimed_by_an_engine_whose_clock_is(self, name, ahead_s):
        queue = f"of-{name}"
        (self.folder / f"{name}.clock").write_text(f"{ahead_s:+d}\n")
        other = self.sharing(name, environment={
            "LD_PRELOAD": FAKETIME[0],
            "FAKETIME_TIMESTAMP_FILE": str(self.folder / f"{name}.clock"),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1"}).start()
        self.send(other, queue, [1, 2])
        self.assertEqual(len(self.poll(other, queue, 1, ttl=600)), 1)
        self.assertEqual(len(self.poll(other, queue, 1, ttl=20)), 1)
        self.assertIn("clock_differs", other.log())
        other.kill()
        heir = self.sharing(f"heir-of-{name}").start()
        self.assertEqual(self.poll(heir, queue), [])
        # The one that was claimed for a shorter time, when that is over.
        wait_until(lambda: len(self.poll(heir, queue)) == 1)
        heir.kill()

    def is_sent(self, engine, queue, number):
        status, _ = self.call(engine, "POST", f"/queue/1/{queue}/sendbatch",
                              [{"n": number}])
        return status == 200

    def test_an_engine_that_stops_hands_over_at_once(self):
        engines = self.started("a", "b", settings={
            "shards.lease_ms": LONG_LEASE_S * 1000})
        for i, queue in enumerate(QUEUES):
            self.send(engines[i % 2], queue, [i])
        begun = time.monotonic()
        self.assertEqual(engines[0].stop(), 0)
        wait_until(lambda: self.owners() == {"b": [0, 1, 2, 3]})
        self.assertEqual(self.polled(engines[1], QUEUES),
                         list(range(len(QUEUES))))
        # Long before the lease would have ended.
        self.assertLess(time.monotonic() - begun, LONG_LEASE_S / 2)

    def test_an_engine_that_starts_again_has_its_shards_at_once(self):
        settings = {"shards.lease_ms": LONG_LEASE_S * 1000}
        engine = self.sharing("a", settings).start()
        self.send(engine, "q1", [1])
        engine.kill()
        begun = time.monotonic()
        engine.start()
        self.assertEqual(self.poll(engine, "q1"), [1])
        # Long before the lease would have ended.
        self.assertLess(time.monotonic() - begun, LONG_LEASE_S / 2)

    def test_a_zombie_writes_nothing_and_nobody_is_above_its_cap(self):
        engines = self.started(
            "a", "b", "c", settings={"processors.inject_delay_ms": 150,
                                     "processors.count": 4})
        zombie, other, third = engines
        users = [f"press{i}" for i in range(6)]
        for user in users:
            other.add_user(user, f"secret-{user}")
        other.ctl("user", "set", ",".join(users), "--concurrency", "2",
                  "--queue", "metadata")
        posted = {}
        for user in users:
            door = self.door(third, user)
            for n in range(25):
                name = f"{user}-{n}.xml"
                self.assertTrue(door.deposit(name, a_deposit(name[:-4])))
                posted[name] = user
        stop, highest = threading.Event(), []

        def watch_caps():
            while not stop.is_set():
                rows = self.sql("SELECT coalesce(max(n), 0) FROM (SELECT "
                                "count(*) AS n FROM claims WHERE queue = "
                                "'metadata' GROUP BY \"user\") AS x")
                highest.append(int(rows))
                stop.wait(0.05)
        watcher = threading.Thread(target=watch_caps)
        watcher.start()
        self.addCleanup(stop.set)
        lines = [http.client.HTTPConnection(*zombie.address("http"),
                                            timeout=90) for _ in QUEUES]
        zombie.process.send_signal(signal.SIGSTOP)
        # In its sockets when it wakes up, for shards that were its own.
        for i, line in enumerate(lines):
            line.request("POST", f"/queue/1/{QUEUES[i]}/send",
                         json.dumps({"n": i}),
                         {"Content-Type": "application/json"})
        wait_until(lambda: self.settled(["b", "c"]))
        self.send(other, "q0", [100])
        zombie.process.send_signal(signal.SIGCONT)
        answered = set()
        for i, line in enumerate(lines):
            try:
                answer = line.getresponse()
                answer.read()
                if answer.status == 200:
                    answered.add(i)
            except BROKEN:
                pass
            line.close()
        wait_until(lambda: self.settled(["a", "b", "c"]))
        for name, user in posted.items():
            self.outcome(self.door(other, user), name, timeout=120)
        stop.set()
        watcher.join()
        self.assertLessEqual(max(highest), 2)
        self.assertGreater(max(highest), 0, "the test proves nothing")
        found = self.polled(other, QUEUES)
        self.assertEqual(len(found), len(set(found)))
        self.assertFalse((answered | {100}) - set(found))
        # The views follow the polls within a slice.
        wait_until(lambda: int(self.sql(
            "SELECT count(DISTINCT file_name) FROM submissions "
            "WHERE status = 'completed'")) >= len(posted))
        rows = self.sql("SELECT count(*) FROM submissions")
        self.assertEqual(int(rows), len(posted))
        self.assertTrue(zombie.alive())
        self.assertIn("shard_lost", zombie.log())

    def test_100k_open_items_are_taken_over_in_time(self):
        engines = self.started("a", "b", settings=AT_REST)
        begun = time.monotonic()
        per_queue = 100_000 // len(QUEUES)
        for i, queue in enumerate(QUEUES):
            for first in range(0, per_queue, 2500):
                self.send(engines[i % 2], queue,
                          range(first, min(first + 2500, per_queue)))
        # On a machine that is busy with other things all takes longer.
        took_to_send = time.monotonic() - begun
        engines[0].kill()
        left = float(self.sql("SELECT max(extract(epoch FROM ends_at - now()))"
                              " FROM shards WHERE engine = 'a'"))
        ends = time.monotonic() + left

        def all_served():
            for queue in QUEUES:
                try:
                    status, found = self.call(
                        engines[1], "GET",
                        f"/queue/1/{queue}/poll?limit=1&ttl=600")
                except BROKEN:
                    return False
                if status != 200 or not found:
                    return False
            return True
        wait_until(all_served, 180)
        took = time.monotonic() - ends
        print(f"100,000 open items in {SHARDS} shards: the other engine "
              f"served all {took:.1f} s after the lease had ended", flush=True)
        self.assertLess(took, max(5, took_to_send))
        sizes = [self.ok(engines[1], "GET", f"/queue/1/{q}/size")
                 for q in QUEUES]
        self.assertEqual(sizes, [per_queue] * len(QUEUES))

    def test_engines_meet_over_tls(self):
        def file(name, kind):
            return str(self.folder / f"{name}.{kind}")

        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, timeout=60,
                           capture_output=True)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                "-keyout", file("ca", "key"), "-out", file("ca", "pem"),
                "-subj", "/CN=authority")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout",
                file("node", "key"), "-out", file("node", "csr"), "-subj",
                "/CN=node")
        openssl("x509", "-req", "-days", "2", "-CAcreateserial", "-in",
                file("node", "csr"), "-CA", file("ca", "pem"), "-CAkey",
                file("ca", "key"), "-out", file("node", "pem"))
        engines = self.started("a", "b", settings={
            **AT_REST, "node.tls.certificate": file("node", "pem"),
            "node.tls.key": file("node", "key"),
            "node.tls.ca": file("ca", "pem")})
        for i, queue in enumerate(QUEUES):
            self.send(engines[i % 2], queue, [i])
        for i, queue in enumerate(QUEUES):
            self.assertEqual(self.poll(engines[(i + 1) % 2], queue), [i])

    def test_the_name_of_an_engine_that_runs_is_refused(self):
        engine = self.sharing("a").start()
        self.send(engine, "q1", [1])
        other = self.engine({**engine.settings}, data="other")
        with self.assertRaises(EngineFailed) as refused:
            other.start()
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("node.name: an engine with the name a runs at "
                      + engine.ready["node"], refused.exception.log)
        self.assertEqual(self.poll(engine, "q1"), [1])

    def begin_move(self, engine, source, target):
        return self.ok(engine, "POST",
                       f"/queue/1/_move?from={source}&to={target}")["id"]

    def move_status(self, engine, reference):
        found = self.ok(engine, "GET", f"/queue/1/_move/{reference}")
        return found["status"]

    def test_queues_move_between_shards_through_any_engine(self):
        engines = self.started("a", "b", "c")
        crossed = 0
        for i, source in enumerate(QUEUES):
            here, there, third = (engines[(i + j) % 3] for j in range(3))
            target = f"target{i}"
            self.send(here, source, range(600))
            held = self.ok(there, "GET",
                           f"/queue/1/{source}/poll?limit=50&ttl=600")
            self.ok(third, "POST", f"/queue/1/{source}/ack",
                    [x["id"] for x in held[:20]])
            left = set(range(600)) - {x["payload"]["n"] for x in held[:20]}
            before = self.shard_of(source)
            reference = self.begin_move(here, source, target)
            self.assertIn(self.move_status(there, reference),
                          ("IN_PROGRESS", "COMPLETE"))
            wait_until(lambda e=third, r=reference:
                       self.move_status(e, r) == "COMPLETE")
            self.assertEqual(self.ok(here, "GET", f"/queue/1/{source}/size"),
                             0)
            crossed += before != self.shard_of(target)
            self.assertEqual(self.polled(there, [target]), sorted(left))
        self.assertGreater(crossed, 0, "all stayed in their shards")

    def test_a_move_goes_on_when_engines_die(self):
        engines = self.started("a", "b", "c")
        by_name = dict(zip("abc", engines))
        owner = {shard: by_name[name] for name, shards in
                 self.owners().items() for shard in shards}
        shard = {}
        for queue in QUEUES:
            self.send(engines[0], queue, [0])
            shard[queue] = int(self.shard_of(queue))
        source = QUEUES[0]
        target = next(q for q in QUEUES
                      if owner[shard[q]] is not owner[shard[source]])
        for first in range(1, 15_001, 2500):
            self.send(engines[1], source, range(first, first + 2500))
        total = 15_001
        survivor = next(x for x in engines
                        if x not in (owner[shard[source]],
                                     owner[shard[target]]))
        reference = self.begin_move(survivor, source, target)
        wait_until(lambda: self.ok(survivor, "GET",
                                   f"/queue/1/{target}/size") > 1)
        owner[shard[source]].kill()
        owner[shard[target]].kill()
        wait_until(lambda: self.settled(["abc"[engines.index(survivor)]]))
        wait_until(lambda: self.move_status(survivor, reference)
                   == "COMPLETE", timeout=60)
        # By it: the move was not over before.
        wait_until(lambda: f"move_ended reference={reference}"
                   in survivor.log())
        sizes = [self.ok(survivor, "GET", f"/queue/1/{q}/size")
                 for q in (source, target)]
        self.assertEqual(sizes, [0, total + 1])
        found = self.polled(survivor, [target])
        self.assertEqual(found, sorted([0, *range(total)]))

    def test_another_number_of_shards_is_refused(self):
        self.sharing("a").start()
        for count in (1, SHARDS + 1):
            other = self.sharing(f"with{count}", {"shards.count": count})
            with self.assertRaises(EngineFailed) as refused:
                other.start()
            self.assertEqual(refused.exception.code, 2)
            self.assertIn(f"shards.count: this database has {SHARDS} shards",
                          refused.exception.log)

    def test_an_engine_alone_needs_no_leases(self):
        alone = self.sharing("alone", {"shards.count": 1}).start()
        self.send(alone, "q1", [1])
        self.assertEqual(alone.ctl_result("shards").returncode, 1)
        alone.kill()
        other = self.sharing("other", {"shards.count": 2})
        with self.assertRaises(EngineFailed) as refused:
            other.start()
        self.assertIn("has 1 shard", refused.exception.log)


if __name__ == "__main__":
    unittest.main()
