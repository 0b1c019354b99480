"""Engines of today on stores that were written by each version so far, with
work in every state in them: all of it is shown as it was shown then, and goes
on."""

import json
import os
import unittest
from pathlib import Path

import harness
import kafka_tools
from copies import (SHARDS, lose_last_group, on_the_day, open_copy, restore,
                    unpack)
from deposit_door import Diagnostic
from harness import PROGRAMS, SystemTest, a_deposit, wait_until
from further import (CHANNEL, HELD_AT, NEWS, further_settings,
                     look_further)
from look import (KEYS, PASSWORDS, Messages, has_moved, is_within, look,
                  steady)
from postgres_test import Server, services
from work import (DEPOSIT_PERMITS, EXPRESS, INBOX, LARGE, LAST, LAST_SENT,
                  LETTERS, MESSAGE_QUEUES, METADATA, MOVED, NEW, OLD, ONCE,
                  OUTBOX, PAUSED, REPORT, RUBBISH, SETTINGS)

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CLOCK = os.environ["DEPOSITD_SHIFTED_CLOCK"]

# What was sent to each queue of messages, but for what a dedup queue collapses
# and an operator purged.
SENT = {
    LETTERS: [{"n": n} for n in range(12)] + [{"text": "of another user: ä"}],
    PAUSED: [{"p": n} for n in range(3)],
    ONCE: ["a", "a", "b", "c", "d"],
    LARGE: [{"filler": "x" * 250_000}],
    RUBBISH: [], OLD: [], INBOX: [],
    NEW: [{"o": n} for n in range(5)],
    OUTBOX: [{"i": n} for n in range(MOVED)],
    LAST: [{"l": n} for n in range(LAST_SENT)],
}


def differences(expected, found, where=""):
    """Places at which something else is shown, in words."""
    if isinstance(expected, dict) and isinstance(found, dict):
        out = []
        for key, value in expected.items():
            if key in found:
                out += differences(value, found[key], f"{where}/{key}")
            else:
                out.append(f"{where}/{key} is missing")
        # Things have numbers and names; what is said of them, or of the engine
        # as a whole, may be more.
        if where.count("/") == 1 and where != "/status":
            out += [f"{where}/{key} is new" for key in found.keys()
                    - expected.keys()]
        return out
    return [] if is_within(expected, found) else [
        f"{where}: {str(found)[:300]}, not {str(expected)[:300]}"]


class OnACopy(SystemTest):
    """An engine of today on a copy of a store."""

    place = GOLDEN  # of the oldest
    another_broker = {}  # what an engine has to be told about one

    @classmethod
    def expected(cls):
        every = json.loads((cls.place / "expected.json").read_text())
        out = every[cls.store]
        # What is known today to be momentary was noted then.
        out["shows"]["status"] = steady(out["shows"]["status"])
        return out

    def settings_of_then(self):
        return {**SETTINGS, **self.no_pipelines()}

    def copy(self):
        """Settings for an engine on a copy."""
        raise NotImplementedError

    def open(self, more=None):
        self.copied = self.copy()
        return self.open_again(more)

    def open_again(self, more=None):
        self.known = self.expected()
        engine = open_copy(PROGRAMS, CLOCK, self.known, self.folder / "data",
                           {**self.settings_of_then(), **self.copied,
                            **(more or {})})
        self.addCleanup(engine.kill)
        self.instance = engine.start()
        wait_until(lambda: has_moved(engine, self.known["moves"]))
        return engine

    def shown(self):
        return look(self.instance, MESSAGE_QUEUES, self.known["moves"])

    def drained(self, queue):
        """Payloads of all that can be had; then nothing is there."""
        worker = Messages(self.instance)
        # One of the letters waits for an hour; acks need no claim.
        late = [x for x in worker.call("GET", f"{queue}/peek?limit=1000")
                if x["payload"] == self.late()] if queue == LETTERS else []
        out = [json.dumps(x["payload"]) for x in late]
        worker.post(queue + "/ack", [x["id"] for x in late])
        while found := worker.poll(queue, 500):
            out += [json.dumps(x["payload"]) for x in found]
            worker.post(queue + "/ack", [x["id"] for x in found])
        self.assertEqual(worker.call("GET", f"{queue}/size"), 0, queue)
        return out

    def late(self):
        """The letter whose delay is not over."""
        letters = self.known["shows"]["queues"]["letters"]["peek"]["items"]
        ends = max(x["available_at"] or "" for x in letters)
        [number] = [x["id"] for x in letters if x["available_at"] == ends]
        shown = self.known["shows"]["messages"][LETTERS]
        numbers = [int(x[:16], 16) for x in shown["ids"]]
        return shown["payloads"][numbers.index(number)]

    def left(self, queue):
        """Payloads that were sent to it and not acknowledged since."""
        out = [json.dumps(x) for x in SENT[queue]]
        for held_in, _, payload in self.known["held"]:
            if held_in == queue:
                out.remove(json.dumps(payload))
        return sorted(out)


