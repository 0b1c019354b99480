"""Traces: a sender's context, the spans that a collector gets of a real
deposit, and log lines that say to which trace they belong."""

import base64
import http.client
import json
import re

import harness
from collector import PARENT, SAMPLED, TRACE, Collector, Collecting, by_name
from deposit_door import multipart
from engine import EngineFailed
from harness import a_deposit, wait_until
from pipelines import PASSWORD, PipelineTest


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


def attributes(span):
    return {x["key"]: x["value"]["stringValue"] for x in span["attributes"]}


class Traces(Collecting, PipelineTest):
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

    def test_all_lines_of_a_deposit_have_its_trace(self):
        engine = self.traced()
        self.deposit(engine, "one", {"traceparent": SAMPLED})
        numbers = {x["id"] for x in engine.submissions()}
        mark = re.compile(r" (?:item|submission|job)=(\d+)")
        named = [x for x in self.lines(engine)
                 if {int(n) for n in mark.findall(x["message"])} & numbers]
        self.assertTrue(named)
        self.assertEqual({x.get("trace") for x in named}, {TRACE})

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
