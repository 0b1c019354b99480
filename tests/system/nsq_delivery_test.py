"""How NSQ's messages reach consumers: windows, timeouts, requeueing, delays,
channels, heartbeats. Rows are those of the case table."""

import time
import unittest

import harness
from harness import wait_until
from nsq_client import MESSAGE, Closed, Refused
from nsq_server import LATE, NsqTest, better


class Windows(NsqTest):
    def setUp(self):
        super().setUp()
        self.serve()

    def test_row_q11_nothing_is_sent_before_somebody_is_ready(self):
        client = self.consumer("ready")
        client.pub("ready", b"x")
        self.becomes("ready", depth=1, in_flight_count=0)
        self.assert_quiet(client, 0.5)
        client.rdy(1)
        found = client.message()
        self.assertEqual((found.body, found.attempts), (b"x", 1))
        self.assertRegex(found.id, "^[0-9a-f]{16}$")
        self.assertLess(abs(found.timestamp / 1e9 - time.time()), 60)

    def test_row_q12_rdy_is_a_window(self):
        client = self.consumer("window")
        client.mpub("window", [b"%d" % n for n in range(10)])
        client.rdy(3)
        first = client.messages(3)
        self.assert_quiet(client, 0.5)
        self.becomes("window", depth=7, in_flight_count=3)
        client.fin(first[1])
        client.message()
        self.assert_quiet(client, 0.5)
        self.becomes("window", depth=6, in_flight_count=3)

    def test_row_q12_rdy_0_pauses_a_consumer(self):
        client = self.consumer("pause", rdy=1)
        client.pub("pause", b"x")
        found = client.message()
        client.rdy(0)
        client.fin(found)
        client.pub("pause", b"y")
        self.assert_quiet(client, 0.5)
        client.rdy(1)
        self.assertEqual(client.message().body, b"y")

    def test_row_q14_a_finished_message_is_gone_and_counted(self):
        client = self.consumer("finish", rdy=1)
        client.pub("finish", b"x")
        found = client.message()
        self.becomes("finish", in_flight_count=1)
        client.fin(found)
        seen = self.becomes("finish", in_flight_count=0, depth=0)
        self.assertEqual(seen["clients"][0]["finish_count"], 1)
        self.assertEqual(seen["clients"][0]["in_flight_count"], 0)
        self.assertEqual(seen["message_count"], 1)
        self.assert_quiet(client, 0.5)

    def test_row_q15_only_the_owner_finishes(self):
        owner = self.consumer("owner", rdy=1)
        other = self.consumer("owner")
        owner.pub("owner", b"x")
        found = owner.message()
        for word, code in (("FIN", "E_FIN_FAILED"),
                           ("TOUCH", "E_TOUCH_FAILED")):
            other.command(word, found.id)
            self.assert_error(other, code, found.id, closes=False)
        other.req(found)
        self.assert_error(other, "E_REQ_FAILED", found.id, closes=False)
        owner.fin(found)
        self.assertEqual(owner.confirm("confirm"), [])
        owner.fin(found)
        self.assert_error(owner, "E_FIN_FAILED", closes=False)

    def test_row_q28_who_closes_may_still_finish(self):
        client = self.consumer("closing", rdy=2)
        client.pub("closing", b"x")
        found = client.message()
        client.command("CLS")
        self.assertEqual(client.answer(), b"CLOSE_WAIT")
        self.connect().pub("closing", b"y")
        self.assert_quiet(client, 0.5)
        client.rdy(5)  # too late, and no error
        client.fin(found)
        self.assertEqual(client.confirm("confirm"), [])
        self.becomes("closing", depth=1, in_flight_count=0)

    def test_one_consumer_gets_them_in_their_order(self):
        client = self.consumer("order", rdy=1)
        client.mpub("order", [b"%d" % n for n in range(50)])
        for n in range(50):
            found = client.message()
            self.assertEqual(found.body, b"%d" % n)
            client.fin(found)


