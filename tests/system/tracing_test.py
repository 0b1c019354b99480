"""Traces: a sender's context, the spans that a collector gets of a real
deposit, and log lines that say to which trace they belong."""

import base64
import http.client
import http.server
import json
import re
import threading

import harness
from deposit_door import multipart
from engine import EngineFailed
from harness import a_deposit, wait_until
from pipelines import PASSWORD, PipelineTest

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


def post(engine, path, fields, files, headers):
    kind, body = multipart(fields, files)
    connection = http.client.HTTPConnection(*engine.address("http"),
                                            timeout=30)
    try:
        connection.request("POST", path, body,
                           {"Content-Type": kind, **headers})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def by_name(spans):
    out = {}
    for x in spans:
        out.setdefault(x["name"], []).append(x)
    return out


def attributes(span):
    return {x["key"]: x["value"]["stringValue"] for x in span["attributes"]}


class Traces(PipelineTest):
    def setUp(self):
        super().setUp()
        self.collector = self.serve(Collector())

    def traced(self, **more):
        return self.prepared({"trace.endpoint": self.collector.url,
                              "log.format": "json", "log.level": "debug",
                              **more})

    def deposit(self, engine, name, headers):
        status, _, body = post(
            engine, "/servlet/deposit",
            {"operation": "doMDUpload", "login_id": "lea",
             "login_passwd": PASSWORD},
            [("fname", name + ".xml", a_deposit(name))], headers)
        self.assertEqual(status, 200, body)
        door = self.door(engine, "lea", PASSWORD)
        self.assertEqual(self.outcome(door, name + ".xml").failures(), [])

    def spans_of(self, trace, *names):
        def come():
            found = by_name(self.collector.of(trace))
            return found if all(x in found for x in names) else None
        found = wait_until(come)
        self.assertEqual(self.collector.faults, [])
        return found

    def lines(self, engine):
        """Of the log, each of which is a JSON object."""
        return [json.loads(x) for x in engine.log().splitlines()]

    def test_spans_of_a_deposit_hang_below_its_sender(self):
        engine = self.traced()
        self.deposit(engine, "one", {"traceparent": SAMPLED})
        found = self.spans_of(TRACE, "received", "queued", "handed_out",
                              "published")
        self.assertEqual([len(x) for x in found.values()], [1, 1, 1, 1])
        received, queued, handed_out, published = (
            found[x][0] for x in ("received", "queued", "handed_out",
                                  "published"))
        self.assertEqual(received["parentSpanId"], PARENT)
        for x in (queued, handed_out, published):
            self.assertEqual(x["parentSpanId"], received["spanId"])
            self.assertEqual(attributes(x)["depositd.user"], "lea")
        times = [int(x[end]) for x in (queued, handed_out) for end in
                 ("startTimeUnixNano", "endTimeUnixNano")]
        self.assertEqual(times, sorted(times))
        self.assertEqual(attributes(published)["depositd.outcome"], "done")
        self.assertEqual(len({x["spanId"] for x in self.collector.spans}),
                         len(self.collector.spans))

    def test_log_lines_are_objects_and_name_the_trace(self):
        engine = self.traced()
        self.deposit(engine, "one", {"traceparent": SAMPLED})
        self.deposit(engine, "two", {})
        own = wait_until(lambda: {x["traceId"] for x in self.collector.spans}
                         - {TRACE})
        self.assertEqual(len(own), 1)
        lines = self.lines(engine)
        for line in lines:
            self.assertLessEqual({"ts", "level", "logger", "message"},
                                 set(line))
            self.assertRegex(line["ts"],
                             r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        in_work = [x for x in lines if x["message"].startswith("item_in_work")]
        self.assertEqual({x.get("trace") for x in in_work}, {TRACE, *own})

    def test_what_its_sender_does_not_sample_is_not_told(self):
        engine = self.traced()
        self.deposit(engine, "one", {"traceparent": SAMPLED[:-2] + "00"})
        self.deposit(engine, "two", {"traceparent": "nonsense"})
        wait_until(lambda: "published" in by_name(self.collector.spans))
        self.assertEqual(self.collector.of(TRACE), [])

    def test_stages_of_a_job_hang_below_its_batch(self):
        engine = self.traced()
        login = base64.b64encode(f"lea:{PASSWORD}".encode()).decode()
        status, headers, body = post(
            engine, "/poster/submit", {"profile": "books", "type": "file"},
            [("file", "a.txt", b"a book")],
            {"Authorization": "Basic " + login, "traceparent": SAMPLED})
        self.assertEqual(status, 200, body)
        self.ended(engine, headers["BID"])
        engine.stop()  # the rest is sent when it ends
        spans = self.collector.of(TRACE)
        found = by_name(spans)
        self.assertEqual(len(found["received"]), 2, found)
        batch, job = sorted(found["received"],
                            key=lambda x: x["parentSpanId"] != PARENT)
        self.assertEqual(batch["parentSpanId"], PARENT)
        self.assertEqual(job["parentSpanId"], batch["spanId"])
        stages = [x["name"] for x in spans
                  if x["name"].startswith("stage:")
                  and x["parentSpanId"] == job["spanId"]]
        for stage in ("download", "process", "store", "record"):
            self.assertIn("stage:" + stage, stages)
        self.assertIn("stage:batch", found)
        self.assertEqual(len(found["published"]), 2)

    def test_a_collector_that_is_away_keeps_nobody_waiting(self):
        engine = self.traced(**{"trace.endpoint": "http://127.0.0.1:1"})
        self.deposit(engine, "one", {"traceparent": SAMPLED})
        said = wait_until(lambda: re.findall(r"spans_not_taken [^}]*",
                                             engine.log()))
        self.assertEqual(len(said), 1, said)
        self.assertEqual(engine.stop(), 0)

    def test_an_endpoint_that_is_no_address_is_a_wrong_setting(self):
        with self.assertRaises(EngineFailed) as failed:
            self.start({"trace.endpoint": "collector:4318"})
        self.assertEqual(failed.exception.code, 2)
        self.assertIn("trace.endpoint", failed.exception.log)


if __name__ == "__main__":
    harness.main()
