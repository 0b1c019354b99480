"""What clients did and were told, and whether a recovered engine agrees."""

import hashlib
import threading


class History:
    """Thread-safe. Keys of submissions are (user, file name)."""

    def __init__(self):
        self.mutex = threading.Lock()
        self.attempted = {}   # what was sent, as its SHA-256
        self.acknowledged = set()
        self.open = {}        # user -> keys acknowledged, some seen completed
        self.documents = {}   # of submissions seen completed
        self.settings = {}    # what -> values the engine may have now

    # -- submissions

    def attempt(self, key, content):
        with self.mutex:
            self.attempted[key] = hashlib.sha256(content).digest()

    def acknowledge(self, key):
        with self.mutex:
            self.acknowledged.add(key)
            self.open.setdefault(key[0], []).append(key)

    def complete(self, key, document):
        """Returns what an earlier poll said, if it was something else."""
        with self.mutex:
            before = self.documents.setdefault(key, document)
        return before if before != document else None

    def is_what_was_sent(self, key, content):
        return self.attempted[key] == hashlib.sha256(content).digest()

    def an_open_key(self, user, chance):
        """One of those that nobody has seen completed; None without any. Asked
        for all the time, so it may not take longer with each."""
        with self.mutex:
            keys = self.open.get(user, [])
            while keys:
                at = chance.randrange(len(keys))
                if keys[at] not in self.documents:
                    return keys[at]
                keys[at] = keys[-1]
                keys.pop()
        return None

    # -- settings: the last acknowledged one, or one still in flight

    def intend(self, what, value):
        with self.mutex:
            self.settings.setdefault(what, [None]).append(value)

    def settle(self, what, value):
        with self.mutex:
            self.settings[what] = [value]

    def possible(self, what):
        """None: as it was before anybody set it."""
        with self.mutex:
            return list(self.settings.get(what, [None]))


def disagreements(history, rows):
    """Complaints about the engine's list of submissions; empty is right."""
    out = []
    stored = {}
    for row in rows:
        key = (row["user"], row["file_name"])
        stored.setdefault(key, []).append(row)
    for key in sorted(history.acknowledged - stored.keys()):
        out.append(f"lost: {key}")
    for key, copies in sorted(stored.items()):
        if key not in history.attempted:
            out.append(f"invented: {key}")
        if len(copies) > 1:
            out.append(f"stored {len(copies)} times: {key}")
        if key in history.documents and copies[0]["status"] != "completed":
            out.append(f"completed, and now {copies[0]['status']}: {key}")
    return out
