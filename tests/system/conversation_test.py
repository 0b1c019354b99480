"""Real clients' requests against the real programs: deposit and poll in every
shape in use, the tabled answers to bad ones, a restart in between."""

import subprocess
import urllib.parse

import harness
from deposit_door import Diagnostic, multipart
from harness import SHARED_DATA, SystemTest, a_deposit, wait_until

PASSWORD = "p&s +%=w ö"
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;">
<!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;">
]><doi_batch>&f;&f;&f;&f;&f;&f;&f;&f;&f;</doi_batch>"""

CITATIONS = """<?xml version="1.0" encoding="UTF-8"?>
<doi_batch xmlns="http://www.crossref.org/doi_resources_schema/4.3.6"
           version="4.3.6">
  <head><doi_batch_id>cites</doi_batch_id></head>
  <body><doi_citations><doi>{doi}</doi><citation_list>
    <citation key="1"><doi>10.5555/cited</doi></citation>
  </citation_list></doi_citations></body>
</doi_batch>
"""


class Conversation(SystemTest):
    def setUp(self):
        super().setUp()
        self.instance = self.start({"processors.count": 2})
        self.instance.add_user("press", PASSWORD)
        self.press = self.door(self.instance, "press", PASSWORD)

    def post(self, path, fields, files):
        kind, body = multipart(fields, files)
        return self.press.request("POST", path, body, kind)

    def assert_deposited(self, answer, file_name):
        self.assertTrue(answer.accepted, (answer.status, answer.text[:500]))
        found = self.outcome(self.press, file_name)
        self.assertEqual([r[0] for r in found.records], ["Success"],
                         found.document)

    # -- shapes of deposits

    def test_curl_deposits_and_polls_as_documented(self):
        deposit = self.folder / "first.xml"
        deposit.write_bytes(a_deposit("first"))
        base = "http://" + self.instance.ready["http"]
        page = subprocess.run(
            ["curl", "-sS", "-F", "operation=doMDUpload",
             "-F", "login_id=press", "-F", f"login_passwd={PASSWORD}",
             "-F", f"fname=@{deposit}", base + "/servlet/deposit"],
            capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertIn("SUCCESS", page)
        self.assertIn("Your batch submission was successfully received.", page)

        def poll():
            out = subprocess.run(
                ["curl", "-sS", "-G", "--data-urlencode", "usr=press",
                 "--data-urlencode", f"pwd={PASSWORD}",
                 "--data-urlencode", "file_name=first.xml",
                 "--data-urlencode", "type=result",
                 base + "/servlet/submissionDownload"],
                capture_output=True, timeout=60, check=True).stdout
            found = Diagnostic(out)
            return found if found.completed else None
        found = wait_until(poll)
        self.assertEqual(found.records,
                         [("Success", "10.5555/first", "Successfully added")])

    def test_every_spelling_of_the_form_is_understood(self):
        login = {"login_id": "press", "login_passwd": PASSWORD}
        short = {"usr": "press", "pwd": PASSWORD}
        shapes = {
            "fname": (login, "fname"), "mdfile": (login, "mdFile"),
            "file": (login, "file"), "own": (login, "own.xml"),
            "short": (short, "mdFile"),
            "role": ({**login, "login_id": "me@example.org/press"}, "fname"),
        }
        for name, (fields, part) in shapes.items():
            with self.subTest(name):
                answer = self.post("/servlet/deposit", fields,
                                   [(part, name + ".xml", a_deposit(name))])
                self.assert_deposited(answer, name + ".xml")

    def test_credentials_in_the_query_string_are_understood(self):
        query = urllib.parse.urlencode({
            "operation": "doMDUpload", "login_id": "press",
            "login_passwd": PASSWORD})
        answer = self.post("/servlet/deposit?" + query, {},
                           [("file", "query.xml", a_deposit("query"))])
        self.assert_deposited(answer, "query.xml")
        self.assertNotIn(urllib.parse.quote_plus(PASSWORD),
                         self.instance.log())

    def test_a_poll_before_the_deposit_is_known_says_so(self):
        found = self.press.poll("never.xml")
        self.assertEqual((found.status, found.submission_id),
                         ("unknown_submission", 0))

    def test_contents_are_the_bytes_that_were_sent(self):
        sent = a_deposit("bytes", title="Übergröße — 数")
        self.press.deposit("bytes.xml", sent)
        self.assertEqual(self.press.download("bytes.xml", "contents").body,
                         sent)

    def test_the_synchronous_door_answers_with_the_diagnostic(self):
        answer = self.post(
            "/v2/deposits",
            {"operation": "doMDUpload", "usr": "press", "pwd": PASSWORD},
            [("mdFile", "v2.xml", a_deposit("v2"))])
        self.assertEqual(answer.status, 200, answer.text)
        found = Diagnostic(answer.body)
        self.assertTrue(found.completed)
        self.assertEqual(found.records[0][0], "Success")

    def test_a_query_is_answered_from_what_was_recorded(self):
        self.assert_deposited(
            self.press.deposit("known.xml", a_deposit("known")), "known.xml")
        answer = self.press.deposit(
            "ask.xml", b"2577-3569|Journal of Made-up Results|||||2024|"
                       b"full_text|k1|10.5555/known\n", "doQueryUpload")
        self.assertTrue(answer.accepted, answer.text)

        def resolved():
            got = self.press.download("ask.xml")
            return got if b"10.5555/known" in got.body else None
        self.assertIn(b"resolved", wait_until(resolved, 20).body)

    # -- bad input

    def test_a_wrong_password_is_a_401_that_says_failure(self):
        for user, password in (("press", "wrong"), ("nobody", PASSWORD)):
            door = self.door(self.instance, user, password)
            answer = door.deposit("a.xml", a_deposit("a"))
            self.assertEqual(answer.status, 401)
            self.assertIn("FAILURE", answer.text)
            self.assertEqual(door.download("a.xml").status, 401)
        self.assertNotIn("wrong", self.instance.log())

    def test_a_full_queue_is_a_429_with_retry_after(self):
        self.instance.ctl("suspend")
        self.instance.ctl("user", "set", "press", "--concurrency", "1",
                          "--queue", "metadata")
        small = self.start({"queues.metadata.pending_limit": 3}, data="small")
        small.add_user("press", PASSWORD)
        small.ctl("suspend")
        door = self.door(small, "press", PASSWORD)
        answers = [door.deposit(f"{n}.xml", a_deposit(f"full-{n}"))
                   for n in range(5)]
        self.assertEqual([a.status for a in answers],
                         [200, 200, 200, 429, 429])
        self.assertGreater(int(answers[3].headers["Retry-After"]), 0)
        self.assertEqual(len(small.submissions()), 3)
        small.ctl("resume")
        self.outcome(door, "2.xml")
        self.assertTrue(door.deposit("5.xml", a_deposit("full-5")).accepted)

    def test_what_is_wrong_inside_a_file_becomes_a_failure(self):
        for name, content in (("pdf.xml", b"%PDF-1.7\n\xe2\xe3\xcf\xd3"),
                              ("bomb.xml", BOMB),
                              ("cut.xml", a_deposit("cut")[:-20]),
                              ("root.xml", b"<html/>")):
            with self.subTest(name):
                answer = self.press.deposit(name, content)
                self.assertTrue(answer.accepted, answer.text)
                found = self.outcome(self.press, name)
                self.assertEqual(len(found.failures()), 1, found.document)
        self.assertTrue(self.instance.alive())
        self.assert_deposited(
            self.press.deposit("after.xml", a_deposit("after")), "after.xml")

    def test_an_older_timestamp_fails_with_message_4(self):
        self.assert_deposited(self.press.deposit(
            "new.xml", a_deposit("twice", timestamp=20240102000000)),
            "new.xml")
        self.press.deposit("old.xml", a_deposit("twice",
                                                timestamp=20240101000000))
        found = self.outcome(self.press, "old.xml")
        self.assertEqual(found.records[0][0], "Failure")
        self.assertIn(b'msg_id="4"', found.document)

    def test_a_prefix_of_somebody_else_fails(self):
        self.instance.add_user("narrow", PASSWORD, "--prefix", "10.1234")
        narrow = self.door(self.instance, "narrow", PASSWORD)
        narrow.deposit("a.xml", a_deposit("a", doi="10.5555/a"))
        narrow.deposit("b.xml", a_deposit("b", doi="10.1234/b"))
        self.assertEqual(self.outcome(narrow, "a.xml").records[0][0],
                         "Failure")
        self.assertEqual(self.outcome(narrow, "b.xml").records[0][0],
                         "Success")

    def test_citations_and_transfers_are_done(self):
        self.instance.add_user("old", "secret-old", "--prefix", "10.1111")
        self.instance.add_user("new", "secret-new", "--prefix", "10.2222")
        old, new = (self.door(self.instance, x) for x in ("old", "new"))
        doi = "10.1111/moves"
        old.deposit("moves.xml", a_deposit("moves", doi=doi))
        self.outcome(old, "moves.xml")
        cites = CITATIONS.format(doi=doi).encode()
        for door, status in ((new, "Failure"), (old, "Success")):
            door.deposit("cites.xml", cites, "doDOICitUpload")
            found = self.outcome(door, "cites.xml")
            self.assertEqual([r[0] for r in found.records], [status],
                             found.document)
        lines = f"H: email=a@b.org;fromPrefix=10.1111;toPrefix=10.2222\n{doi}\n"
        for door, status in ((old, "Failure"), (self.press, "Success")):
            door.deposit("moves.txt", lines.encode(), "doTransferDOIsUpload")
            found = self.outcome(door, "moves.txt")
            self.assertEqual([r[0] for r in found.records], [status],
                             found.document)
        later = a_deposit("later", doi=doi, timestamp=20250101000000)
        for door, status in ((old, "Failure"), (new, "Success")):
            door.deposit("later.xml", later)
            found = self.outcome(door, "later.xml")
            self.assertEqual([r[0] for r in found.records], [status],
                             found.document)

    # -- through a restart

    def test_a_conversation_goes_on_after_a_restart(self):
        self.assert_deposited(
            self.press.deposit("done.xml", a_deposit("done")), "done.xml")
        document = self.press.poll("done.xml").document
        self.instance.ctl("suspend")
        self.press.deposit("waiting.xml", a_deposit("waiting"))
        self.assertEqual(self.instance.stop(), 0)
        self.instance.start()
        press = self.door(self.instance, "press", PASSWORD)
        self.assertEqual(press.poll("done.xml").document, document)
        found = press.poll("waiting.xml")
        self.assertEqual(found.status, "queued")
        self.assertGreater(found.submission_id, 0)
        self.instance.ctl("resume")
        self.assertEqual(self.outcome(press, "waiting.xml").records[0][0],
                         "Success")

    def test_real_deposits_get_an_outcome_each(self):
        real = sorted((SHARED_DATA / "crossref").glob("*.xml"))
        if not real:
            self.skipTest(f"no real deposits in {SHARED_DATA}")
        for path in real:
            answer = self.press.deposit(path.name, path.read_bytes())
            self.assertTrue(answer.accepted, path.name)
        for path in real:
            found = self.outcome(self.press, path.name)
            self.assertTrue(found.records, path.name)


if __name__ == "__main__":
    harness.main()