class Timeouts(NsqTest):
    def test_row_q17_a_message_without_an_answer_comes_again(self):
        self.serve()
        client = self.consumer("slow", msg_timeout=1000)
        client.pub("slow", b"x")
        began = time.monotonic()
        client.rdy(1)
        first = client.message()
        again = client.message()
        self.assert_due(began, 1)
        self.assertEqual((again.id, again.attempts), (first.id, 2))
        seen = self.becomes("slow", timeout_count=1)
        self.assertEqual(seen["requeue_count"], 0)
        self.assertEqual(seen["message_count"], 1)

    def test_row_q18_who_was_too_late_is_told(self):
        self.serve()
        late = self.consumer("late", msg_timeout=1000)
        late.pub("late", b"x")
        late.rdy(1)
        found = late.message()
        late.rdy(0)
        other = self.consumer("late", rdy=1)
        self.assertEqual(other.message().attempts, 2)
        late.fin(found)
        self.assert_error(late, "E_FIN_FAILED", found.id, closes=False)
        late.touch(found)
        self.assert_error(late, "E_TOUCH_FAILED", found.id, closes=False)
        late.req(found)
        self.assert_error(late, "E_REQ_FAILED", found.id, closes=False)
        other.fin(found)
        self.assertEqual(other.confirm("confirm"), [])

    def test_row_q19_touch_gives_more_time(self):
        self.serve(msg_timeout=3000)
        client = self.consumer("touch", rdy=1)
        client.pub("touch", b"x")
        found = client.message()
        self.assert_quiet(client, 1.5)
        client.touch(found)
        self.assert_quiet(client, 2)
        client.fin(found)
        self.assertEqual(client.confirm("confirm"), [])
        self.becomes("touch", in_flight_count=0, depth=0, timeout_count=0)

    def test_row_q20_touch_ends_at_the_maximum(self):
        self.serve(msg_timeout=1000, msg_timeout_max=3000)
        client = self.consumer("for-ever")
        client.pub("for-ever", b"x")
        began = time.monotonic()
        client.rdy(1)
        first = client.message()
        again = None
        while again is None and time.monotonic() < began + 3 + LATE:
            client.touch(first)
            try:
                again = client.message_or_none(0.3)
            except Refused as why:
                # It ended while the touch was on its way.
                self.assertIn("E_TOUCH_FAILED", str(why))
        self.assertIsNotNone(again)
        self.assertEqual(again.attempts, 2)
        self.assert_due(began, 3)

    def test_row_q20_touch_brings_no_deadline_nearer(self):
        self.serve(msg_timeout=1000, msg_timeout_max=3000)
        client = self.consumer("nearer", msg_timeout=3000)
        client.pub("nearer", b"x")
        began = time.monotonic()
        client.rdy(1)
        client.touch(client.message())
        self.assertEqual(client.message().attempts, 2)
        self.assert_due(began, 3)

    def test_row_q31_what_a_dead_consumer_had_comes_again(self):
        self.serve()
        dying = self.consumer("death", rdy=1, msg_timeout=1000)
        dying.pub("death", b"x")
        dying.message()
        other = self.consumer("death", rdy=1)
        dying.close()
        self.assertEqual(other.message().attempts, 2)

    @better
    def test_row_q31_what_a_dead_consumer_had_comes_at_once(self):
        self.serve(msg_timeout=60_000)
        dying = self.consumer("death", rdy=5)
        dying.mpub("death", [b"%d" % n for n in range(5)])
        had = dying.messages(5)
        other = self.consumer("death", rdy=5)
        dying.close()
        found = other.messages(5, timeout=20)
        self.assertEqual({x.id for x in found}, {x.id for x in had})
        self.assertEqual({x.attempts for x in found}, {2})


