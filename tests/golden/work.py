"""A life that leaves work in every state behind: what depositors, workers and
operators did to an engine that was killed at the end."""

import json

from deposit_door import Door
from harness import a_deposit, wait_until
from kafka_tools import produce
from look import KEYS, PASSWORDS, Messages

SETTINGS = {
    "processors.count": 2,
    "store.segment_mb": 1,
    "emodb.message_bytes_max": 262144,
    "queues.express.kind": "deposit",
    "queues.express.priority_mode": "across_users",
    "log.level": "warn",
}
HOUR_S = 3600
# Held by slots until the kill.
HOLD = {"processors.inject_delay_ms": HOUR_S * 1000}

LETTERS, PAUSED, ONCE = "/queue/1/letters", "/queue/1/paused", "/dedupq/1/once"
LARGE, RUBBISH = "/queue/1/large", "/queue/1/rubbish"
OLD, NEW = "/queue/1/old", "/queue/1/new"
INBOX, OUTBOX, LAST = "/queue/1/inbox", "/queue/1/outbox", "/queue/1/last"
METADATA, EXPRESS = "/queue/1/metadata", "/queue/1/express"
# Deposits are reached by whole names only.
DEPOSIT_PERMITS = ("--permit", "queue|*|metadata", "--permit",
                   "queue|*|express")
MESSAGE_QUEUES = [LETTERS, PAUSED, ONCE, LARGE, RUBBISH, OLD, NEW, INBOX,
                  OUTBOX, LAST]
MOVED = 900
LAST_SENT = 100

MIXED = """<?xml version="1.0" encoding="UTF-8"?>
<doi_batch xmlns="http://www.crossref.org/schema/5.3.1" version="5.3.1">
<head><doi_batch_id>partly</doi_batch_id><timestamp>20240101</timestamp>
<depositor><depositor_name>A</depositor_name>
<email_address>a@example.org</email_address></depositor>
<registrant>R</registrant></head><body>
<posted_content><titles><title>Good</title></titles>
<doi_data><doi>10.5555/partly</doi><resource>https://example.org/p</resource>
</doi_data></posted_content>
<posted_content><titles><title>Not a DOI</title></titles>
<doi_data><doi>partly</doi><resource>https://example.org/q</resource>
</doi_data></posted_content></body></doi_batch>
""".encode()

QUERY = b"|Journal of Made-up Results|||||2024||key-1|10.5555/finished\n"

