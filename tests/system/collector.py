"""A collector of spans for tests, and a sender's trace."""

import http.server
import json
import threading

from harness import wait_until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
SAMPLED = f"00-{TRACE}-{PARENT}-01"


class Collector(http.server.ThreadingHTTPServer):
    """Keeps the spans that it gets by OTLP over HTTP."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Export)
        self.spans = []
        self.faults = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def serve(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()

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


class Export(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.take(self.path, self.headers["Content-Type"], body)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


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
