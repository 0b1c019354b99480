"""What depositors are told of Crossref's deposits, through the real program: by
mail, by callback, after a kill, and when nobody listens for a while."""

import re
import socket
import threading
import xml.etree.ElementTree as ElementTree

import harness
import mail_sink
from deposit_door import multipart
from harness import SystemTest, a_deposit, wait_until
from loopback_server import Answer, LoopbackServer
from mail_sink import MailSink

DEPOSITS_WHILE_DOWN = 100


class SilentSession(mail_sink.Session):
    """Takes a mail and never says so, until it is let go."""

    def take(self):
        super().take()
        self.server.go_on.wait(60)


class SilentSink(MailSink):
    def __init__(self):
        super().__init__()
        self.RequestHandlerClass = SilentSession
        self.go_on = threading.Event()


class Receiver(LoopbackServer):
    """Keeps the callbacks that it gets."""

    def __init__(self):
        super().__init__(Callback)
        self.calls = []


class Callback(Answer):
    def do_POST(self):
        self.body()
        self.server.calls.append((self.path, self.headers))
        self.send_response(204)
        self.end_headers()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


class Notify(SystemTest):
    def serve(self, server):
        server.serve()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def mailing(self, address):
        return {"mail.smtp": address, "mail.from": "depositd@example.org",
                "queues.crossref.notify.retry_delay_ms": 200,
                "queues.crossref.notify.retry_delay_ms_max": 1000,
                "queues.crossref.notify.attempts_max": 1000}

    def waiting(self, engine):
        return engine.ask("queue", "size", "crossref.notify")["size"]

    def submission_id(self, door, name):
        found = self.outcome(door, name)
        return ElementTree.fromstring(found.document).findtext("submission_id")

    def assert_mail(self, mail, number, result):
        self.assertEqual(mail["Subject"], f"CrossRef submission ID: {number}")
        self.assertEqual(mail["To"], "depositor@example.org")
        self.assertEqual(mail["Message-ID"],
                         f"<submission-{number}@example.org>")
        text, = [part for part in mail.walk() if not part.is_multipart()]
        body = ElementTree.fromstring(text.get_content().strip())
        self.assertEqual(ElementTree.canonicalize(
            ElementTree.tostring(body, encoding="unicode"), strip_text=True),
            ElementTree.canonicalize(result, strip_text=True))

    # -----------------------------------------------------------------------

    def test_row_42_a_mail_comes_once_for_each_deposit(self):
        sink = self.serve(MailSink())
        engine = self.start(self.mailing(sink.address))
        press = self.depositor(engine, "press")
        for name in ("good", "bad"):
            content = a_deposit(name)
            if name == "bad":
                content = content.replace(b"<doi>10.5555/bad", b"<doi>bad")
            press.deposit(name + ".xml", content)
        numbers = {self.submission_id(press, name + ".xml"): name + ".xml"
                   for name in ("good", "bad")}
        wait_until(lambda: len(sink.mails) == 2 and not self.waiting(engine))
        for mail in sink.mails:
            number = re.fullmatch(r"CrossRef submission ID: (\d+)",
                                  mail["Subject"])[1]
            self.assert_mail(mail, number,
                             self.outcome(press, numbers[number]).document)
        self.assertEqual(len({mail["Subject"] for mail in sink.mails}), 2)

    def test_the_synchronous_door_and_the_nameless_are_sent_nothing(self):
        sink = self.serve(MailSink())
        engine = self.start(self.mailing(sink.address))
        press = self.depositor(engine, "press")
        nameless = a_deposit("nameless").replace(
            b"<email_address>depositor@example.org</email_address>", b"")
        kind, body = multipart(
            {"usr": "press", "pwd": "secret-press", "operation": "doMDUpload"},
            [("mdFile", "v2.xml", a_deposit("v2"))])
        answer = press.request("POST", "/v2/deposits", body, kind)
        self.assertEqual(answer.status, 200, answer.text)
        press.deposit("nameless.xml", nameless)
        self.outcome(press, "nameless.xml")
        engine.ctl("user", "contact", "press", "--mail", "desk@example.org")
        press.deposit("account.xml", nameless.replace(b"nameless", b"account"))
        self.outcome(press, "account.xml")
        mail, = wait_until(lambda: sink.mails)
        self.assertEqual(mail["To"], "desk@example.org")
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual(len(sink.mails), 1)

    def test_row_42_a_kill_before_the_mail_loses_nothing(self):
        port = free_port()
        engine = self.start(self.mailing(f"127.0.0.1:{port}"))
        press = self.depositor(engine, "press")
        press.deposit("a.xml", a_deposit("a"))
        number = self.submission_id(press, "a.xml")
        self.assertEqual(self.waiting(engine), 1)
        engine.kill()
        sink = self.serve(MailSink())
        engine.settings["mail.smtp"] = sink.address
        engine.start()
        mail, = wait_until(lambda: sink.mails)
        press = self.door(engine, "press")
        self.assert_mail(mail, number, self.outcome(press, "a.xml").document)
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual(len(sink.mails), 1)

    def test_row_42_a_kill_in_the_mail_repeats_it_under_its_message_id(self):
        silent = self.serve(SilentSink())
        self.addCleanup(silent.go_on.set)
        engine = self.start(self.mailing(silent.address))
        press = self.depositor(engine, "press")
        press.deposit("a.xml", a_deposit("a"))
        wait_until(lambda: silent.mails)
        engine.kill()
        sink = self.serve(MailSink())
        engine.settings["mail.smtp"] = sink.address
        engine.start()
        again, = wait_until(lambda: sink.mails)
        self.assertEqual(again["Message-ID"], silent.mails[0]["Message-ID"])
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual((len(silent.mails), len(sink.mails)), (1, 1))

    def test_row_41_a_callback_comes_instead_of_the_mail(self):
        sink = self.serve(MailSink())
        receiver = self.serve(Receiver())
        engine = self.start({**self.mailing(sink.address),
                             "crossref.public_url":
                                 "https://deposit.example.org",
                             "fetch.allow": receiver.address})
        press = self.depositor(engine, "press")
        engine.ctl("user", "contact", "press", "--callback",
                   f"http://{receiver.address}/told")
        press.deposit("a.xml", a_deposit("a"))
        number = self.submission_id(press, "a.xml")
        (path, headers), = wait_until(lambda: receiver.calls)
        self.assertEqual(path, "/told")
        self.assertEqual(headers["CROSSREF-NOTIFY-ENDPOINT"], "press")
        self.assertEqual(headers["CROSSREF-EXTERNAL-ID"], "batch-a")
        self.assertEqual(headers["CROSSREF-INTERNAL-ID"], number)
        self.assertEqual(
            headers["CROSSREF-RETRIEVE-URL"],
            "https://deposit.example.org/servlet/submissionDownload"
            "?type=result&doi_batch_id=batch-a&submission_id=" + number)
        for name in ("CROSSREF-SERVICE-DATE",
                     "CROSSREF-RETRIEVE-URL-EXPIRATION-DATE"):
            self.assertRegex(headers[name],
                             r"^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$")
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual((len(receiver.calls), sink.mails), (1, []))

    def test_row_42_a_cancelled_deposit_is_mailed_once_with_the_reason(self):
        sink = self.serve(MailSink())
        engine = self.start(self.mailing(sink.address))
        press = self.depositor(engine, "press")
        engine.ctl("queue", "suspend", "metadata")
        names = [f"d{i}.xml" for i in range(3)]
        numbers = []
        for i, name in enumerate(names):
            press.deposit(name, a_deposit(f"d{i}"))
            numbers.append(str(press.poll(name).submission_id))
        engine.ctl("submission", "cancel", numbers[0], "--note",
                   "sent by mistake", "--yes")
        mail, = wait_until(lambda: sink.mails)
        self.assertIn("sent by mistake", mail.as_string())
        # The rest at once, which passes over what was cancelled before.
        engine.ctl("submission", "cancel", "--user", "press", "--yes")
        wait_until(lambda: len(sink.mails) == 3 and not self.waiting(engine))
        engine.kill()
        engine.start()
        engine.ctl("queue", "resume", "metadata")
        press = self.door(engine, "press")
        for number, name in zip(numbers, names):
            self.assertEqual(self.submission_id(press, name), number)
            mail, = [x for x in sink.mails if x["Subject"].endswith(number)]
            self.assert_mail(mail, number, self.outcome(press, name).document)
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual(len(sink.mails), 3)

    def test_row_41_a_cancelled_deposit_is_called_back_once(self):
        receiver = self.serve(Receiver())
        engine = self.start({"fetch.allow": receiver.address})
        press = self.depositor(engine, "press")
        engine.ctl("user", "contact", "press", "--callback",
                   f"http://{receiver.address}/told")
        engine.ctl("queue", "suspend", "metadata")
        press.deposit("a.xml", a_deposit("a"))
        number = press.poll("a.xml").submission_id
        engine.ctl("submission", "cancel", str(number), "--yes")
        (path, headers), = wait_until(lambda: receiver.calls)
        self.assertEqual(path, "/told")
        self.assertEqual(headers["CROSSREF-INTERNAL-ID"], str(number))
        # Nobody has read the file, so its batch is not known.
        self.assertIsNone(headers["CROSSREF-EXTERNAL-ID"])
        # Of a port that nobody chose, the one that the engine got.
        at = "http://" + engine.ready["http"]
        self.assertEqual(headers["CROSSREF-RETRIEVE-URL"],
                         at + "/servlet/submissionDownload?type=result&"
                         f"file_name=a.xml&submission_id={number}")
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual(len(receiver.calls), 1)

    def test_deposits_go_on_while_nobody_listens(self):
        port = free_port()
        engine = self.start(self.mailing(f"127.0.0.1:{port}"))
        press = self.depositor(engine, "press")
        names = [f"d{i}.xml" for i in range(DEPOSITS_WHILE_DOWN)]
        for i, name in enumerate(names):
            press.deposit(name, a_deposit(f"d{i}"))
        for name in names:
            self.outcome(press, name)
        self.assertEqual(self.waiting(engine), DEPOSITS_WHILE_DOWN)
        sink = MailSink(("127.0.0.1", port))
        self.serve(sink)
        wait_until(lambda: not self.waiting(engine))
        self.assertEqual(len({mail["Message-ID"] for mail in sink.mails}),
                         DEPOSITS_WHILE_DOWN)

    def test_what_was_given_up_waits_for_an_operator(self):
        port = free_port()
        engine = self.start({**self.mailing(f"127.0.0.1:{port}"),
                             "queues.crossref.notify.attempts_max": 1})
        press = self.depositor(engine, "press")
        press.deposit("a.xml", a_deposit("a"))
        self.outcome(press, "a.xml")

        def item():
            found, = engine.ask("queue", "peek", "crossref.notify")["items"]
            return found if found["state"] == "parked" else None
        wait_until(item)
        self.assertIn("notification_failed", engine.log())
        sink = MailSink(("127.0.0.1", port))
        self.serve(sink)
        engine.ctl("unpark", "--queue", "crossref.notify", "--yes")
        wait_until(lambda: sink.mails and not self.waiting(engine))


if __name__ == "__main__":
    harness.main()
