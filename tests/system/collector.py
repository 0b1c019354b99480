"""A collector of spans for tests, and a sender's trace."""

import json

from harness import wait_until
from loopback_server import Answer, LoopbackServer

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
SAMPLED = f"00-{TRACE}-{PARENT}-01"


class Collector(LoopbackServer):
    """Keeps the spans that it gets by OTLP over HTTP."""

    def __init__(self):
        super().__init__(Export)
        self.spans = []
        self.faults = []

    @property
    def url(self):
        return f"http://{self.address}"

    def of(self, trace):
        return [x for x in list(self.spans) if x["traceId"] == trace]

    def take(self, path, kind, body):
        if path != "/v1/traces" or kind != "application/json":
            self.faults.append((path, kind))
        for resource in json.loads(body)["resourceSpans"]:
            names = {x["key"]: x["value"]["stringValue"]
                     for x in resource["resource"]["attributes"]}
            if names.get("service.name") != "depositd":
                self.faults.append(names)
            for scope in resource["scopeSpans"]:
                self.spans += scope["spans"]


class Export(Answer):
    def do_POST(self):
        self.server.take(self.path, self.headers["Content-Type"], self.body())
        self.say(200, "{}", Content_Type="application/json")


def by_name(spans):
    out = {}
    for x in spans:
        out.setdefault(x["name"], []).append(x)
    return out


class Collecting:
    """What tests that have a `collector` look for in it."""

    def spans_of(self, trace, *names):
        def come():
            found = by_name(self.collector.of(trace))
            return found if all(x in found for x in names) else None
        found = wait_until(come)
        self.assertEqual(self.collector.faults, [])
        return found
