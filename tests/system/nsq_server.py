"""An engine whose NSQ doors are open, or the real nsqd in its place.

With DEPOSITD_NSQD=PROGRAM the tests are held against that program (built from
tests/clients/nsq/go/nsqd), which shows that they ask for what nsqd does. What
is asked for beyond that is marked `better` and skipped then.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import time
import unittest
from urllib.parse import urlencode

from harness import SystemTest, wait_until
from nsq_client import Connection

NSQD = os.environ.get("DEPOSITD_NSQD", "")

# Of nsqd, which knows a channel's timers only some seconds after its birth, and
# of a busy machine: how late what is due may come, in seconds.
LATE = 7 if NSQD else 3

DOORS = {"nsq.listen": "127.0.0.1:0", "nsq.http.listen": "127.0.0.1:0"}

# What a test calls it: nsqd's option, and the engine's setting. Milliseconds
# where it is a time, bytes where it is a size.
LIMITS = {
    "msg_timeout": ("msg-timeout", "nsq.limits.msg_timeout_ms"),
    "msg_timeout_max": ("max-msg-timeout", "nsq.limits.msg_timeout_ms_max"),
    "req_timeout_max": ("max-req-timeout", "nsq.limits.req_timeout_ms_max"),
    "heartbeat_max": ("max-heartbeat-interval",
                      "nsq.limits.heartbeat_ms_max"),
    "msg_size_max": ("max-msg-size", "nsq.limits.message_bytes_max"),
    "body_size_max": ("max-body-size", "nsq.limits.body_bytes_max"),
    "rdy_max": ("max-rdy-count", "nsq.limits.rdy_max"),
    "consumers_max": ("max-channel-consumers",
                      "nsq.limits.channel_consumers_max"),
    "certificate": ("tls-cert", "nsq.tls.certificate"),
    "key": ("tls-key", "nsq.tls.key"),
    "tls_required": ("tls-required", "nsq.tls.required"),
    "auth_address": ("auth-http-address", "nsq.auth.http_address"),
}
TIMES = ("msg_timeout", "msg_timeout_max", "req_timeout_max", "heartbeat_max")


def better(test):
    """What nsqd does not promise."""
    return unittest.skipIf(NSQD, "nsqd does not promise it")(test)


def of_depositd(test):
    """What nsqd has nothing like."""
    return unittest.skipIf(NSQD, "nsqd has nothing like it")(test)


def settings_of(limits):
    out = {LIMITS[name][1]: str(value).lower()
           if isinstance(value, bool) else value
           for name, value in limits.items()}
    # Statistics are asked without TLS; where it is required they cannot be.
    if "certificate" in limits and not limits.get("tls_required"):
        out["nsq.http.tls"] = "false"
    return out


class Nsqd:
    """A process of nsqd, as `engine.Engine` is one of depositd."""

    def __init__(self, data, limits):
        self.data = data
        self.limits = limits
        self.process = None
        self.ready = {"nsq": "127.0.0.1:0", "nsq_http": "127.0.0.1:0"}

    def _option(self, name, value):
        if name in TIMES:
            value = f"{value}ms"
        if isinstance(value, bool):
            value = int(value)
        return f"--{LIMITS[name][0]}={value}"

    def start(self, timeout=60):
        self.data.mkdir(parents=True, exist_ok=True)
        with open(self.data.with_suffix(".log"), "ab") as log:
            self.process = subprocess.Popen(
                [NSQD, f"--data-path={self.data}",
                 f"--tcp-address={self.ready['nsq']}",
                 f"--http-address={self.ready['nsq_http']}",
                 *(self._option(*x) for x in self.limits.items())],
                stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline().decode()
        if not line.startswith("ready "):
            raise AssertionError(self.data.with_suffix(".log").read_text())
        self.ready = dict(re.findall(r"(\w+)=(\S+)", line))
        return self

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait()
            self.process.stdout.close()

    def stop(self, timeout=60):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        finally:
            self.kill()


class NsqTest(SystemTest):
    """One server for a test; it comes back where it was."""

    def serve(self, settings=None, data="data", log=None, **limits):
        """`limits` by their names in LIMITS; `settings` and `log` of depositd
        only."""
        if NSQD:
            self.server = Nsqd(self.folder / data, limits)
            self.addCleanup(self.server.kill)
        else:
            self.server = self.engine({**DOORS, **settings_of(limits),
                                       **(settings or {})}, data=data,
                                      log=log)
        self.server.start()
        # Clients come back to the address they know.
        if not NSQD:
            for door in ("nsq", "nsq_http"):
                key = {"nsq": "nsq.listen", "nsq_http": "nsq.http.listen"}
                self.server.settings[key[door]] = self.server.ready[door]
        return self.server

    def restart(self, how="kill"):
        getattr(self.server, how)()
        self.server.start()

    # -- TCP

    def tcp(self):
        host, port = self.server.ready["nsq"].rsplit(":", 1)
        return host, int(port)

    def connect(self, fields=None, **more):
        """A connection that has said who it is; it goes with the test."""
        found = Connection(self.tcp(), {"client_id": "test", **(fields or {})},
                           **more)
        self.addCleanup(found.close)
        return found

    def bare(self, **more):
        """A connection that has only said which protocol it speaks."""
        found = Connection(self.tcp(), **more)
        self.addCleanup(found.close)
        return found

    def consumer(self, topic, channel="ch", rdy=0, **fields):
        found = self.connect(fields).sub(topic, channel)
        if rdy:
            found.rdy(rdy)
        return found

    def assert_error(self, connection, code, *parts, closes=True):
        """The error that came, and whether it has ended the connection."""
        text = connection.error()
        self.assertEqual(text.split(" ", 1)[0], code, text)
        for part in parts:
            self.assertIn(str(part), text)
        if closes:
            self.assertTrue(connection.closes())
        else:
            self.assert_alive(connection)
        return text

    def assert_alive(self, connection):
        connection.pub("alive", b"x")

    # -- HTTP

    def call(self, method, path, body=None, **arguments):
        """(status, headers, body)"""
        host, port = self.server.ready["nsq_http"].rsplit(":", 1)
        link = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            link.request(method, path + ("?" + urlencode(arguments)
                                         if arguments else ""), body)
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            link.close()

    def post(self, path, body=b"", **arguments):
        """What has to succeed."""
        status, _, text = self.call("POST", path, body, **arguments)
        self.assertEqual(status, 200, text)
        return text

    def assert_refused(self, status, word, method, path, body=None,
                       **arguments):
        found, _, text = self.call(method, path, body, **arguments)
        self.assertEqual((found, json.loads(text)["message"]), (status, word))

    def create(self, topic, channel):
        self.post("/topic/create", topic=topic)
        self.post("/channel/create", topic=topic, channel=channel)

    def stats(self, **arguments):
        status, _, text = self.call("GET", "/stats", format="json",
                                    **arguments)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def topic(self, name):
        """Its statistics; None if there is none."""
        return next((x for x in self.stats()["topics"]
                     if x["topic_name"] == name), None)

    def channel(self, topic, name="ch"):
        found = self.topic(topic)
        return found and next((x for x in found["channels"]
                               if x["channel_name"] == name), None)

    def becomes(self, topic, channel="ch", timeout=20, **wanted):
        """Waits until the channel's statistics are so."""
        def reached():
            self.last = self.channel(topic, channel)
            return self.last and all(self.last[key] == value
                                     for key, value in wanted.items())
        try:
            wait_until(reached, timeout)
        except AssertionError:
            raise AssertionError(f"{topic}/{channel} does not become {wanted}:"
                                 f" {self.last}") from None
        return self.last

    def topic_becomes(self, name, **wanted):
        wait_until(lambda: (found := self.topic(name)) and all(
            found[key] == value for key, value in wanted.items()), 20)

    # -- times

    def assert_due(self, began, delay):
        """Not before the delay, and not long after it."""
        took = time.monotonic() - began
        self.assertGreaterEqual(took, delay - 0.002)
        self.assertLess(took, delay + LATE)

    def assert_quiet(self, connection, seconds):
        """No message comes for so long."""
        self.assertIsNone(connection.message_or_none(seconds))
