"""What NSQ's clients did and were told, and whether it fits together."""

import threading
import time
from collections import defaultdict

from nsq_client import Closed, Refused

# What a client sees when it is not known what became of its command.
UNKNOWN = (Closed, OSError, Refused)

EARLY = 0.002  # seconds; clocks of the server count milliseconds


class History:
    """Thread-safe. A message is known by its number, which is its body. What
    is noted of finishing and requeueing was confirmed: a later command on the
    same connection was answered, and no refusal of it came before."""

    def __init__(self):
        self.mutex = threading.Lock()
        self.next = 0
        self.due = {}              # of what was sent: not to come before
        self.acknowledged = set()
        self.deliveries = defaultdict(list)  # (channel, number) -> (attempts,
        #                                      when it was received)
        self.received = 0          # deliveries
        self.tried = set()         # (channel, number): a FIN was sent
        self.finished = {}         # (channel, number) -> attempts
        self.requeued = {}         # (channel, number, attempts) -> due

    def numbers(self, count):
        with self.mutex:
            first, self.next = self.next, self.next + count
            return range(first, first + count)

    def publish(self, number, delay=0, now=None):
        """Before it is sent. `delay` in seconds."""
        now = time.monotonic() if now is None else now
        with self.mutex:
            self.due[number] = now + delay if delay else 0

    def acknowledge(self, numbers):
        with self.mutex:
            self.acknowledged.update(numbers)

    def deliver(self, channel, number, attempts, now=None):
        now = time.monotonic() if now is None else now
        with self.mutex:
            self.deliveries[channel, number].append((attempts, now))
            self.received += 1

    def try_to_finish(self, channel, number):
        with self.mutex:
            self.tried.add((channel, number))

    def finish(self, channel, number, attempts):
        with self.mutex:
            self.finished[channel, number] = attempts

    def requeue(self, channel, number, attempts, due):
        with self.mutex:
            self.requeued[channel, number, attempts] = due


def complaints(history, channels):
    """Everything that may not be, of a history at whose end the channels were
    empty; no complaints is right. Attempts are the clock: each delivery of a
    message has its own, so what is late on its way is told from what is
    repeated."""
    out = []
    for channel in channels:
        for number in sorted(history.acknowledged):
            key = channel, number
            if not history.deliveries.get(key):
                out.append(f"lost: {key}")
            elif key not in history.tried:
                out.append(f"vanished before anybody finished it: {key}")
    for key, found in sorted(history.deliveries.items()):
        out += of_message(history, key, found)
    return out


def of_message(history, key, found):
    channel, number = key
    if number not in history.due:
        return [f"invented: {key}"]
    out = []
    attempts = [one for one, _ in found]
    for twice in sorted({x for x in attempts if attempts.count(x) > 1}):
        out.append(f"attempt {twice} came twice: {key}")
    if min(attempts) < 1:
        out.append(f"attempt {min(attempts)}: {key}")
    last = history.finished.get(key)
    if last is not None and max(attempts) > last:
        out.append(f"finished at attempt {last}, and then came "
                   f"{max(attempts)}: {key}")
    dues = [(0, history.due[number])] if history.due[number] else []
    dues += [(one, history.requeued[channel, number, one])
             for one in attempts if (channel, number, one) in history.requeued]
    for before, due in dues:
        for one, when in found:
            if one > before and when < due - EARLY:
                out.append(f"attempt {one} came {due - when:.3f} s too soon: "
                           f"{key}")
    return out


class Hands:
    """A consumer that notes what it does, and what of it is confirmed."""

    def __init__(self, history, client, channel, confirm_topic="confirm"):
        self.history = history
        self.client = client
        self.channel = channel
        self.confirm_topic = confirm_topic
        self.pending = []  # (id, what to note once it is confirmed)

    @property
    def open(self):
        return len(self.pending)

    def take(self, timeout):
        found = self.client.message_or_none(timeout)
        if found:
            self.history.deliver(self.channel, int(found.body),
                                 found.attempts)
        return found

    def finish(self, found):
        number = int(found.body)
        self.history.try_to_finish(self.channel, number)
        self.client.fin(found)
        self.pending.append((found.id, lambda: self.history.finish(
            self.channel, number, self.newest(found))))

    def newest(self, found):
        """FIN and REQ name the message, not the attempt: who is so slow that it
        was given to it once more means that attempt."""
        return max([found.attempts] + [one.attempts
                                       for one in self.client.waiting
                                       if one.id == found.id])

    def requeue(self, found, delay):
        """`delay` in seconds."""
        due = time.monotonic() + delay
        self.client.req(found, round(delay * 1000))
        self.pending.append((found.id, lambda: self.history.requeue(
            self.channel, int(found.body), self.newest(found), due)))

    def touch(self, found):
        self.client.touch(found)

    def confirm(self):
        """Of an id that was refused, nothing is confirmed."""
        if not self.pending:
            return
        refused = {text.split(" ")[2] for text in
                   self.client.confirm(self.confirm_topic)}
        for message_id, note in self.pending:
            if message_id not in refused:
                note()
        self.pending.clear()
