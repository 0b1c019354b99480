"""NSQ's protocol V2 over sockets: what is agreed on, what is refused and with
which words. Rows are those of the case table; docs/testing/programs.md has
them all."""

import json
import socket
import ssl
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

import harness
from authority import Authority
from gauges import resident_mb
from nsq_client import Refused, mpub_body
from nsq_server import NsqTest, better, of_depositd

MISSING = "0" * 16  # an id that no message has


class Negotiation(NsqTest):
    def test_row_q01_identify_tells_the_limits(self):
        self.serve(rdy_max=50, msg_timeout=7000, msg_timeout_max=9000)
        told = self.connect().told
        self.assertEqual(told["max_rdy_count"], 50)
        self.assertEqual(told["msg_timeout"], 7000)
        self.assertEqual(told["max_msg_timeout"], 9000)
        self.assertFalse(told["auth_required"])
        for key in ("version", "tls_v1", "deflate", "deflate_level",
                    "max_deflate_level", "snappy", "sample_rate",
                    "output_buffer_size", "output_buffer_timeout"):
            self.assertIn(key, told)

    def test_row_q01_without_negotiation_it_is_ok(self):
        self.serve()
        self.assertEqual(
            self.connect({"feature_negotiation": False}).told, {})

    def test_row_q01_wishes_within_limits_are_granted(self):
        self.serve()
        told = self.connect({"msg_timeout": 2000, "sample_rate": 5,
                             "output_buffer_size": 4096,
                             "output_buffer_timeout": 100}).told
        self.assertEqual((told["msg_timeout"], told["sample_rate"],
                          told["output_buffer_size"],
                          told["output_buffer_timeout"]),
                         (2000, 5, 4096, 100))

    def test_row_q02_another_magic_is_refused(self):
        self.serve()
        for magic in (b"  V3", b"GET ", b"\x16\x03\x01\x02"):
            with self.subTest(magic):
                self.assert_error(self.bare(magic=magic), "E_BAD_PROTOCOL")

    @of_depositd
    def test_who_says_who_it_is_without_end_is_not_read_ahead(self):
        self.serve()
        client = socket.create_connection(self.tcp())
        self.addCleanup(client.close)
        client.sendall(b"  V2")
        client.settimeout(0.2)
        flood = b"IDENTIFY\n\0\0\0\x02{}" * 20_000
        before, sent = resident_mb(self.server.process.pid), 0
        until = time.monotonic() + 3
        while sent < 300_000_000 and time.monotonic() < until:
            try:
                sent += client.send(flood)
            except TimeoutError:
                pass
        self.assertLess(resident_mb(self.server.process.pid), before + 64)

    def test_row_q05_heartbeats_end_at_their_maximum(self):
        self.serve(heartbeat_max=30000)
        self.connect({"heartbeat_interval": 30000})
        for interval in (30001, 999):
            client = self.bare()
            client.command("IDENTIFY", body=json.dumps(
                {"heartbeat_interval": interval}).encode())
            self.assert_error(client, "E_BAD_BODY", interval)

    def test_row_q06_message_timeouts_end_at_their_maximum(self):
        self.serve(msg_timeout_max=100_000)
        self.connect({"msg_timeout": 100_000})
        client = self.bare()
        client.command("IDENTIFY", body=b'{"msg_timeout":100001}')
        self.assert_error(client, "E_BAD_BODY", 100001)

    def test_row_q05_other_wishes_out_of_range_are_refused(self):
        self.serve()
        for key, value in (("sample_rate", 100), ("sample_rate", -1),
                           ("output_buffer_size", 63),
                           ("output_buffer_size", 10_000_000),
                           ("output_buffer_timeout", 24)):
            with self.subTest(key, value=value):
                client = self.bare()
                client.command("IDENTIFY",
                               body=json.dumps({key: value}).encode())
                self.assert_error(client, "E_BAD_BODY")

    def test_identify_that_is_no_object_is_refused(self):
        self.serve()
        for body in (b"", b"{", b"[]", b"nonsense", b'{"msg_timeout":"x"}'):
            with self.subTest(body):
                client = self.bare()
                client.command("IDENTIFY", body=body)
                self.assert_error(client, "E_BAD_BODY")

    def test_row_q36_two_compressions_are_one_too_many(self):
        self.serve()
        client = self.bare()
        client.command("IDENTIFY", body=json.dumps(
            {"feature_negotiation": True, "snappy": True,
             "deflate": True}).encode())
        self.assert_error(client, "E_IDENTIFY_FAILED")


