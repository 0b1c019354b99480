"""Threads that keep an engine busy and write down what happened to them."""

import contextlib
import random
import threading

from deposit_door import Door
from engine import CommandFailed
from harness import BROKEN, a_deposit


class Load:
    """Depositors, pollers and an operator on one engine until stop(). Of
    several loads one may operate: settings are judged by their order. `large`:
    that part of the bodies is too large for the journal itself."""

    def __init__(self, engine, history, passwords, seed, label, operates=True,
                 large=0.01):
        self.engine = engine
        self.history = history
        self.passwords = passwords
        self.label = label
        self.large = large
        self.stopping = threading.Event()
        self.problems = []
        users = sorted(passwords)
        jobs = [(self.deposit, user) for user in users]
        jobs += [(self.poll, user) for user in users[:2]]
        jobs += [(self.operate, user) for user in users[:1] if operates]
        self.threads = [
            threading.Thread(target=self.work, daemon=True, args=(
                job, user, random.Random(f"{seed}/{number}")))
            for number, (job, user) in enumerate(jobs)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        """Call it after the kill, so that requests in flight break."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
        return self.problems

    def work(self, job, user, chance):
        with contextlib.closing(Door(self.engine.address("http"), user,
                                     self.passwords[user], 60)) as door:
            job(door, chance)

    def deposit(self, door, chance):
        user = door.user
        number = 0
        while not self.stopping.wait(chance.uniform(0, 0.01)):
            number += 1
            name = f"{self.label}-{user}-{number}"
            title = "A title" * (60_000 if chance.random() < self.large else 1)
            key = (user, name + ".xml")
            content = a_deposit(name, title=title)
            self.history.attempt(key, content)
            send = self.at_once if chance.random() < 0.05 else self.queued
            try:
                send(door, key, content)
            except BROKEN:
                return

    def queued(self, door, key, content):
        answer = door.deposit(key[1], content)
        if answer.accepted:
            self.history.acknowledge(key)
        elif answer.status not in (429, 503):
            self.problems.append(f"{key} answered {answer.status}")

    def at_once(self, door, key, content):
        """Where others than a document are the answer, it may be there."""
        answer = door.deposit_at_once(key[1], content)
        if answer.status == 200:
            self.history.acknowledge(key)
            self.history.complete(key, answer.body)
        elif answer.status < 500 and answer.status != 429:
            self.problems.append(f"{key} at once: {answer.status}")

    def poll(self, door, chance):
        while not self.stopping.wait(0.005):
            key = self.history.an_open_key(door.user, chance)
            if not key:
                continue
            try:
                found = door.poll(key[1])
            except BROKEN:
                return
            if not found.known:
                self.problems.append(f"acknowledged, then unknown: {key}")
            elif found.completed:
                self.history.complete(key, found.document)

    def operate(self, _, chance):
        """Changes what an operator may change; one command at a time."""
        users = sorted(self.passwords)
        while not self.stopping.wait(chance.uniform(0, 0.05)):
            what, value, command = chance.choice([limits, suspension])(
                chance, users)
            self.history.intend(what, value)
            try:
                self.engine.ctl(*command, timeout=20)
            except (CommandFailed, OSError):
                return
            self.history.settle(what, value)


def limits(chance, users):
    user = chance.choice(users)
    value = (chance.randint(1, 9), chance.randint(1, 9))
    return user, value, (
        "user", "set", user, "--queue", "metadata",
        "--allocation", str(value[0]), "--concurrency", str(value[1]))


def suspension(chance, _):
    """Suspended for about a third of the time, so that work piles up."""
    value = chance.random() < 0.3
    return "suspended", value, (
        "queue", "suspend" if value else "resume", "metadata")
