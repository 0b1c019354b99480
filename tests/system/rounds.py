"""Kill rounds: load, kill -9 at a random moment, start again, compare."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

from engine import EngineFailed
from harness import SystemTest, wait_until
from history import History, disagreements
from load import Load

USERS = ["amelie", "boris", "chidi", "dalia"]


def limits(shown):
    """(allocation, concurrency) as set; None if they never were."""
    for found in shown["limits"]:
        if found["queue"] == "metadata":
            return found["allocation"], found["concurrency"]
    return None


class KillRounds(SystemTest):
    """One engine on one folder through many kills."""

    settings = {"processors.count": 3, "store.segment_mb": 4,
                "log.level": "warn"}
    users = USERS
    large = 0.01  # that part of all bodies

    def set_up_rounds(self, seed, **engine_options):
        print(f"seed {seed}", flush=True)
        self.seed = seed
        self.chance = random.Random(seed)
        self.history = History()
        self.history.settle("suspended", False)
        self.instance = self.engine(self.settings, **engine_options)
        self.passwords = {user: f"secret-{user}" for user in self.users}

    def add_users(self):
        for user, password in self.passwords.items():
            self.instance.add_user(user, password)

    def places(self):
        """Folders with all that the engine has."""
        return [self.folder]

    def settle_disk(self):
        """What a power cut does to the folder; nothing after a mere kill."""

    def end_engine(self):
        """Sometimes while it shuts down."""
        if self.chance.random() < 0.15:
            self.instance.ask_to_stop()
            time.sleep(self.chance.uniform(0, 0.3))
        self.instance.kill()

    def run_round(self, number):
        """Load until the kill; the engine is down afterwards."""
        load = Load(self.instance, self.history, self.passwords,
                    f"{self.seed}/{number}", f"r{number}", large=self.large)
        load.start()
        time.sleep(self.chance.uniform(0.02, 1.2))
        self.end_engine()
        self.assertEqual(load.stop(), [], f"round {number}")
        self.settle_disk()

    def start_again(self):
        """Sometimes through kills during the recovery, or right after it."""
        while self.chance.random() < 0.3:
            longest = self.chance.choice([0.1, 1])
            try:
                self.instance.start(timeout=self.chance.uniform(0, longest))
            except EngineFailed as failure:
                self.assertNotEqual(failure.code, 2, failure.log)
            self.instance.kill()
            self.settle_disk()
        self.instance.start()

    def rounds(self, count, least):
        """Numbers of rounds: so many, and more while fewer than `least` per
        round were acknowledged or fewer than one seen finished, because such
        rounds prove nothing."""
        number = 0
        while number < count or (number < 4 * count + 20 and (
                len(self.history.acknowledged) <= least * count
                or len(self.history.documents) <= count)):
            yield number
            number += 1

    def verify(self, label):
        rows = self.instance.submissions(self.users)
        self.assertEqual(disagreements(self.history, rows)[:20], [], label)
        queue, *users = self.instance.ask_all(
            [["queue", "show", "metadata"],
             *(["user", "show", user] for user in self.users)])
        for user, shown in zip(self.users, users):
            self.assertIn(limits(shown), self.history.possible(user),
                          f"{label}: settings of {user}")
        self.assertIn(queue["suspended"], self.history.possible("suspended"),
                      f"{label}: suspension")
        return rows

    def suspended(self):
        return self.instance.ask("queue", "show", "metadata")["suspended"]

    def verify_documents(self, label, count=50):
        """What a poller has seen completed is still told word for word."""
        keys = sorted(self.history.documents)
        keys = self.chance.sample(keys, min(count, len(keys)))
        self.compare_documents(keys, label)

    def verify_contents(self, label, count=20):
        """What was acknowledged is there byte for byte."""
        keys = sorted(self.history.acknowledged)
        for key in self.chance.sample(keys, min(count, len(keys))):
            self.assertTrue(
                self.history.is_what_was_sent(key, self.contents(key)),
                f"{label}: content of {key}")

    def contents(self, key):
        door = self.door(self.instance, key[0])
        answer = door.download(key[1], "contents")
        door.close()
        self.assertEqual(answer.status, 200, key)
        return answer.body

    def verify_recorded(self, label, count=20):
        """A DOI that a document calls added is recorded: the same deposit
        again is out of date."""
        keys = sorted(self.history.documents)
        self.verify_each_recorded(
            label, self.chance.sample(keys, min(count, len(keys))))

    def verify_each_recorded(self, label, keys):
        for user, name in keys:
            door = self.door(self.instance, user)
            again = f"again-{self.chance.getrandbits(60)}.xml"
            content = self.contents((user, name))
            self.history.attempt((user, again), content)
            self.assertTrue(door.deposit(again, content).accepted)
            found = self.outcome(door, again)
            door.close()
            self.assertEqual([r[0] for r in found.records], ["Failure"],
                             f"{label}: {name} was not recorded")
            self.assertIn(b'msg_id="4"', found.document)

    def compare_documents(self, keys, label):
        def ask(user):
            door = self.door(self.instance, user)
            return [(key, door.poll(key[1]).document) for key in keys
                    if key[0] == user]
        with ThreadPoolExecutor(len(self.users)) as pool:
            for answers in pool.map(ask, self.users):
                for key, document in answers:
                    self.assertIsNone(self.history.complete(key, document),
                                      f"{label}: {key} has two documents")

    def finish(self):
        """Lets everything complete; each DOI was recorded once, by itself."""
        self.instance.ctl("queue", "resume", "metadata")
        def all_completed():
            rows = self.instance.submissions(self.users)
            return rows if all(row["status"] == "completed"
                               for row in rows) else None
        rows = wait_until(all_completed, timeout=120, pause=0.3)
        self.assertEqual(disagreements(self.history, rows)[:20], [])
        bad = [(row["file_name"], row.get("reason")) for row in rows
               if row.get("failed")]
        self.assertEqual(bad[:20], [])
        self.compare_documents(sorted(self.history.documents), "at the end")
        self.verify_contents("at the end", 500)
        self.compare_with_rows(rows)
        self.verify_recorded("at the end")

    def compare_with_rows(self, rows):
        """A repeated recording would say `updated`, or fail as outdated."""
        for row in self.chance.sample(rows, min(500, len(rows))):
            door = self.door(self.instance, row["user"])
            found = door.poll(row["file_name"])
            door.close()
            self.assertEqual([r[0] for r in found.records], ["Success"])
            self.assertIn("added", found.records[0][2], found.document)
