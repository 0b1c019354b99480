"""NSQ's HTTP API, and what administrators do with topics and channels. Rows
are those of the case table."""

import json
import unittest

import harness
from harness import wait_until
from nsq_client import mpub_body
from nsq_server import LATE, NsqTest, better, of_depositd


class Publishing(NsqTest):
    def setUp(self):
        super().setUp()
        self.serve(msg_size_max=1000, body_size_max=5000,
                   req_timeout_max=20_000)

    def test_row_h1_what_lacks_something_is_refused(self):
        self.assert_refused(400, "MSG_EMPTY", "POST", "/pub", topic="t")
        self.assert_refused(400, "MISSING_ARG_TOPIC", "POST", "/pub", b"x")
        self.assert_refused(400, "INVALID_TOPIC", "POST", "/pub", b"x",
                            topic="no$name")
        self.assert_refused(405, "METHOD_NOT_ALLOWED", "GET", "/pub",
                            topic="t")
        self.assert_refused(413, "MSG_TOO_BIG", "POST", "/pub", b"x" * 1001,
                            topic="t")
        self.assert_refused(413, "BODY_TOO_BIG", "POST", "/mpub",
                            b"x\n" * 2501, topic="t")
        self.assert_refused(404, "NOT_FOUND", "GET", "/nothing")

    def test_row_h1_a_message_is_published(self):
        self.assertEqual(self.post("/pub", b"one", topic="t"), b"OK")
        client = self.consumer("t", rdy=1)
        self.assertEqual(client.message().body, b"one")

    def test_row_h2_lines_are_messages(self):
        self.assertEqual(self.post("/mpub", b"a\nb\n\nc\n", topic="lines"),
                         b"OK")
        client = self.consumer("lines", rdy=10)
        self.assertEqual({x.body for x in client.messages(3)},
                         {b"a", b"b", b"c"})
        self.becomes("lines", depth=0, in_flight_count=3)

    def test_row_h3_binary_bodies_are_as_in_mpub(self):
        sent = [b"with\na line", b"b", bytes(range(256))]
        self.post("/mpub", mpub_body(sent), topic="bytes", binary="true")
        client = self.consumer("bytes", rdy=10)
        self.assertEqual(sorted(x.body for x in client.messages(3)),
                         sorted(sent))

    def test_row_h3_a_wrong_binary_body_leaves_nothing(self):
        self.consumer("bytes")
        status, _, _ = self.call("POST", "/mpub", b"\x00\x00\x00\x02"
                                 + mpub_body([b"x"])[4:], topic="bytes",
                                 binary="true")
        self.assertIn(status, (400, 406, 413))
        self.post("/pub", b"x", topic="bytes")
        self.becomes("bytes", depth=1)

    def test_row_h4_a_message_for_later(self):
        self.consumer("later")
        self.post("/pub", b"x", topic="later", defer="1000")
        self.becomes("later", deferred_count=1, depth=0)
        self.becomes("later", deferred_count=0, depth=1)
        for defer in ("20001", "-1", "soon"):
            self.assert_refused(400, "INVALID_DEFER", "POST", "/pub", b"x",
                                topic="later", defer=defer)