class GoesOn(OnACopy):
    """For every store: what is there, and that it can be gone on with."""

    def test_everything_is_shown_as_it_was(self):
        self.open()
        found = json.loads(json.dumps(self.shown()))
        self.assertEqual(differences(self.known["shows"], found), [])
        self.logins()
        self.assertEqual(self.instance.stop(), 0)

    def logins(self):
        """Passwords and keys are those of then, and no others."""
        for user, password in {**PASSWORDS, "fay": "secret-fay",
                               "gone": "secret-gone"}.items():
            door = self.door(self.instance, user, password)
            known = PASSWORDS.get(user) == password
            self.assertEqual(door.download("none.xml").status,
                             200 if known else 401, user)
        loader = Messages(self.instance, "loader")
        status, _ = loader.answer("GET", f"{LETTERS}/poll")
        self.assertEqual(status, 403)

    def test_what_was_begun_is_finished_once(self):
        self.open()
        self.acknowledge_by_old_ids()
        self.drain_messages()
        self.drain_express()
        self.finish_deposits()
        self.assertEqual(self.instance.stop(), 0)
        self.instance.start()
        self.nothing_is_left()
        self.assertEqual(self.instance.stop(), 0)

    def acknowledge_by_old_ids(self):
        # Keys of then reached deposits by a star, too.
        self.instance.ctl("key", "add", "worker", "--key-stdin", "--replace",
                          "--role", "queue_admin", *DEPOSIT_PERMITS,
                          text=KEYS["worker"] + "\n")
        worker = Messages(self.instance)
        for queue, number, payload in self.known["held"]:
            before = worker.call("GET", f"{queue}/size")
            ack = {"id": number, "document": REPORT.format(payload)} \
                if queue in (METADATA, EXPRESS) else number
            worker.post(queue + "/ack", [ack])
            self.assertEqual(worker.call("GET", f"{queue}/size"),
                             before - 1, (queue, payload))

    def drain_messages(self):
        """Each comes once, but for those that were acknowledged."""
        self.instance.ctl("queue", "resume", "paused")
        for queue in MESSAGE_QUEUES:
            self.assertEqual(sorted(self.drained(queue)), self.left(queue),
                             queue)

    def drain_express(self):
        """Users with items of the best priority come first."""
        worker = Messages(self.instance)
        names = []
        while found := worker.poll(EXPRESS):
            name = found[0]["payload"]["file_name"]
            names.append(name)
            worker.post(EXPRESS + "/ack", [{
                "id": found[0]["id"], "document": REPORT.format(name)}])
        self.assertEqual(len(names), 4)
        self.judge_express(names)

    def judge_express(self, names):
        self.assertEqual({*names[:2]}, {"express-3", "express-4"})
        self.assertEqual(names[2:], ["express-1", "express-2"])

    def finish_deposits(self):
        ctl = self.instance.ctl
        ctl("unpark", "--user", "hana,fay", "--yes")
        ctl("user", "allow", "chidi")
        ctl("user", "release", "grace")
        ctl("user", "set", "dalia", "--allocation", "default", "--queue",
            "metadata")
        for queue in ("metadata", "query"):
            ctl("queue", "resume", queue)
        wait_until(lambda: all(row["status"] == "completed"
                               for row in self.instance.submissions()))
        before = self.known["shows"]["submissions"]
        rows = self.instance.submissions()
        self.assertEqual({str(row["id"]) for row in rows}, before.keys())
        for row in rows:
            self.judge_deposit(row, before[str(row["id"])])

    def judge_deposit(self, row, before):
        """A DOI that was recorded twice would be called updated."""
        if before["row"]["status"] == "completed":
            self.assertTrue(is_within(before["row"], row), row)
        elif row["queue"] == "metadata" and row["processor"] != "worker":
            text = self.instance.ask("submission", "show",
                                     str(row["id"]))["document"]
            [record] = Diagnostic(text.encode()).records
            self.assertEqual(record[0], "Success", row)
            self.assertIn("added", record[2], row)
            self.assertEqual(row["attempt"], before["row"]["attempt"] + 1)

    def nothing_is_left(self):
        rows = self.instance.submissions()
        self.assertEqual({row["status"] for row in rows}, {"completed"})
        for row in self.instance.rows("queue", "list"):
            size = self.instance.ask("queue", "size", row["name"])["size"]
            self.assertEqual(size, 0, row["name"])
        # The registry knows what was recorded then.
        door = self.door(self.instance, "amelie", PASSWORDS["amelie"])
        again = a_deposit("again", doi="10.5555/finished",
                          timestamp=20240101000000)
        self.assertTrue(door.deposit("again.xml", again).accepted)
        self.assertIn(b'msg_id="4"', self.outcome(door, "again.xml").document)

    def test_records_are_read_on_where_they_were_left(self):
        tried = kafka_tools.services("installed")
        if tried.returncode == kafka_tools.NOT_INSTALLED:
            self.skipTest(tried.stderr.strip().upper())
        broker = kafka_tools.Server()
        self.addCleanup(broker.remove)
        broker.start()
        self.make_topics(broker)
        lines = self.expected()["records"]
        self.produce(broker, lines)
        more = [[n, json.dumps({"id": f"more-{n}", "user": "boris",
                                "type": "express", "payload": "more"})]
                for n in (0, 1)]
        self.produce(broker, [[n, f"boris\t{line}"] for n, line in more])
        engine = self.on_another_broker(broker)
        before = self.known["shows"]["submissions"]
        wait_until(lambda: len(engine.submissions()) >= len(before) + 2)
        new = {row["file_name"] for row in engine.submissions()
               if str(row["id"]) not in before}
        self.assertEqual(new, {"more-0", "more-1"})
        self.assertEqual(engine.stop(), 0)
        letters = kafka_tools.read_topic(broker.address, "deposits.dead")
        self.assertEqual(letters, [])

    def on_another_broker(self, broker):
        """Which has the same records at the same offsets. A store that knows
        one already is told so by way of another name of the topic."""
        settings = {"kafka.brokers": broker.address, **self.another_broker}
        if not self.another_broker:
            return self.open(settings)
        engine = self.open({**settings, "kafka.ingress_topic": "no-topic"})
        self.assertEqual(engine.stop(), 0)
        return self.open_again(settings)

    def make_topics(self, broker):
        """As the engine of then had them made."""
        other = self.start({"kafka.brokers": broker.address,
                            "kafka.partitions": 2}, data="other")
        other.ctl("kafka", "init")
        self.assertEqual(other.stop(), 0)

    def produce(self, broker, lines):
        for partition, line in lines:
            kafka_tools.produce(broker.address, "deposits.in",
                                [line.encode() + b"\n"], "-p", str(partition))


