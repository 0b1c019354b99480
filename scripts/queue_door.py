"""A queue of messages as its clients see it: EmoDB's contract over HTTP."""

import http.client
import json
import time

POLL_MAX = 1000  # messages that one poll may ask for
REST_MAX_S = 10  # engines end lines on which nothing comes


class QueueRefused(Exception):
    """An answer other than 200; the text has its status and body."""


class QueueDoor:
    """One connection to one queue. Whatever breaks is for the caller; the next
    call connects anew. Used by one thread."""

    def __init__(self, address, queue, key=None, timeout=30):
        """`address`: (host, port) of the engine's public HTTP door."""
        self.address = address
        self.base = f"/queue/1/{queue}"
        self.headers = {"Content-Type": "application/json"}
        if key:
            self.headers["X-BV-API-Key"] = key
        self.timeout = timeout
        self.line = None
        self.used = 0.0

    def close(self):
        if self.line:
            self.line.close()
        self.line = None

    def call(self, method, path, body=None):
        """The document of the answer, if it has one."""
        if time.monotonic() - self.used > REST_MAX_S:
            self.close()
        if self.line is None:
            self.line = http.client.HTTPConnection(*self.address,
                                                   timeout=self.timeout)
        try:
            self.line.request(
                method, self.base + path,
                None if body is None else json.dumps(body), self.headers)
            answer = self.line.getresponse()
            text = answer.read()
            self.used = time.monotonic()
        except BaseException:
            self.close()
            raise
        if answer.status != 200:
            raise QueueRefused(f"{answer.status} {text[:500]!r}")
        return json.loads(text) if text else None

    def send(self, payloads):
        self.call("POST", "/sendbatch", list(payloads))

    def poll(self, limit=POLL_MAX, ttl=600):
        """Claims messages for `ttl` seconds: [{"id", "payload"}]."""
        return self.call("GET", f"/poll?limit={limit}&ttl={ttl}")

    def ack(self, ids):
        self.call("POST", "/ack", list(ids))

    def fail(self, ids, reason):
        """For good; ids whose claim is not alive any more are refused."""
        return self.call("POST", "/fail",
                         [{"id": x, "reason": reason} for x in ids])

    def size(self):
        return self.call("GET", "/size")