class Telling(NsqTest):
    def test_row_h5_all_topics_and_channels_are_told(self):
        self.serve()
        names = [f"t{n}" for n in range(5)]
        for name in names:
            for n in range(5):
                self.create(name, f"c{n}")
            self.post("/mpub", b"1\n2\n3\n4\n5", topic=name)
        for name in names:
            for n in range(5):
                found = self.becomes(name, f"c{n}", depth=5, message_count=5,
                                     in_flight_count=0, deferred_count=0,
                                     client_count=0)
                self.assertFalse(found["paused"])
            found = self.topic(name)
            self.assertEqual((found["message_count"], found["paused"]),
                             (5, False))
            self.assertEqual(found["message_bytes"], 5)
        self.assertEqual([x["topic_name"] for x in self.stats()["topics"]],
                         names)

    def test_row_h5_stats_are_filtered(self):
        self.serve()
        for name in ("one", "two"):
            for channel in ("a", "b"):
                self.create(name, channel)
        self.consumer("one", "a")
        found = self.stats(topic="one")["topics"]
        self.assertEqual([x["topic_name"] for x in found], ["one"])
        [found] = self.stats(topic="one", channel="a")["topics"]
        self.assertEqual([x["channel_name"] for x in found["channels"]],
                         ["a"])
        self.assertEqual(len(found["channels"][0]["clients"]), 1)
        [found] = self.stats(topic="one", channel="a",
                             include_clients="false")["topics"]
        self.assertFalse(found["channels"][0]["clients"])
        self.assertEqual(found["channels"][0]["client_count"], 1)
        self.assertFalse(self.stats(topic="none")["topics"])

    def test_row_h5_stats_name_the_clients(self):
        self.serve()
        client = self.connect({"client_id": "worker-1", "hostname": "here",
                               "user_agent": "made-up/1"})
        client.sub("told", "ch").rdy(7)
        client.pub("told", b"x")
        client.message()
        self.becomes("told", in_flight_count=1)
        [found] = self.channel("told")["clients"]
        for key, value in {"client_id": "worker-1", "hostname": "here",
                           "user_agent": "made-up/1", "state": 3,
                           "ready_count": 7, "in_flight_count": 1,
                           "message_count": 1, "finish_count": 0,
                           "requeue_count": 0, "tls": False, "snappy": False,
                           "deflate": False}.items():
            self.assertEqual(found[key], value, key)
        self.assertRegex(found["remote_address"], r"^127\.0\.0\.1:\d+$")

    def test_row_h5_stats_as_text(self):
        self.serve()
        self.create("text", "ch")
        status, _, text = self.call("GET", "/stats")
        self.assertEqual(status, 200)
        for part in (b"Health: OK", b"[text", b"[ch"):
            self.assertIn(part, text)

    def test_ping_and_info(self):
        self.serve()
        self.assertEqual(self.call("GET", "/ping")[::2], (200, b"OK"))
        status, headers, text = self.call("GET", "/info")
        self.assertEqual(status, 200)
        self.assertIn("nsq", headers["X-NSQ-Content-Type"])
        told = json.loads(text)
        tcp, http = (self.server.ready[x].rsplit(":", 1)[1]
                     for x in ("nsq", "nsq_http"))
        self.assertEqual((told["tcp_port"], told["http_port"]),
                         (int(tcp), int(http)))
        for key in ("version", "broadcast_address", "hostname", "start_time"):
            self.assertIn(key, told)

    @of_depositd
    def test_lookups_are_answered_without_another_program(self):
        self.serve()
        self.create("found", "ch")
        _, _, text = self.call("GET", "/lookup", topic="found")
        told = json.loads(text)
        self.assertEqual(told["channels"], ["ch"])
        [producer] = told["producers"]
        self.assertEqual(str(producer["tcp_port"]),
                         self.server.ready["nsq"].rsplit(":", 1)[1])
        self.assert_refused(404, "TOPIC_NOT_FOUND", "GET", "/lookup",
                            topic="nothing")
        _, _, text = self.call("GET", "/topics")
        self.assertEqual(json.loads(text), {"topics": ["found"]})
        _, _, text = self.call("GET", "/channels", topic="found")
        self.assertEqual(json.loads(text), {"channels": ["ch"]})
        _, _, text = self.call("GET", "/nodes")
        [node] = json.loads(text)["producers"]
        self.assertEqual(node["topics"], ["found"])