class Embedded(GoesOn):
    store = "embedded"

    def copy(self):
        unpack(self.folder / "data", self.place / "embedded.tar.xz")
        return {}


class Bites(OnACopy):
    """A store that lacks something must not pass."""

    store = "embedded"

    def copy(self):
        lose_last_group(unpack(self.folder / "data",
                               GOLDEN / "embedded.tar.xz"))
        return {}

    def test_a_group_that_is_missing_is_noticed(self):
        self.open()
        found = differences(self.known["shows"], self.shown())
        self.assertIn(f"/messages/{LAST}", "".join(found))
        self.assertNotEqual(sorted(self.drained(LAST)), self.left(LAST))

    def test_one_thing_more_less_or_other_is_noticed(self):
        then = self.expected()["shows"]["submissions"]
        less = {k: v for k, v in then.items() if k != "42"}
        other = {**then, "42": {**then["42"], "why": []}}
        for found in (less, other):
            self.assertEqual(len(differences(
                {"submissions": then}, {"submissions": found})), 1)
        self.assertEqual(
            differences({"submissions": less}, {"submissions": then}),
            ["/submissions/42 is new"])


class Postgres(GoesOn):
    store = "postgres"
    asked_the_wrong_shard = True

    @classmethod
    def expected(cls):
        out = super().expected()
        if cls.asked_the_wrong_shard:
            # What users had in queues of messages was shown as 0 then.
            for place in out["shows"]["users"]["loader"]["queues"]:
                del place["pending"]
        return out

    @classmethod
    def setUpClass(cls):
        if services("installed", "none").returncode == 3:
            raise unittest.SkipTest("POSTGRESQL IS NOT INSTALLED")
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def copy(self):
        name = "copy_" + self.id().rsplit(".", 1)[1][:40]
        url = restore(self.server.url, self.place / "postgres.sql.xz", name)
        return {"store.kind": "postgres", "shards.count": SHARDS,
                "node.name": "golden", "store.url": on_the_day(
                    url, self.expected()["written_at"])}

    def judge_express(self, names):
        """Bands hold inside a shard, and users are in several."""
        mine = [x for x in names if x in ("express-3", "express-1")]
        others = [x for x in names if x in ("express-4", "express-2")]
        self.assertEqual(mine, ["express-3", "express-1"])
        self.assertEqual(others, ["express-4", "express-2"])


