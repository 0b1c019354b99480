"""The main job through Kafka: deposits are records that kcat writes, outcomes
are records that kcat reads; the engine keeps its journal in PostgreSQL."""

import base64
import contextlib
import json
import time
from datetime import datetime, timezone

from deposit_door import Diagnostic
from job_account import turns_taken
from job_view import FINISHED, Progress
from kafka_tools import KafkaFailed, Server, Tail, outcomes, produce, read_topic

TOPICS = {"kafka.ingress_topic": "deposits.in",
          "kafka.egress_topic": "deposits.out",
          "kafka.dead_letter_topic": "deposits.dead"}
LOOK_PAUSE_S = 0.1


def start_servers(stack):
    """Private servers that end with the stack; the engine's settings."""
    kafka, postgres = Server("kafka"), Server("postgres")
    for server in (kafka, postgres):
        stack.callback(server.remove)
        server.start()
        print(f"{server.service} runs: {server.address}")
    return {**TOPICS, "kafka.brokers": kafka.address,
            "store.kind": "postgres", "store.url": postgres.address}


def line_of(submission):
    """One record for kcat: key, tab, value."""
    document = {"id": submission.file_name, "user": submission.user,
                "type": "doMDUpload"}
    try:
        document["payload"] = submission.content.decode()
    except UnicodeDecodeError:
        document["payload_base64"] = \
            base64.b64encode(submission.content).decode()
    return f"{submission.user}\t{json.dumps(document)}\n".encode()


def take_outcome(submission, event):
    """What an event of the egress topic says of a submission."""
    submission.submission_id = event["item"]
    submission.document = event.get("document", "").encode()
    failures = []
    records = 1
    if event["outcome"] != "done":
        failures = [("Failure", "", event["reason"] or event["outcome"])]
    elif submission.document:
        found = Diagnostic(submission.document)
        failures, records = found.failures(), len(found.records)
    submission.outcome = ("completed" if not failures else
                          "partly" if len(failures) < records else "failed")
    submission.reason = "; ".join(f"{doi}: {text}" if doi else text
                                  for _, doi, text in failures[:3])


class Egress:
    """The egress topic against what was produced."""

    def __init__(self, brokers, submissions):
        self.brokers = brokers
        self.tail = Tail(brokers, TOPICS["kafka.egress_topic"])
        self.by_key = {(s.user, s.file_name): s for s in submissions}
        self.awaited = dict(self.by_key)  # those without an outcome
        self.records = 0
        self.events = {}
        self.unexpected = 0

    def close(self):
        self.tail.close()

    def read(self):
        """Whether there was something new; waits a moment for it."""
        records = self.tail.records(LOOK_PAUSE_S)
        self.records += len(records)
        for name, event in outcomes(records).items():
            known = self.events.setdefault(name, event)
            if known != event:
                raise KafkaFailed(f"{name} was repeated with other words")
            if known is not event:
                continue
            key = event["user"], event["id"]
            if key not in self.by_key:
                self.unexpected += 1
            elif (submission := self.awaited.pop(key, None)) is not None:
                take_outcome(submission, event)
            else:
                self.by_key[key].outcome = "lost"
                self.by_key[key].reason = "has two outcomes"
        return bool(records)

    def account(self):
        while self.read():  # also what came again
            pass
        missing = sum(s.outcome not in FINISHED for s in self.by_key.values())
        letters = read_topic(self.brokers, TOPICS["kafka.dead_letter_topic"])
        return {"produced": len(self.by_key), "outcomes": len(self.events),
                "repeated": self.records - len(self.events),
                "missing": missing, "unexpected": self.unexpected,
                "dead_letters": len(letters),
                "same_set": not missing and not self.unexpected
                and len(self.events) == len(self.by_key)}


def await_all(engine, submissions, give_up_after):
    """Until the engine has taken every record, or takes no more."""
    last_news = time.monotonic()
    taken = -1
    while taken < len(submissions):
        found = engine.ask("queue", "size", "metadata")["size"]
        if found != taken:
            last_news = time.monotonic()
        elif time.monotonic() - last_news > give_up_after:
            return
        taken = found
        time.sleep(LOOK_PAUSE_S)


def follow(engine, submissions, options):
    """As main_job.follow, with the account of the egress topic at last."""
    brokers = engine.settings["kafka.brokers"]
    by_user = {}
    for submission in submissions:
        by_user.setdefault(submission.user, []).append(submission)
    engine.ctl("kafka", "init")
    if not options.as_they_come:
        engine.ctl("queue", "suspend", "metadata")
    with (contextlib.closing(Egress(brokers, submissions)) as egress,
          Progress(by_user) as progress):
        produce(brokers, TOPICS["kafka.ingress_topic"],
                map(line_of, submissions))
        for submission in submissions:
            submission.outcome = "accepted"
        opened = datetime.now(timezone.utc)
        if not options.as_they_come:
            await_all(engine, submissions, options.give_up_after)
            opened = datetime.now(timezone.utc)
            engine.ctl("queue", "resume", "metadata")
        last_news = time.monotonic()
        while (egress.awaited
               and time.monotonic() - last_news < options.give_up_after):
            if egress.read():
                last_news = time.monotonic()
            progress.show()
        for submission in egress.awaited.values():
            submission.outcome = "lost"
            submission.reason = "no outcome on the egress topic"
        return (engine.submissions(by_user), turns_taken(engine, by_user),
                opened, egress.account())


def print_account(account):
    print(f"\nkafka: {account['produced']} records produced, "
          f"{account['outcomes']} outcomes on the egress topic "
          f"({account['repeated']} repetitions dropped), "
          f"{account['missing']} missing, {account['unexpected']} unexpected, "
          f"{account['dead_letters']} dead letters: "
          + ("the same set" if account["same_set"] else "NOT THE SAME SET"))