class Administration(NsqTest):
    def setUp(self):
        super().setUp()
        self.serve(msg_timeout=60_000)

    def test_row_h7_what_is_not_there_is_named(self):
        self.post("/topic/create", topic="there")
        self.assert_refused(404, "TOPIC_NOT_FOUND", "POST",
                            "/channel/create", topic="nowhere", channel="ch")
        for action in ("pause", "unpause", "empty", "delete"):
            with self.subTest(action):
                self.assert_refused(404, "TOPIC_NOT_FOUND", "POST",
                                    "/topic/" + action, topic="nowhere")
                self.assert_refused(404, "TOPIC_NOT_FOUND", "POST",
                                    "/channel/" + action, topic="nowhere",
                                    channel="ch")
                self.assert_refused(404, "CHANNEL_NOT_FOUND", "POST",
                                    "/channel/" + action, topic="there",
                                    channel="ch")

    def test_row_h7_what_is_missing_or_no_name_is_named(self):
        for action in ("create", "pause", "unpause", "empty", "delete"):
            with self.subTest(action):
                self.assert_refused(400, "MISSING_ARG_TOPIC", "POST",
                                    "/topic/" + action)
                self.assert_refused(400, "MISSING_ARG_TOPIC", "POST",
                                    "/channel/" + action)
                self.assert_refused(400, "MISSING_ARG_CHANNEL", "POST",
                                    "/channel/" + action, topic="t")
                self.assert_refused(400, "INVALID_ARG_TOPIC", "POST",
                                    "/channel/" + action, topic="no$",
                                    channel="c")
                self.assert_refused(400, "INVALID_ARG_CHANNEL", "POST",
                                    "/channel/" + action, topic="t",
                                    channel="no$")

    def test_topics_are_created_once_and_deleted(self):
        for _ in range(2):
            self.create("new", "ch")
        self.assertEqual(len(self.stats()["topics"]), 1)
        self.post("/channel/delete", topic="new", channel="ch")
        self.assertEqual(self.topic("new")["channels"], [])
        self.post("/topic/delete", topic="new")
        self.assertIsNone(self.topic("new"))

    def test_row_a1_a_paused_channel_hands_nothing_out(self):
        client = self.consumer("paused", rdy=5)
        client.pub("paused", b"before")
        found = client.message()
        self.post("/channel/pause", topic="paused", channel="ch")
        self.assertTrue(self.channel("paused")["paused"])
        client.pub("paused", b"while")
        self.becomes("paused", depth=1)
        client.fin(found)
        self.becomes("paused", depth=1, in_flight_count=0)
        self.assert_quiet(client, 1)
        self.post("/channel/unpause", topic="paused", channel="ch")
        self.assertEqual(client.message().body, b"while")

    def test_row_a2_a_paused_topic_keeps_what_it_gets(self):
        client = self.consumer("held", rdy=5)
        self.post("/topic/pause", topic="held")
        for _ in range(3):
            client.pub("held", b"x")
        self.topic_becomes("held", depth=3, paused=True)
        self.becomes("held", depth=0)
        self.assert_quiet(client, 1)
        self.post("/topic/unpause", topic="held")
        self.assertEqual(len(client.messages(3)), 3)
        self.topic_becomes("held", depth=0, paused=False)

    def test_row_a3_what_is_paused_stays_so(self):
        self.create("stays", "ch")
        self.post("/channel/pause", topic="stays", channel="ch")
        self.post("/topic/create", topic="halted")
        self.post("/topic/pause", topic="halted")
        for how in ("kill", "stop"):
            self.restart(how)
            self.assertTrue(self.channel("stays")["paused"])
            self.assertFalse(self.topic("stays")["paused"])
            self.assertTrue(self.topic("halted")["paused"])

    def test_row_a4_emptying_a_channel_takes_everything(self):
        client = self.consumer("empty", rdy=25)
        client.mpub("empty", [b"x"] * 30)
        found = client.messages(25)
        client.dpub("empty", 60_000, b"deferred")
        self.becomes("empty", depth=5, in_flight_count=25, deferred_count=1)
        client.rdy(0)
        self.post("/channel/empty", topic="empty", channel="ch")
        self.becomes("empty", depth=0, in_flight_count=0, deferred_count=0)
        # Its connection is told after the commit.
        wait_until(lambda: self.channel("empty")["clients"][0]
                   ["in_flight_count"] == 0)
        client.fin(found[0])
        self.assert_error(client, "E_FIN_FAILED", closes=False)

    def test_row_a5_emptying_a_topic_leaves_its_channels(self):
        self.post("/topic/create", topic="drain")
        self.post("/mpub", b"1\n2\n3", topic="drain")
        self.topic_becomes("drain", depth=3)
        self.post("/topic/empty", topic="drain")
        self.topic_becomes("drain", depth=0)
        self.create("drain", "ch")
        self.post("/mpub", b"1\n2\n3", topic="drain")
        self.becomes("drain", depth=3)
        self.post("/topic/empty", topic="drain")
        self.becomes("drain", depth=3)

    @better
    def test_row_a5_emptying_a_topic_says_what_remains(self):
        self.create("drain", "ch")
        self.post("/mpub", b"1\n2\n3", topic="drain")
        self.becomes("drain", depth=3)
        status, headers, _ = self.call("POST", "/topic/empty", b"",
                                       topic="drain")
        self.assertEqual(
            (status, headers["X-Depositd-Messages-In-Channels"]), (200, "3"))
        told = self.server.ctl("topic", "empty", "drain", "--yes")
        self.assertRegex(told, r"\b3\b")
        self.becomes("drain", depth=3)

    def test_row_a6_deleting_a_channel_ends_its_consumers(self):
        client = self.consumer("cut", rdy=1)
        client.mpub("cut", [b"x"] * 5)
        client.message()
        self.post("/channel/delete", topic="cut", channel="ch")
        self.assertTrue(client.closes())
        self.assertIsNone(self.channel("cut"))
        fresh = self.consumer("cut", rdy=1)
        self.assert_quiet(fresh, 1)

    def test_row_a6_deleting_a_topic_ends_its_consumers(self):
        clients = [self.consumer("cut", name) for name in ("a", "b")]
        self.post("/topic/delete", topic="cut")
        for client in clients:
            self.assertTrue(client.closes())
        self.assertIsNone(self.topic("cut"))

    def make_some(self):
        names = [(f"t{n}", f"c{m}") for n in range(3) for m in range(2)]
        for topic, channel in names:
            self.create(topic, channel)
        for n in range(3):
            self.post("/mpub", b"1\n2", topic=f"t{n}")
        for topic, channel in names:
            self.becomes(topic, channel, depth=2)
        return names

    def test_row_a7_all_are_paused_unpaused_and_emptied(self):
        names = self.make_some()
        for action, key, value in (("pause", "paused", True),
                                   ("unpause", "paused", False),
                                   ("empty", "depth", 0)):
            for topic, channel in names:
                self.post("/channel/" + action, topic=topic, channel=channel)
            for topic, channel in names:
                self.becomes(topic, channel, **{key: value})

    @of_depositd
    def test_row_a7_one_command_is_for_all(self):
        names = self.make_some()
        for action, key, value in (("pause", "paused", True),
                                   ("unpause", "paused", False),
                                   ("empty", "depth", 0)):
            self.server.ctl("channel", action, "--all", "--yes")
            for topic, channel in names:
                self.becomes(topic, channel, **{key: value})
        refused = self.server.ctl_result("channel", "pause", "t0", "nowhere")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("nowhere", refused.stderr)

    @of_depositd
    def test_where_others_can_come_keys_administer(self):
        self.server.kill()
        self.serve({"nsq.http.listen": "0.0.0.0:0"}, data="keys")
        port = self.server.ready["nsq_http"].rsplit(":", 1)[1]
        self.server.ready["nsq_http"] = "127.0.0.1:" + port
        status, _, _ = self.call("POST", "/topic/create", topic="t")
        self.assertEqual(status, 401)
        wait_until(lambda: self.call("GET", "/ping")[0] == 200, LATE)


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
