#!/usr/bin/env python3
"""A worker outside the engine: polls a queue, lets a program do each message,
and says how it ended.

    worker.py http://127.0.0.1:8080/queue/1 metadata --key-file KEY -- ./work

The program gets the payload (JSON) on standard input. Exit 0: done, and what
it printed is the outcome document; 75: try again later; anything else: failed
for good, and what it wrote to standard error is the reason.

The key needs `queue|poll|NAME`. For a deposit queue, keep the engine's own
processors away: --set processors.count=0.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
import urllib.request

TRY_AGAIN = 75  # EX_TEMPFAIL of sysexits.h


class Queue:
    """One queue as a worker uses it."""

    def __init__(self, base, name, key, ttl):
        self.url = f"{base}/{name}"
        self.key = key
        self.ttl = ttl

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {
            "X-BV-API-Key": self.key, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def poll(self, limit):
        return self.call(f"/poll?ttl={self.ttl}&limit={limit}")

    def renew(self, message_id):
        self.call(f"/renew?ttl={self.ttl}", [message_id])

    def ack(self, message_id, document):
        self.call("/ack", [{"id": message_id, "document": document}])

    def fail(self, message_id, reason, delay=None):
        """With a delay (seconds) the message comes again, else never."""
        how = {} if delay is None else {"delay": delay}
        self.call("/fail", [{"id": message_id, "reason": reason, **how}])


class Renewal:
    """Keeps one claim alive while the work is done."""

    def __init__(self, queue, message_id):
        self.queue = queue
        self.message_id = message_id
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.over.wait(self.queue.ttl / 3):
            try:
                self.queue.renew(self.message_id)
            except OSError:
                pass  # the next one may still be in time

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def work(queue, message, program, retry_delay):
    with Renewal(queue, message["id"]):
        done = subprocess.run(program, input=json.dumps(message["payload"]),
                              capture_output=True, text=True, check=False)
    if done.returncode == 0:
        queue.ack(message["id"], done.stdout)
    elif done.returncode == TRY_AGAIN:
        queue.fail(message["id"], done.stderr.strip(), retry_delay)
    else:
        queue.fail(message["id"], done.stderr.strip() or "no reason given")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("base", help="http://HOST:PORT/queue/1")
    parser.add_argument("queue")
    parser.add_argument("--key-file", required=True)
    parser.add_argument("--ttl", type=int, default=30)
    parser.add_argument("--pause", type=float, default=1)
    parser.add_argument("--retry-delay", type=float, default=10)
    parser.add_argument("program", nargs="+")
    given = parser.parse_args()
    with open(given.key_file, encoding="utf-8") as file:
        key = file.read().strip()
    queue = Queue(given.base, given.queue, key, given.ttl)
    while True:
        try:
            found = queue.poll(1)
            for message in found:
                work(queue, message, given.program, given.retry_delay)
        except OSError as problem:
            # The claim ends by itself and the message comes again.
            print(f"{given.queue}: {problem}", file=sys.stderr)
            found = []
        if not found:
            time.sleep(given.pause)


if __name__ == "__main__":
    main()
