"""docs/examples/worker.py against deposit queues and message queues: how a
deposit ends is what the outside worker says."""

import json
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import harness
from harness import SystemTest, a_deposit, wait_until
from mail_sink import MailSink

WORKER = Path(__file__).resolve().parents[2] / "docs/examples/worker.py"
KEY = "key-of-the-worker"

# What a worker prints: the document that depositors are then given.
REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<doi_batch_diagnostic status="completed" sp="outside">
<submission_id>0</submission_id>
<record_diagnostic status="Success"><doi>10.5555/{name}</doi>
<msg>Done by somebody else</msg></record_diagnostic>
</doi_batch_diagnostic>
"""

# The program that does one message. Notes every start; {what} decides.
PROGRAM = """
import json, os, sys, time
payload = json.load(sys.stdin)
notes = {notes!r}
with open(notes, "a") as file:
    file.write(json.dumps(payload) + "\\n")
with open(notes) as file:
    starts = len(file.readlines())
{what}
"""


class Worker(SystemTest):
    def setUp(self):
        super().setUp()
        self.sink = MailSink()
        self.sink.serve()
        self.addCleanup(self.sink.server_close)
        self.addCleanup(self.sink.shutdown)
        self.instance = self.start({"processors.count": 0,
                                    "mail.smtp": self.sink.address,
                                    "mail.from": "depositd@example.org"})
        self.instance.ctl("key", "add", "worker", "--key-stdin",
                          "--permit", "queue|*|metadata",
                          "--permit", "queue|*|query",
                          "--permit", "queue|*|jobs", text=KEY + "\n")
        self.press = self.depositor(self.instance, "press")
        self.notes = self.folder / "notes"
        self.key_file = self.folder / "key"
        self.key_file.write_text(KEY + "\n")
        self.base = f"http://{self.instance.ready['http']}/queue/1"

    def work(self, queue, what, *options):
        """Starts a worker whose program ends with these statements."""
        program = PROGRAM.format(notes=str(self.notes), what=what)
        log = open(self.folder / "worker.log", "ab")
        self.addCleanup(log.close)
        worker = subprocess.Popen(
            [sys.executable, str(WORKER), self.base, queue, "--key-file",
             str(self.key_file), "--pause", "0.05", *options, "--",
             sys.executable, "-c", program], stderr=log)

        def end():
            worker.kill()
            worker.wait()
        self.addCleanup(end)

    def payloads(self):
        if not self.notes.exists():
            return []
        return [json.loads(line) for line in
                self.notes.read_text().splitlines()]

    def call(self, path, body=None):
        request = urllib.request.Request(
            self.base + path, None if body is None else
            json.dumps(body).encode(),
            {"X-BV-API-Key": KEY, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def test_a_deposit_is_completed_with_the_document_of_the_worker(self):
        for queue, operation in (("metadata", "doMDUpload"),
                                 ("query", "doQueryUpload")):
            with self.subTest(queue):
                report = REPORT.format(name=queue)
                sent = a_deposit(queue)
                answer = self.press.deposit(queue + ".xml", sent, operation)
                self.assertTrue(answer.accepted, answer.text)
                self.assertEqual(self.press.poll(queue + ".xml").status,
                                 "queued")
                self.work(queue, f"sys.stdout.write({report!r})")
                wait_until(lambda q=queue: self.press.poll(
                    q + ".xml").status == "completed")
                self.assertEqual(
                    self.press.download(queue + ".xml").body.decode(), report)
                seen = self.payloads()[-1]
                self.assertEqual(seen["document"].encode(), sent)
                self.assertEqual(seen["user"], "press")
                self.assertEqual(seen["file_name"], queue + ".xml")
        self.assertEqual(self.call("/metadata/size"), 0)

    def test_its_depositor_is_mailed_what_the_worker_says(self):
        report = REPORT.format(name="told")
        self.press.deposit("told.xml", a_deposit("told"))
        self.work("metadata", f"sys.stdout.write({report!r})")
        mail, = wait_until(lambda: self.sink.mails)
        self.assertEqual(mail["To"], "depositor@example.org")
        self.assertEqual(mail.get_content().split(), report.split())
        wait_until(lambda: not self.instance.ask(
            "queue", "size", "crossref.notify")["size"])
        self.assertEqual(len(self.sink.mails), 1)

    def test_blanks_of_a_batch_id_count_as_in_a_file(self):
        self.press.deposit("may.xml", a_deposit("may"))
        item, = self.call("/metadata/poll")
        self.call("/metadata/ack", [{"id": item["id"], "batch_id":
                                     " of\n  May", "document":
                                     REPORT.format(name="may")}])
        for asked in ("of May", " of\n  May"):
            found = self.press.request(
                "POST", "/servlet/submissionDownload", urllib.parse.urlencode(
                    {"usr": "press", "pwd": "secret-press", "type": "result",
                     "doi_batch_id": asked}),
                "application/x-www-form-urlencoded")
            self.assertIn(b"10.5555/may", found.body, asked)

    def test_work_that_did_not_succeed_is_tried_again(self):
        report = REPORT.format(name="again")
        self.press.deposit("again.xml", a_deposit("again"))
        self.work("metadata", f"""
