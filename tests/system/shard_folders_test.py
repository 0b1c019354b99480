"""Several shards in one process on the embedded store: all that one shard does,
for ever the number that the folder was begun with, and nothing lost whatever
happens."""

import subprocess
import threading

import harness
from engine import CommandFailed, EngineFailed
from harness import BROKEN, PROGRAMS, a_deposit, wait_until
from shared_engines import QUEUES, MessageTest

SHARDS = 4
USERS = [f"press{i}" for i in range(8)]


class ShardFolders(MessageTest):
    def sharded(self, settings=None, count=SHARDS, **more):
        return self.engine({"shards.count": count, "emodb.anonymous": "true",
                            **(settings or {})}, **more)

    def check(self, engine):
        return subprocess.run(
            [str(PROGRAMS / "depositd"), "check", str(engine.data)],
            capture_output=True, text=True, timeout=120)

    def assert_refused(self, engine, *words):
        with self.assertRaises(EngineFailed) as caught:
            engine.start()
        self.assertEqual(caught.exception.code, 2, caught.exception.log)
        for word in words:
            self.assertIn(word, caught.exception.log)

    # -- working --------------------------------------------------------------

    def test_all_shards_are_served_and_outlive_the_process(self):
        engine = self.sharded().start()
        listed = engine.rows("shards")
        self.assertEqual([x["shard"] for x in listed], list(range(SHARDS)))
        self.assertEqual(len({x["engine"] for x in listed}), 1)
        for i, queue in enumerate(QUEUES):
            self.send(engine, queue, range(100 * i, 100 * i + 100))
        found = self.poll(engine, QUEUES[0], limit=10)
        self.assertEqual(len(found), 10)
        engine.kill()
        engine.start()
        sizes = [self.ok(engine, "GET", f"/queue/1/{q}/size") for q in QUEUES]
        self.assertEqual(sizes, [100] * len(QUEUES))
        # What was handed out before is still out.
        rest = self.polled(engine, QUEUES)
        self.assertEqual(len(rest), len(set(rest)))
        self.assertEqual(sorted(rest + found),
                         list(range(100 * len(QUEUES))))
        for shard in range(SHARDS):
            self.assertTrue((engine.data / "shards" / str(shard)
                             / "projection.db").is_file())
        self.assertFalse((engine.data / "journal").exists())

    def test_deposits_of_users_in_all_shards_are_completed(self):
        engine = self.sharded().start()
        for user in USERS:
            door = self.depositor(engine, user)
            for n in range(5):
                self.assertTrue(door.deposit(f"{n}.xml",
                                             a_deposit(f"{user}-{n}")))
        for user in USERS:
            door = self.door(engine, user)
            for n in range(5):
                found = self.outcome(door, f"{n}.xml")
                self.assertFalse(found.failures(), found.document)
        listed = engine.submissions()
        self.assertEqual(len(listed), 5 * len(USERS))
        self.assertEqual(len({x["id"] for x in listed}), len(listed))

    def test_queues_move_between_shards(self):
        engine = self.sharded().start()
        for i, source in enumerate(QUEUES):
            self.send(engine, source, range(300))
            reference = self.ok(
                engine, "POST",
                f"/queue/1/_move?from={source}&to=target{i}")["id"]
            wait_until(lambda r=reference: self.ok(
                engine, "GET", f"/queue/1/_move/{r}")["status"] == "COMPLETE")
            self.assertEqual(self.polled(engine, [f"target{i}"]),
                             list(range(300)))
        shown = engine.ask("user", "show", "anonymous")["queues"]
        self.assertEqual({x["queue"] for x in shown},
                         {*QUEUES, *(f"target{i}" for i in
                                     range(len(QUEUES)))})

    def test_settings_hold_in_every_shard_after_a_start(self):
        engine = self.sharded().start()
        for user in USERS:
            self.depositor(engine, user)
        engine.ctl("user", "set", ",".join(USERS), "--concurrency", "3",
                   "--queue", "metadata")
        engine.kill()
        engine.start()
        for user in USERS:
            shown = engine.ask("user", "show", user)
            self.assertEqual([(x["queue"], x["concurrency"])
                              for x in shown["limits"]], [("metadata", 3)])

    # -- kills ----------------------------------------------------------------

    def test_kills_under_load_lose_and_invent_nothing(self):
        engine = self.sharded().start()
        accepted, sent = set(), set()
        stop = threading.Event()

        def keep_sending(first):
            n = first
            while not stop.is_set():
                queue = QUEUES[n % len(QUEUES)]
                sent.add(n)
                try:
                    status, _ = self.call(engine, "POST",
                                          f"/queue/1/{queue}/send", {"n": n})
                    if status == 200:
                        accepted.add(n)
                except (*BROKEN, KeyError):
                    stop.wait(0.02)  # it is down
                n += 1
        senders = [threading.Thread(target=keep_sending, args=(10**6 * i,))
                   for i in range(3)]
        for x in senders:
            x.start()
        self.addCleanup(stop.set)
        for _ in range(4):
            before = len(accepted)
            wait_until(lambda b=before: len(accepted) > b + 200)
            engine.kill()
            engine.start()
        stop.set()
        for x in senders:
            x.join()
        found = self.polled(engine, QUEUES)
        self.assertEqual(len(found), len(set(found)), "handed out twice")
        self.assertFalse(accepted - set(found), "lost")
        self.assertFalse(set(found) - sent, "invented")
        engine.stop()
        said = self.check(engine)
        self.assertEqual(said.returncode, 0, said)

    # -- the folder -----------------------------------------------------------

    def test_another_number_of_shards_is_refused(self):
        engine = self.sharded().start()
        engine.stop()
        for count in (1, SHARDS + 1):
            self.assert_refused(
                self.sharded(count=count),
                f"shards.count: this data folder has {SHARDS} for ever, "
                f"not {count}")
        self.sharded().start()

    def test_a_folder_of_one_shard_keeps_one(self):
        engine = self.sharded(count=1).start()
        engine.stop()
        self.assert_refused(
            self.sharded(),
            f"shards.count: this data folder has 1 for ever, not {SHARDS}")
        self.sharded(count=1).start()

    def test_two_engines_do_not_share_a_folder(self):
        first = self.sharded().start()
        self.assert_refused(
            self.sharded(log=self.folder / "second.log"),
            "is in use by another engine")
        self.send(first, QUEUES[0], [1])
        self.assertEqual(self.poll(first, QUEUES[0]), [1])

    def test_damage_in_one_shard_is_named_and_nothing_starts(self):
        engine = self.sharded().start()
        for queue in QUEUES:
            self.send(engine, queue, range(50))
        engine.stop()
        self.assertEqual(self.check(engine).returncode, 0)
        segment = min((engine.data / "shards" / "2" / "journal")
                      .glob("*.segment"))
        with open(segment, "r+b") as file:
            file.seek(4096 + 200)
            turned = bytes([file.read(1)[0] ^ 1])
            file.seek(4096 + 200)
            file.write(turned)
        said = self.check(engine)
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("shards/2/", said.stdout)
        self.assert_refused(self.sharded(), "shards/2/journal")

    def test_a_backup_is_refused_with_what_to_do_instead(self):
        engine = self.sharded().start()
        with self.assertRaises(CommandFailed) as caught:
            engine.ctl("backup", str(self.folder / "backup"))
        self.assertIn("snapshot", caught.exception.reason)
        self.assertFalse((self.folder / "backup").exists())

    # -- turns ----------------------------------------------------------------

    def test_users_of_one_shard_take_turns_beside_those_of_others(self):
        engine = self.sharded({"processors.count": 1}).start()
        doors = {user: self.depositor(engine, user) for user in USERS}
        engine.ctl("queue", "suspend", "metadata")
        flooder, *others = USERS
        for n in range(60):
            doors[flooder].deposit(f"{n}.xml", a_deposit(f"{flooder}-{n}"))
        for user in others:
            doors[user].deposit("only.xml", a_deposit(f"{user}-only"))
        engine.ctl("queue", "resume", "metadata")
        for user in others:
            self.outcome(doors[user], "only.xml")
        order = [row["user"] for row in
                 sorted((row for row in engine.submissions()
                         if row["started_at"]),
                        key=lambda row: (row["started_at"], row["id"]))]
        last = max(order.index(user) for user in others)
        # One slot: before each of the others one of the flooder's at most, and
        # some while the slot has not heard of all shards.
        self.assertLess(order[:last].count(flooder), 16, order)


if __name__ == "__main__":
    harness.main()