class Requeueing(NsqTest):
    def test_row_q21_requeued_at_once(self):
        self.serve()
        client = self.consumer("again", rdy=1)
        client.pub("again", b"x")
        first = client.message()
        client.req(first, 0)
        again = client.message()
        self.assertEqual((again.id, again.attempts, again.body),
                         (first.id, 2, b"x"))
        self.assertEqual(again.timestamp, first.timestamp)
        seen = self.becomes("again", requeue_count=1)
        self.assertEqual(seen["clients"][0]["requeue_count"], 1)

    def test_row_q22_requeued_with_a_delay(self):
        self.serve()
        client = self.consumer("later", rdy=1)
        client.pub("later", b"x")
        found = client.message()
        began = time.monotonic()
        client.req(found, 2000)
        self.becomes("later", deferred_count=1, in_flight_count=0, depth=0)
        self.assertEqual(client.message().attempts, 2)
        self.assert_due(began, 2)

    def test_row_q23_a_delay_is_cut_to_the_maximum(self):
        self.serve(req_timeout_max=2000)
        client = self.consumer("cut", rdy=1)
        client.pub("cut", b"x")
        found = client.message()
        began = time.monotonic()
        client.req(found, 60_000)
        client.message()
        self.assert_due(began, 2)

    def test_row_q24_a_message_published_with_a_delay(self):
        self.serve()
        client = self.consumer("delayed", rdy=1)
        began = time.monotonic()
        client.dpub("delayed", 2000, b"x")
        self.becomes("delayed", deferred_count=1, depth=0)
        self.assertEqual(client.message().attempts, 1)
        self.assert_due(began, 2)

    def test_row_q21_attempts_are_counted_on(self):
        self.serve()
        client = self.consumer("count", rdy=1)
        client.pub("count", b"x")
        for attempt in range(1, 20):
            found = client.message()
            self.assertEqual(found.attempts, attempt)
            client.req(found)


