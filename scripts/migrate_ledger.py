"""What arrived of a migration, and when; and the workers that take it."""

import contextlib
import statistics
import threading
import time

from migrate_generator import record_id
from queue_door import POLL_MAX, QueueDoor

SLICE_S = 0.5  # of the picture
TWICE = 2
PAUSE_S = 0.01  # of a worker that got nothing


class Ledger:
    """Which records were taken, how often. Thread-safe. `counts`: records of
    each source, numbered from 1."""

    slice_s = SLICE_S

    def __init__(self, counts):
        self.expected = sum(counts.values())
        self.seen = {name: bytearray(count + 1)
                     for name, count in counts.items()}
        self.taken = 0
        self.unknown = 0
        self.arrivals = []  # (seconds, source, records)
        self.mutex = threading.Lock()
        self.over = threading.Event()
        self.problem = None
        self.since = time.monotonic()

    def start(self):
        self.since = time.monotonic()

    def seconds(self):
        return time.monotonic() - self.since

    def took(self, payloads):
        """Records that were taken and acknowledged."""
        by_source = {}
        with self.mutex:
            now = self.seconds()
            for payload in payloads:
                name = self.note(payload)
                if name:
                    by_source[name] = by_source.get(name, 0) + 1
            self.taken += len(payloads)
            self.arrivals += [(now, *x) for x in by_source.items()]

    def note(self, payload):
        """The source, if the record is known to have one."""
        name, number = payload["id"].partition("-")[0], payload["number"]
        seen = self.seen.get(name)
        if (seen is None or not 0 < number < len(seen)
                or payload["id"] != record_id(name, number)):
            self.unknown += 1
            return None
        seen[number] = min(seen[number] + 1, TWICE)
        return name

    def by_source(self):
        """{source: records that were taken}."""
        out = dict.fromkeys(self.seen, 0)
        with self.mutex:
            for _, name, count in self.arrivals:
                out[name] += count
        return out

    def fail(self, why):
        """Nothing more will come of a worker."""
        self.problem = self.problem or f"a worker ended: {why!r}"

    # -- at the end

    def slices(self):
        """{source: records in each slice of time}."""
        last = max((when for when, _, _ in self.arrivals), default=0)
        out = {name: [0] * (int(last / SLICE_S) + 1) for name in self.seen}
        for when, name, count in self.arrivals:
            out[name][int(when / SLICE_S)] += count
        return out

    def per_second(self):
        """Records in each whole second; the last one counts if it is alone."""
        last = max((when for when, _, _ in self.arrivals), default=0)
        out = [0] * (int(last) + 1)
        for when, _, count in self.arrivals:
            out[int(when)] += count
        return out[:-1] or out

    def summary(self):
        missing = sum(x.count(0) - 1 for x in self.seen.values())
        repeated = sum(x.count(TWICE) for x in self.seen.values())
        rates = self.per_second()
        return {
            "records": self.expected, "taken": self.taken,
            "missing": missing, "repeated": repeated,
            "unknown": self.unknown,
            "exactly_once": not (missing or repeated or self.unknown),
            "seconds": round(max((x[0] for x in self.arrivals), default=0), 2),
            "records_per_second": {
                "median": round(statistics.median(rates)),
                "least": min(rates), "most": max(rates)},
            "seconds_each": rates}


class Worker(threading.Thread):
    """Takes records from the queue and acknowledges them."""

    def __init__(self, address, queue, ledger):
        super().__init__(daemon=True)
        self.address = address
        self.queue = queue
        self.ledger = ledger

    def run(self):
        try:
            with contextlib.closing(QueueDoor(self.address,
                                              self.queue)) as door:
                while not self.ledger.over.is_set():
                    self.take(door)
        except Exception as why:  # told to whoever waits for the records
            self.ledger.fail(why)

    def take(self, door):
        found = door.poll(POLL_MAX)
        if not found:
            self.ledger.over.wait(PAUSE_S)
            return
        door.ack(x["id"] for x in found)
        self.ledger.took([x["payload"] for x in found])