class Commands(NsqTest):
    def test_row_q03_an_unknown_word_ends_the_connection(self):
        self.serve()
        client = self.bare()
        client.send(b"ASDF\n")
        self.assert_error(client, "E_INVALID", "ASDF")

    def test_row_q04_empty_lines_harm_nobody(self):
        self.serve()
        other = self.connect()
        client = self.bare()
        client.send(b"\n\n")
        self.assert_error(client, "E_INVALID")
        self.assert_alive(other)
        self.assert_alive(self.connect())

    def test_a_carriage_return_before_the_end_of_a_line_is_taken(self):
        self.serve()
        client = self.bare()
        client.send(b"PUB returns\r\n\x00\x00\x00\x01x")
        self.assertEqual(client.answer(), b"OK")

    def test_row_q07_who_wants_no_heartbeats_may_only_publish(self):
        self.serve()
        client = self.connect({"heartbeat_interval": -1})
        client.pub("quiet", b"x")
        client.command("SUB", "quiet", "ch")
        self.assert_error(client, "E_INVALID", "heartbeats")

    def test_row_q08_a_connection_subscribes_once(self):
        self.serve()
        first = self.consumer("once")
        first.command("SUB", "once", "other")
        self.assert_error(first, "E_INVALID", "SUB")
        second = self.consumer("once")
        second.command("IDENTIFY", body=b"{}")
        self.assert_error(second, "E_INVALID", "IDENTIFY")

    def test_row_q09_commands_of_consumers_need_a_subscription(self):
        self.serve()
        for words in (("RDY", 1), ("FIN", MISSING), ("CLS",),
                      ("TOUCH", MISSING), ("REQ", MISSING, 0)):
            with self.subTest(words):
                client = self.connect()
                client.command(*words)
                self.assert_error(client, "E_INVALID", words[0])

    def names(self):
        """(name, whether it is one)"""
        return (("a" * 64, True), ("a" * 65, False), ("money$", False),
                ("", False), ("b#ephemeral", True), ("c#other", False),
                ("A.b_c-9", True), ("#ephemeral", False),
                ("d" * 54 + "#ephemeral", True),
                ("d" * 55 + "#ephemeral", False))

    def test_row_q10_names_of_topics(self):
        self.serve()
        for name, good in self.names():
            with self.subTest(name):
                client = self.connect()
                client.command("PUB", name, body=b"x")
                if good:
                    self.assertEqual(client.answer(), b"OK")
                else:
                    self.assert_error(client, "E_BAD_TOPIC")
                client = self.connect()
                client.command("SUB", name, "ch")
                if good:
                    self.assertEqual(client.answer(), b"OK")
                else:
                    self.assert_error(client, "E_BAD_TOPIC")

    def test_row_q10_names_of_channels(self):
        self.serve()
        for name, good in self.names():
            with self.subTest(name):
                client = self.connect()
                client.command("SUB", "channels", name)
                if good:
                    self.assertEqual(client.answer(), b"OK")
                else:
                    self.assert_error(client, "E_BAD_CHANNEL")

    def test_commands_without_their_words_are_refused(self):
        self.serve()
        for line in (b"PUB\n", b"MPUB\n", b"DPUB topic\n", b"SUB topic\n"):
            with self.subTest(line):
                client = self.connect()
                client.send(line)
                self.assert_error(client, "E_INVALID")

    def test_row_q13_rdy_ends_at_its_maximum(self):
        self.serve(rdy_max=50)
        for count in (51, -1, "many"):
            with self.subTest(count):
                client = self.consumer("ready", rdy=50)
                client.rdy(count)
                text = self.assert_error(client, "E_INVALID")
                if count == 51:
                    self.assertIn("51", text)
                    self.assertIn("50", text)

    def test_row_q16_a_malformed_id_ends_the_connection(self):
        self.serve()
        for word in ("FIN", "TOUCH"):
            for text in ("1", "0" * 15, "0" * 17):
                with self.subTest(word, text=text):
                    client = self.consumer("ids")
                    client.command(word, text)
                    self.assertEqual(self.assert_error(client, "E_INVALID"),
                                     "E_INVALID invalid message ID")

    def test_row_q15_an_id_of_no_message_is_said_and_harmless(self):
        self.serve()
        client = self.consumer("ids")
        for words, code in ((("FIN", MISSING), "E_FIN_FAILED"),
                            (("REQ", MISSING, 0), "E_REQ_FAILED"),
                            (("TOUCH", MISSING), "E_TOUCH_FAILED")):
            client.command(*words)
            self.assert_error(client, code, MISSING, closes=False)

    def test_row_q23_a_delay_must_be_a_number(self):
        self.serve()
        for delay in (-1, "soon"):
            client = self.consumer("delays", rdy=1)
            client.pub("delays", b"x")
            client.req(client.message(), delay)
            self.assert_error(client, "E_INVALID", delay)

    def test_row_q24_a_delay_beyond_the_limit_is_refused(self):
        self.serve(req_timeout_max=20_000)
        client = self.connect()
        client.dpub("later", 20_000, b"x")
        client.command("DPUB", "later", 20_100, body=b"y")
        self.assert_error(client, "E_INVALID", 20_100, 20_000)


