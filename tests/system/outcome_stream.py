"""Outcomes of deposits as they come to a topic of Kafka, for hours: each
deposit has one, once repetitions are dropped."""

import json
import subprocess
import threading
import time


class Outcomes:
    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = set()       # (user, id) that have none yet
        self.seen = {}             # (user, id): (event, when)
        self.count = 0
        self.wrong = []

    def expect(self, key):
        with self.lock:
            if key not in self.seen:
                self.waiting.add(key)

    def saw(self, document):
        key = document["user"], document["id"]
        with self.lock:
            event, _ = self.seen.get(key, (document["event_id"], 0))
            if event != document["event_id"]:
                self.wrong.append(f"{key} has outcomes {event} and "
                                  f"{document['event_id']}")
            self.count += key not in self.seen
            self.seen[key] = (event, time.monotonic())
            self.waiting.discard(key)

    def missing(self):
        with self.lock:
            return set(self.waiting)

    def forget_before(self, when):
        with self.lock:
            self.seen = {key: x for key, x in self.seen.items()
                         if x[1] >= when}


class OutcomeStream:
    """kcat, which waits while the broker is away, and a thread that reads
    what it prints."""

    def __init__(self, brokers, topic, into):
        self.into = into
        self.reader = subprocess.Popen(
            ["kcat", "-C", "-E", "-u", "-q", "-b", brokers, "-t", topic, "-o",
             "beginning", "-X", "reconnect.backoff.max.ms=1000",
             "-f", "%s\n"], stdout=subprocess.PIPE)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.reader.stdout:
            self.into.saw(json.loads(line))

    def close(self):
        self.reader.kill()
        self.reader.wait()
        self.thread.join()
        self.reader.stdout.close()
