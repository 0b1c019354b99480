"""Traces of messages: who sends one through EmoDB's or NSQ's door may say to
which trace it belongs, and so may a record of a source."""

import http.client
import json
import sqlite3

import harness
from collector import PARENT, SAMPLED, TRACE, Collecting, Collector
from harness import SystemTest, wait_until
from nsq_client import Connection


class Messages(Collecting, SystemTest):
    def setUp(self):
        super().setUp()
        self.collector = Collector()
        self.collector.serve()
        self.addCleanup(self.collector.server_close)
        self.addCleanup(self.collector.shutdown)

    def message_spans(self):
        found = self.spans_of(TRACE, "received", "queued", "handed_out",
                              "published")
        self.assertEqual({len(x) for x in found.values()}, {1})
        received = found["received"][0]
        self.assertEqual(received["parentSpanId"], PARENT)
        for name in ("queued", "handed_out", "published"):
            self.assertEqual(found[name][0]["parentSpanId"],
                             received["spanId"])

    def test_messages_of_the_emodb_door_have_their_sender_s_trace(self):
        for path, body in (("send", b'"one"'), ("sendbatch", b'["one"]')):
            with self.subTest(path):
                self.collector.spans.clear()
                engine = self.start({"trace.endpoint": self.collector.url,
                                     "emodb.anonymous": "true"},
                                    data="data-" + path)
                self.ask(engine, "http", "POST", f"/queue/1/work/{path}", body,
                         {"traceparent": SAMPLED})
                self.ask(engine, "http", "POST", "/queue/1/work/send",
                         b'"two"', {})
                self.take_all(engine, 2)
                self.message_spans()
                self.assertEqual({x["traceId"] for x in self.collector.spans},
                                 {TRACE})
                engine.stop()

    def test_messages_of_nsq_s_http_door_have_their_sender_s_trace(self):
        engine = self.start({"trace.endpoint": self.collector.url,
                             "nsq.listen": "127.0.0.1:0",
                             "nsq.http.listen": "127.0.0.1:0"})
        consumer = Connection(engine.address("nsq"), {})
        self.addCleanup(consumer.close)
        consumer.sub("news", "mail")
        consumer.rdy(1)
        self.ask(engine, "nsq_http", "POST", "/pub?topic=news", b"one",
                 {"traceparent": SAMPLED})
        consumer.fin(consumer.message())
        self.message_spans()

    def test_records_of_a_source_have_the_trace_that_they_say(self):
        engine = self.start({"trace.endpoint": self.collector.url,
                             "emodb.anonymous": "true"})
        path = self.folder / "table.sqlite"
        with sqlite3.connect(path) as base:
            base.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, "
                         "traceparent)")
            base.execute("INSERT INTO t VALUES (1, ?)", (SAMPLED,))
        engine.ctl("scheduler", "add", "s", "--queue", "work")
        engine.ctl("source", "add", "t", "--kind", "sql", "--scheduler", "s",
                   "--url", f"sqlite:{path}", "--key", "id",
                   "--poll-interval-ms", "100", "--query",
                   "SELECT id, traceparent FROM t LIMIT :limit")
        self.take_all(engine, 1)
        self.message_spans()

    def ask(self, engine, door, method, path, body, headers):
        connection = http.client.HTTPConnection(*engine.address(door),
                                                timeout=30)
        try:
            connection.request(method, path, body, {
                "Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            said = answer.read()
        finally:
            connection.close()
        self.assertEqual(answer.status, 200, said)
        return said

    def take_all(self, engine, count):
        """Polls and acknowledges so many messages of the queue `work`."""
        taken = 0

        def some():
            nonlocal taken
            found = json.loads(self.ask(engine, "http", "GET",
                                        "/queue/1/work/poll?ttl=30", None, {}))
            if found:
                self.ask(engine, "http", "POST", "/queue/1/work/ack",
                         json.dumps([x["id"] for x in found]).encode(), {})
            taken += len(found)
            return taken >= count
        wait_until(some)


if __name__ == "__main__":
    harness.main()