if starts < 3:
    sys.stderr.write("not yet")
    sys.exit(75)
sys.stdout.write({report!r})""", "--retry-delay", "0.2")
        found = self.outcome(self.press, "again.xml")
        self.assertEqual(found.document.decode(), report)
        self.assertEqual(len(self.payloads()), 3)

    def test_what_failed_for_good_is_told_and_not_tried_again(self):
        self.press.deposit("bad.xml", a_deposit("bad"))
        self.work("metadata", "sys.exit('nobody knows this journal')")
        found = self.outcome(self.press, "bad.xml")
        self.assertEqual(len(found.failures()), 1, found.document)
        self.assertIn(b"nobody knows this journal", found.document)
        self.press.deposit("next.xml", a_deposit("next"))
        self.outcome(self.press, "next.xml")
        self.assertEqual([p["file_name"] for p in self.payloads()],
                         ["bad.xml", "next.xml"])

    def test_a_worker_that_renews_keeps_its_message(self):
        self.press.deposit("slow.xml", a_deposit("slow"))
        report = REPORT.format(name="slow")
        for _ in range(2):
            self.work("metadata", f"""
time.sleep(9)
sys.stdout.write({report!r})""", "--ttl", "4")
        self.outcome(self.press, "slow.xml", 60)
        self.assertEqual(len(self.payloads()), 1)

    def test_one_is_ended_and_the_next_taken_in_one_request(self):
        for name in ("one.xml", "two.xml"):
            self.press.deposit(name, a_deposit(name))
        seen, held = [], []
        while True:
            found = self.call("/metadata/ackpoll?ttl=60&limit=1", [
                {"id": x["id"], "document": REPORT.format(name="x")}
                for x in held])
            if not found:
                break
            seen += [x["payload"]["file_name"] for x in found]
            self.assertIn("document", found[0]["payload"])
            held = found
        self.assertEqual(seen, ["one.xml", "two.xml"])
        for name in seen:
            self.outcome(self.press, name)
        self.assertEqual(self.call("/metadata/size"), 0)

    def test_a_worker_that_dies_loses_nothing(self):
        self.press.deposit("left.xml", a_deposit("left"))
        self.assertEqual(len(self.call("/metadata/poll?ttl=1")), 1)
        self.work("metadata", f"print({REPORT.format(name='left')!r})")
        self.outcome(self.press, "left.xml")

    def test_work_goes_on_though_the_engine_is_killed(self):
        report = REPORT.format(name="through")
        self.instance.settings["http.listen"] = self.instance.ready["http"]
        for number in range(3):
            self.press.deposit(f"{number}.xml", a_deposit(f"through-{number}"))
        self.work("metadata", f"""
time.sleep(0.3)
sys.stdout.write({report!r})""", "--ttl", "2")
        for started in (1, 2):
            wait_until(lambda n=started: len(self.payloads()) >= n)
            self.instance.kill()
            self.instance.start()
        press = self.door(self.instance, "press")
        for number in range(3):
            found = self.outcome(press, f"{number}.xml", 30)
            self.assertEqual(found.document.decode(), report)

    def test_messages_are_done_like_deposits(self):
        sent = [{"n": n} for n in range(20)]
        self.call("/jobs/sendbatch", sent)
        self.work("jobs", "")
        wait_until(lambda: self.call("/jobs/size") == 0)
        self.assertEqual(self.payloads(), sent)

    def test_a_failed_claim_that_is_gone_is_refused_by_name(self):
        self.call("/jobs/send", 1)
        found = self.call("/jobs/poll")
        self.call("/jobs/ack", [found[0]["id"]])
        answer = self.call("/jobs/fail", [{"id": found[0]["id"],
                                           "reason": "late"}])
        self.assertEqual(answer, {"success": False,
                                  "refused": [found[0]["id"]]})


if __name__ == "__main__":
    harness.main()