class Sizes(NsqTest):
    def setUp(self):
        super().setUp()
        self.serve(msg_size_max=100, body_size_max=1000)
        self.connect().sub("sizes", "ch").close()

    def refused(self, code, word, body):
        client = self.connect()
        client.command(word, "sizes", body=body)
        self.assert_error(client, code)

    def test_row_q25_bodies_of_messages(self):
        self.connect().pub("sizes", b"x" * 95)
        self.connect().pub("sizes", b"x" * 100)
        self.refused("E_BAD_MESSAGE", "PUB", b"x" * 105)
        self.refused("E_BAD_MESSAGE", "PUB", b"")
        self.becomes("sizes", depth=2)

    def test_row_q25_bodies_of_many_messages(self):
        self.connect().mpub("sizes", [b"x" * 100] * 5)
        self.refused("E_BAD_BODY", "MPUB", mpub_body([b"x" * 100] * 11))
        self.refused("E_BAD_MESSAGE", "MPUB", mpub_body([b"x", b"", b"y"]))
        self.refused("E_BAD_MESSAGE", "MPUB", mpub_body([b"x", b"y" * 101]))
        # Nothing of a bad one was kept.
        self.connect().pub("sizes", b"last")
        self.becomes("sizes", depth=6)

    def lies(self, *bodies):
        for body in bodies:
            with self.subTest(body):
                client = self.connect()
                client.command("MPUB", "sizes", body=body)
                text = client.error()
                self.assertIn(text.split(" ")[0],
                              ("E_BAD_BODY", "E_BAD_MESSAGE"), text)
                self.assertTrue(client.closes())

    def test_row_q25_counts_that_lie_are_refused(self):
        self.lies(b"", b"\x00\x00\x00\x00", b"\xff\xff\xff\xff")

    @better
    def test_row_q25_counts_that_lie_are_not_waited_for(self):
        self.lies(b"\x00\x00",
                  b"\x00\x00\x00\x02" + mpub_body([b"x"])[4:])

    def test_a_length_below_zero_is_refused(self):
        client = self.connect()
        client.send(b"PUB sizes\n\xff\xff\xff\xff")
        self.assert_error(client, "E_BAD_MESSAGE")

    def test_what_is_sent_by_halves_is_not_taken(self):
        client = self.connect()
        client.send(b"PUB sizes\n\x00\x00\x00\x0axxxx")
        client.close()
        self.connect().pub("sizes", b"whole")
        self.becomes("sizes", depth=1)


class Layers(NsqTest):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)
        self.authority.issue("localhost")
        self.pair = {"certificate": self.authority.file("localhost", "pem"),
                     "key": self.authority.file("localhost", "key")}

    def context(self):
        context = ssl.create_default_context(
            cafile=self.authority.file("ca", "pem"))
        context.check_hostname = False
        return context

    def through(self, fields, **more):
        """Publishes and consumes over such a connection."""
        client = self.connect(fields, **more).sub("layers", "ch")
        client.rdy(1)
        for size in (1, 100_000, 1_000_000):
            client.pub("layers", b"x" * size)
            found = client.message()
            self.assertEqual(len(found.body), size)
            client.fin(found)
        self.assertEqual(client.confirm("confirm"), [])
        return client

    def test_plain(self):
        self.serve()
        self.through({})

    def test_deflate(self):
        self.serve()
        told = self.through({"deflate": True, "deflate_level": 9}).told
        self.assertTrue(told["deflate"])
        self.assertEqual(told["deflate_level"], 6)  # the most that is done

    def test_tls_and_deflate_over_it(self):
        self.serve(**self.pair)
        for more in ({}, {"deflate": True}):
            client = self.connect(
                {**more, "tls": self.context()}).sub("tls", "ch")
            client.rdy(1)
            client.pub("tls", b"y" * 50_000)
            client.fin(client.message())
            self.assertEqual(client.confirm("confirm"), [])
            found = self.channel("tls")["clients"][0]
            self.assertTrue(found["tls"])
            self.assertTrue(found["tls_version"])
            self.assertEqual(found["deflate"], bool(more))
            client.close()
            self.becomes("tls", client_count=0)

    def test_row_q35_before_tls_nothing_else_goes_where_it_is_required(self):
        self.serve(**self.pair, tls_required=True)
        client = self.bare()
        client.command("PUB", "secret", body=b"x")
        self.assert_error(client, "E_INVALID")
        client = self.connect({"tls": self.context()})
        client.pub("secret", b"x")
        with self.assertRaises((Refused, AssertionError)):
            self.connect().pub("secret", b"x")