class FurtherOn:
    """What came with 0.1.0 is there, too, and goes on."""

    place = GOLDEN / "0.1.0"
    another_broker = {"kafka.renew": "true"}

    def settings_of_then(self):
        return further_settings(self.store, self.folder)

    def shown(self):
        return {**super().shown(), "further": look_further(self.instance)}

    def finish_deposits(self):
        ctl = self.instance.ctl
        ctl("channel", "unpause", *CHANNEL)
        self.assertEqual(self.channel_depth(), len(NEWS))
        ctl("channel", "empty", *CHANNEL, "--yes")
        self.assertEqual(self.channel_depth(), 0)
        self.finish_batches()
        super().finish_deposits()

    def channel_depth(self):
        return self.instance.ask("channel", "show", *CHANNEL)["depth"]

    def finish_batches(self):
        pass


class EmbeddedOf010(FurtherOn, Embedded):
    def finish_batches(self):
        before = self.known["shows"]["further"]
        self.assertEqual({x["state"] for x in before["jobs"]},
                         {"completed", "estimating"})
        self.instance.ctl("pipeline", "unpause", HELD_AT)
        wait_until(lambda: all(
            x["state"] == "completed"
            for x in self.instance.rows("batch", "list")))
        found = self.instance.rows("object", "list")
        self.assertEqual(len(found), len(before["jobs"]))
        self.assertEqual({x["versions"] for x in found}, {1})


class PostgresOf010(FurtherOn, Postgres):
    asked_the_wrong_shard = False


del OnACopy, GoesOn, FurtherOn

if __name__ == "__main__":
    harness.main()