# What the outside worker says of a deposit.
REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<doi_batch_diagnostic status="completed" sp="outside">
<submission_id>0</submission_id>
<record_diagnostic status="Success"><doi>10.5555/{}</doi>
<msg>Done by somebody else</msg></record_diagnostic>
</doi_batch_diagnostic>
"""


class Work:
    """Two lives of an engine. `held` are claims that a worker has at the end:
    (queue, id, payload, or the name of a deposit)."""

    def __init__(self, engine, broker=None):
        self.engine = engine
        self.broker = broker
        self.held = []
        self.moves = []
        self.records = []

    def first_life(self):
        """Accounts and settings, and everything that finishes."""
        self.engine.start()
        self.people()
        self.engine.ctl("sp", "stop", "express")
        self.finished_deposits()
        self.messages()
        self.operators_settings()
        if self.broker:
            self.engine.ctl("kafka", "init")
            self.records_of_express()
        self.engine.stop()

    def second_life(self):
        """Everything that is on its way when the engine is killed."""
        self.engine.settings.update(HOLD)
        self.engine.start()
        self.claimed_deposits()
        self.waiting_deposits()
        if self.broker:
            self.records_of_metadata()
        self.last_words()
        self.engine.kill()

    # -- the first life -----------------------------------------------------

    def people(self):
        add = self.engine.add_user
        add("amelie", PASSWORDS["amelie"], "--prefix", "10.5555")
        for user in ("boris", "chidi", "dalia", "grace", "hana"):
            add(user, PASSWORDS[user])
        add("fay", "secret-fay")
        ctl = self.engine.ctl
        ctl("user", "password", "fay", "--password-stdin",
            text=PASSWORDS["fay"] + "\n")
        add("gone", "secret-gone")
        ctl("user", "remove", "gone", "--yes")
        ctl("key", "add", "loader", "--key-stdin", "--permit",
            "queue|post|*", text=KEYS["loader"] + "\n")
        ctl("key", "add", "worker", "--key-stdin", "--role", "queue_admin",
            *DEPOSIT_PERMITS, text=KEYS["worker"] + "\n")
        ctl("key", "add", "reader", "--permit", "queue|get_status|let*")

    def deposit(self, user, name, content=None, operation="doMDUpload"):
        door = Door(self.engine.address("http"), user, PASSWORDS[user])
        try:
            if content is None:
                content = a_deposit(name)
            answer = door.deposit(name + ".xml", content, operation)
            if not answer.accepted:
                raise ValueError(f"{name}: {answer.status} {answer.text}")
        finally:
            door.close()

    def await_all_completed(self):
        wait_until(lambda: all(row["status"] == "completed"
                               for row in self.engine.submissions()))

    def finished_deposits(self):
        self.deposit("amelie", "finished")
        self.deposit("boris", "large-finished",
                     a_deposit("large-finished", title="A title" * 60_000))
        self.deposit("amelie", "partly", MIXED)
        self.deposit("dalia", "no-xml", b"this is no XML")
        self.await_all_completed()
        self.deposit("chidi", "asked", QUERY, "doQueryUpload")
        self.deposit("amelie", "outdated", a_deposit(
            "outdated", doi="10.5555/finished", timestamp=20230101000000))
        self.await_all_completed()
        self.engine.ctl("sp", "stop", "metadata")
        self.deposit("amelie", "outside")
        self.deposit("amelie", "refused-outside")
        worker = Messages(self.engine)
        while not all(row["status"] == "completed"
                      for row in self.engine.submissions()):
            for x in worker.poll(METADATA):
                self.end_outside(worker, x)
        self.engine.ctl("sp", "add", "metadata", "--slots", "2")

    def end_outside(self, worker, x):
        name = x["payload"]["file_name"]
        if name == "outside.xml":
            worker.post(METADATA + "/ack", [
                {"id": x["id"], "document": REPORT.format("outside"),
                 "batch_id": "batch-outside"}])
        else:
            worker.post(METADATA + "/fail", [
                {"id": x["id"], "reason": "nobody knows this journal"}])

    def messages(self):
        loader, worker = (Messages(self.engine, name) for name in KEYS)
        loader.post(LETTERS + "/sendbatch", [{"n": n} for n in range(12)])
        worker.post(LETTERS + "/send", {"text": "of another user: ä"})
        self.hold(worker, LETTERS, 3)
        renewed = [x[1] for x in self.held[:2]]
        worker.post(f"{LETTERS}/renew?ttl={HOUR_S}", renewed)
        self.second_attempts(worker)
        loader.post(PAUSED + "/sendbatch", [{"p": n} for n in range(3)])
        self.engine.ctl("queue", "suspend", "paused")
        loader.post(LARGE + "/send", {"filler": "x" * 250_000})
        loader.post(RUBBISH + "/sendbatch", [1, 2, 3])
        self.engine.ctl("queue", "purge", "rubbish", "--yes")
        self.collapsed(loader, worker)
        loader.post(OLD + "/sendbatch", [{"o": n} for n in range(5)])
        worker.poll(OLD, 2)
        self.move("old", "new")
        self.await_move()

    def hold(self, worker, queue, count):
        for x in worker.poll(queue, count):
            payload = x["payload"]
            if queue in (METADATA, EXPRESS):
                payload = payload["file_name"]
            self.held.append((queue, x["id"], payload))

    def second_attempts(self, worker):
        """One message waits for long, one is claimed for the second time, one
        may be, and one was given back."""
        taken = [x["id"] for x in worker.poll(LETTERS, 4)]
        worker.post(LETTERS + "/fail", [
            {"id": taken[0], "reason": "later", "delay": HOUR_S}])
        worker.post(LETTERS + "/fail", [
            {"id": x, "reason": "soon", "delay": 1} for x in taken[1:3]])
        wait_until(lambda: self.claimed_again(worker, taken[1:3]))
        worker.post(LETTERS + "/renew?ttl=0", [taken[3]])

    def claimed_again(self, worker, ids):
        """Whether one of these is; others that come first are given back."""
        [found] = worker.poll(LETTERS)
        if found["id"] not in ids:
            worker.post(LETTERS + "/renew?ttl=0", [found["id"]])
            return False
        self.held.append((LETTERS, found["id"], found["payload"]))
        return True

    def collapsed(self, loader, worker):
        """Equal ones wait for each other only while they are not taken."""
        loader.post(ONCE + "/sendbatch", ["a", "a", "b", "c", "b"])
        self.hold(worker, ONCE, 1)
        loader.post(ONCE + "/sendbatch", ["a", "c", "d"])

    def move(self, source, destination):
        begun = Messages(self.engine).post(
            f"/queue/1/_move?from={source}&to={destination}")
        self.moves.append(f"/queue/1/_move/{begun['id']}")

    def await_move(self):
        client = Messages(self.engine)
        wait_until(lambda: client.call(
            "GET", self.moves[-1])["status"] == "COMPLETE")

    def operators_settings(self):
        ctl = self.engine.ctl
        ctl("user", "set", "boris", "--allocation", "3", "--concurrency",
            "2", "--queue", "metadata")
        ctl("user", "set", "dalia", "--allocation", "0", "--queue",
            "metadata")
        ctl("user", "set", "loader", "--concurrency", "none", "--queue",
            "letters")
        ctl("user", "prohibit", "chidi")
        ctl("user", "hold", "grace")
        ctl("queue", "set", "query", "--concurrency", "7",
            "--pending-limit", "5000", "--attempts-max", "3")
        ctl("sp", "add", "big", "--types", "metadata", "--slots", "1",
            "--preferredUsers", "boris", "--maxSubmissionSize", "1000000")

    # -- records ------------------------------------------------------------

    def produce(self, records):
        """(partition, user, name, kind, priority or nothing)"""
        for partition, user, name, kind, priority in records:
            line = json.dumps({
                "id": name, "user": user, "type": kind,
                "payload": a_deposit(name).decode(),
                **({} if priority is None else {"priority": priority})})
            self.send_record(partition, f"{user}\t{line}")

    def send_record(self, partition, line):
        produce(self.broker, "deposits.in", [line.encode() + b"\n"], "-p",
                str(partition))
        self.records.append([partition, line])

    def await_names(self, names):
        wait_until(lambda: names <= {
            row["file_name"] for row in self.engine.submissions()})

    def records_of_express(self):
        """Their queue has no processor, and bands of priority."""
        self.produce([(0, "amelie", "express-1", "express", 50),
                      (1, "boris", "express-2", "express", 90),
                      (0, "amelie", "express-3", "express", 10),
                      (0, "boris", "express-4", "express", 10),
                      (1, "amelie", "express-5", "express", None)])
        self.send_record(1, "p\tpoison")
        self.await_names({f"express-{n}" for n in range(1, 6)})
        self.hold(Messages(self.engine), EXPRESS, 1)

    def records_of_metadata(self):
        """Bands inside a user's own items."""
        self.produce([(1, "amelie", "ranked-1", "metadata", 60),
                      (1, "amelie", "ranked-2", "metadata", 20),
                      (0, "amelie", "ranked-3", "metadata", 99)])
        self.await_names({f"ranked-{n}" for n in range(1, 4)})

    # -- the second life ----------------------------------------------------

    def claimed_deposits(self):
        """Three by slots, which hold them, and one by an outside worker."""
        for n in range(3):
            self.deposit("hana", f"in-process-{n}")
        wait_until(lambda: self.engine.ask("status")["slots"]["busy"] == 3)
        self.deposit("amelie", "held-outside")
        self.hold(Messages(self.engine), METADATA, 1)
        for queue in ("metadata", "query"):
            self.engine.ctl("queue", "suspend", queue)

    def waiting_deposits(self):
        for user in ("amelie", "boris", "chidi", "dalia", "grace", "hana"):
            self.deposit(user, f"waiting-{user}")
        self.deposit("fay", "large-waiting",
                     a_deposit("large-waiting", title="A title" * 60_000))
        self.deposit("fay", "asking", QUERY, "doQueryUpload")
        self.deposit("hana", "parked-1")
        self.deposit("fay", "parked-2")
        ids = {row["file_name"]: row for row in self.engine.submissions()}
        first = min(ids[f"parked-{n}.xml"]["received_at"] for n in (1, 2))
        self.engine.ctl("park", "--from", first, "--user", "hana,fay",
                        "--queue", "metadata", "--yes")

    def last_words(self):
        """As late as can be: no time to project them."""
        loader = Messages(self.engine, "loader")
        loader.post(INBOX + "/sendbatch", [{"i": n} for n in range(MOVED)])
        self.move("inbox", "outbox")
        loader.post(LAST + "/sendbatch", [{"l": n} for n in range(LAST_SENT)])