class AuthServer(BaseHTTPRequestHandler):
    def do_GET(self):
        secret = self.path.split("secret=")[-1].split("&")[0]
        if secret == "unknown":
            self.send_response(403)
            self.end_headers()
            return
        permits = {"none": [], "all": [
            {"topic": ".*", "channels": [".*"],
             "permissions": ["subscribe", "publish"]}],
            "one": [{"topic": "^mine$", "channels": ["^ch$"],
                     "permissions": ["subscribe"]},
                    {"topic": "^mine$", "channels": [".*"],
                     "permissions": ["publish"]}]}[secret]
        body = json.dumps({"ttl": 60, "identity": "who-" + secret,
                           "identity_url": "http://127.0.0.1/who",
                           "authorizations": permits}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Authentication(NsqTest):
    def ask_somebody(self):
        server = HTTPServer(("127.0.0.1", 0), AuthServer)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.serve(auth_address=f"127.0.0.1:{server.server_port}")

    def auth_error(self, secret):
        client = self.connect()
        client.command("AUTH", body=secret)
        return client

    def test_row_q34_who_shows_nothing_is_asked_for_it_first(self):
        self.ask_somebody()
        client = self.connect()
        self.assertTrue(client.told["auth_required"])
        client.command("SUB", "mine", "ch")
        self.assert_error(client, "E_AUTH_FIRST")
        client = self.connect()
        client.command("PUB", "mine", body=b"x")
        self.assert_error(client, "E_AUTH_FIRST")

    def test_row_q34_who_may_nothing_is_refused(self):
        self.ask_somebody()
        self.assert_error(self.auth_error(b"none"), "E_UNAUTHORIZED",
                          "AUTH no authorizations found")
        self.assert_error(self.auth_error(b"unknown"), "E_AUTH_FAILED")

    def test_row_q34_who_may_works(self):
        self.ask_somebody()
        client = self.connect()
        told = client.auth("all")
        self.assertEqual(told["identity"], "who-all")
        self.assertEqual(told["identity_url"], "http://127.0.0.1/who")
        self.assertEqual(told["permission_count"], 1)
        client.sub("mine", "ch").rdy(1)
        client.pub("mine", b"x")
        client.fin(client.message())
        self.assertEqual(client.confirm("confirm"), [])
        found = self.channel("mine")["clients"][0]
        self.assertTrue(found["authed"])
        self.assertEqual(found["auth_identity"], "who-all")

    def test_row_q34_permits_name_topics_and_channels(self):
        self.ask_somebody()
        client = self.connect()
        client.auth("one")
        client.pub("mine", b"x")
        client.command("PUB", "other", body=b"x")
        self.assert_error(client, "E_UNAUTHORIZED")
        for topic, channel in (("mine", "other"), ("other", "ch")):
            client = self.connect()
            client.auth("one")
            client.command("SUB", topic, channel)
            self.assert_error(client, "E_UNAUTHORIZED")

    def test_row_q34_nonsense_is_refused_where_nobody_needs_auth(self):
        self.serve()
        self.assert_error(self.auth_error(b"all"), "E_AUTH_DISABLED",
                          "AUTH disabled")

    @of_depositd
    def test_a_key_is_a_secret_where_others_can_come(self):
        self.serve({"nsq.listen": "0.0.0.0:0"})
        port = self.server.ready["nsq"].rsplit(":", 1)[1]
        self.server.ready["nsq"] = "127.0.0.1:" + port
        key = self.server.ask(
            "key", "add", "worker", "--permit", "queue|post|nsq/mine",
            "--permit", "queue|poll|nsq/mine/ch")["key"]
        client = self.connect()
        self.assertTrue(client.told["auth_required"])
        client.command("PUB", "mine", body=b"x")
        self.assert_error(client, "E_AUTH_FIRST")
        self.assert_error(self.auth_error(b"nonsense-of-a-key"),
                          "E_AUTH_FAILED")
        client = self.connect()
        client.auth(key)
        client.sub("mine", "ch").rdy(1)
        client.pub("mine", b"x")
        client.fin(client.message())
        client.command("PUB", "other", body=b"x")
        self.assert_error(client, "E_UNAUTHORIZED")


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