class Channels(NsqTest):
    def setUp(self):
        super().setUp()
        self.serve(consumers_max=2)

    def take(self, client, count):
        found = client.messages(count)
        for one in found:
            client.fin(one)
        return {x.body for x in found}

    def test_row_q26_each_channel_gets_all_and_its_consumers_share(self):
        alone = self.consumer("fan", "alone", rdy=20)
        both = [self.consumer("fan", "shared", rdy=1) for _ in range(2)]
        sent = {b"%d" % n for n in range(20)}
        self.connect().mpub("fan", sorted(sent))
        self.assertEqual(self.take(alone, 20), sent)
        found = []
        deadline = time.monotonic() + 20
        while len(found) < 20 and time.monotonic() < deadline:
            for one in both:
                got = one.message_or_none(0.05)
                if got:
                    found.append(got.body)
                    one.fin(got)
        self.assertEqual(sorted(found), sorted(sent))

    def test_row_q27_the_first_channel_gets_what_waited(self):
        client = self.connect()
        for n in range(4):
            client.pub("waiting", b"%d" % n)
        self.topic_becomes("waiting", depth=4)
        self.post("/channel/create", topic="waiting", channel="first")
        self.becomes("waiting", "first", depth=4)
        self.post("/channel/create", topic="waiting", channel="second")
        self.becomes("waiting", "second", depth=0)
        client.pub("waiting", b"5")
        self.becomes("waiting", "second", depth=1)
        self.becomes("waiting", "first", depth=5)
        self.assertEqual(self.topic("waiting")["depth"], 0)

    def test_row_q32_ephemeral_ones_go_with_their_last_consumer(self):
        name = "brief#ephemeral"
        client = self.consumer(name, name, rdy=1)
        second = self.consumer(name, name)
        client.pub(name, b"x")
        client.fin(client.message())
        client.close()
        self.becomes(name, name, client_count=1)
        second.close()
        wait_until(lambda: self.topic(name) is None, 20)

    def test_row_q32_an_ephemeral_channel_leaves_its_topic(self):
        self.consumer("stays", "brief#ephemeral").close()
        wait_until(lambda: self.topic("stays")["channels"] == [], 20)

    def test_row_q33_so_many_consumers_and_no_more(self):
        first = self.consumer("full")
        self.consumer("full")
        third = self.connect()
        third.command("SUB", "full", "ch")
        self.assert_error(third, "E_SUB_FAILED")
        self.consumer("full", "other")
        first.close()
        wait_until(self.subscribed, 20)

    def subscribed(self):
        try:
            return self.consumer("full")
        except (Refused, Closed):
            return None

    def test_row_q38_a_sample_is_taken_and_the_rest_discarded(self):
        client = self.consumer("sample", sample_rate=42)
        sent = 10_000
        for _ in range(sent // 1000):
            client.mpub("sample", [b"x"] * 1000)
        client.rdy(2500)
        got = 0
        quiet_since = time.monotonic()
        while time.monotonic() < quiet_since + 2:
            found = client.message_or_none(0.5)
            if found:
                quiet_since = time.monotonic()
                client.fin(found)
                got += 1
        self.becomes("sample", depth=0, in_flight_count=0)
        # nsqd delivers 43 of a hundred; this is ten standard deviations.
        self.assertGreater(got, sent * 0.37)
        self.assertLess(got, sent * 0.48)


class Time(NsqTest):
    def test_row_q29_a_silent_client_is_given_up(self):
        self.serve()
        client = self.connect({"heartbeat_interval": 1000}, answers=False)
        began = time.monotonic()
        client.sub("silent", "ch")
        self.assertTrue(client.closes())
        self.assert_due(began, 2)
        # The second one and the end may come at one moment.
        self.assertIn(client.heartbeats, (1, 2))

    def test_row_q30_who_answers_heartbeats_stays(self):
        self.serve()
        client = self.connect({"heartbeat_interval": 1000})
        client.sub("answers", "ch")
        self.assert_quiet(client, 5)
        self.assertGreaterEqual(client.heartbeats, 3)
        self.assert_alive(client)

    def test_row_q37_small_messages_wait_for_the_output_buffer(self):
        self.serve()
        self.connect().pub("buffer", b"x")
        client = self.bare()
        began = time.monotonic()
        client.identify(output_buffer_size=16384, output_buffer_timeout=500)
        client.sub("buffer", "ch")
        client.rdy(10)
        client.message()
        self.assert_due(began, 0.5)

    def test_row_q37_without_a_buffer_they_do_not(self):
        self.serve()
        client = self.connect({"output_buffer_size": -1,
                               "output_buffer_timeout": -1})
        client.sub("direct", "ch").rdy(10)
        client.pub("direct", b"x")
        client.message()


class Hardship(NsqTest):
    def test_a_slow_reader_stops_nobody_else(self):
        self.serve()
        slow = self.consumer("big", "slow", rdy=2500)
        quick = self.consumer("big", "quick", rdy=10)
        publisher = self.connect()
        body = b"x" * 500_000
        for _ in range(60):
            publisher.pub("big", body)
            found = quick.message()
            self.assertEqual(len(found.body), len(body))
            quick.fin(found)
        self.assertEqual(quick.confirm("confirm"), [])
        # What it was sent is there when it reads at last.
        for _ in range(60):
            slow.fin(slow.message())
        self.assertEqual(slow.confirm("confirm"), [])

    def test_consumers_that_never_finish_are_given_no_more(self):
        self.serve()
        client = self.consumer("never", rdy=5)
        client.mpub("never", [b"x"] * 100)
        self.assertEqual(len(client.messages(5)), 5)
        self.assert_quiet(client, 0.5)
        self.assertEqual(self.becomes("never", depth=95)["in_flight_count"],
                         5)

    def test_garbage_and_half_commands_stop_nobody(self):
        self.serve()
        other = self.consumer("calm", rdy=1)
        for junk in (b"  V2" + bytes(range(256)) * 50, b"  V2PUB",
                     b"  V2" + b"A" * 100_000, b" ", b"  V2IDENTIFY\n"
                     b"\x7f\xff\xff\xff{", b"\x00" * 5000):
            client = self.bare(magic=b"")
            try:
                client.send(junk)
            except Closed:
                continue  # it was refused before it was all sent
            client.close()
        other.pub("calm", b"x")
        other.fin(other.message())
        self.assertEqual(other.confirm("confirm"), [])

    def test_frames_are_whole_when_everything_comes_in_pieces(self):
        self.serve()
        client = self.consumer("pieces", rdy=1)
        for byte in b"PUB pieces\n\x00\x00\x00\x05hello":
            client.send(bytes([byte]))
        kinds = [client.next()[0] for _ in range(2)]
        self.assertIn(MESSAGE, kinds)


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
