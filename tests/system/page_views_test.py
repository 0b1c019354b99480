"""The operators' page where there is very much, on narrow windows, by keys
alone, and for two operators at once."""

import json
import os
import re
import sqlite3
import subprocess

import harness
from harness import PROGRAMS, ROOT, wait_until
from nsq_client import Connection
from pages import PageTest

PAGE = ROOT / "adapters/doors/operations/page"
# What its views read and order, as the page's own text has it.
COMMANDS = re.compile(
    r"(?:words:|\b(?:read|order|find|watch)\(|\bform\(h,"
    r"|\baction\(h,\s*(?:\"[^\"]*\"|`[^`]*`),)\s*"
    r"\"([a-z-]+(?: [a-z-]+)*)\"")

# By hand: 100,000, which takes minutes where others work.
MANY = int(os.environ.get("DEPOSITD_PAGE_MANY", "5000"))

# What a view may take: lists come by pages, so none of this grows with what
# there is.
ROWS_MAX = 150
BYTES_MAX = 300_000

# Watches what the browser has to do from now on.
WATCH = """
    window.longest = 0;
    new PerformanceObserver((found) => {
      for (const x of found.getEntries())
        window.longest = Math.max(window.longest, x.duration);
    }).observe({ type: "longtask" });
    performance.clearResourceTimings();"""

TOOK = """
    return {
      longest: window.longest,
      rows: document.querySelectorAll("tbody tr").length,
      bytes: Math.max(0, ...performance.getEntriesByType("resource")
        .map((x) => x.encodedBodySize)),
    };"""

# None while a page is asked for.
ROWS = "return document.querySelector('tbody')?.innerText ?? ''"


class Many(PageTest):
    def users(self, engine):
        """So many, each with one item in a queue that nobody works on."""
        path = self.folder / "many.sqlite"
        with sqlite3.connect(path) as base:
            base.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, who, body)")
            base.executemany("INSERT INTO t VALUES (?, ?, 'x')", (
                (n, f"user-{n:06}") for n in range(1, MANY + 1)))
        engine.ctl("scheduler", "add", "many", "--queue", "many", "--high",
                   str(2 * MANY), "--low", str(MANY))
        engine.ctl("source", "add", "many", "--kind", "sql", "--scheduler",
                   "many", "--url", f"sqlite:{path}", "--key", "id",
                   "--user-field", "who", "--cursor", "id",
                   "--cursor-start", "0",
                   "--capacity", "10000", "--poll-interval-ms", "100",
                   "--query", "SELECT id, who, body FROM t WHERE id > :cursor "
                   "ORDER BY id LIMIT :limit")
        wait_until(lambda: engine.ask("queue", "show", "many")["ready"]
                   == MANY, timeout=600)

    def submissions(self, engine):
        engine.add_user("bench", "secret-bench")
        senders = self.folder / "senders"
        senders.write_text("bench secret-bench\n")
        subprocess.run(
            [str(PROGRAMS / "depositbench"), "P1s", "--door", "crossref",
             "--connect", engine.ready["http"], "--keys", str(senders),
             "--items", str(MANY), "--connections", "16"],
            check=True, capture_output=True, timeout=1200)

    def test_very_many_are_no_more_than_a_page(self):
        engine = self.running({"processors.count": 2,
                               "queues.metadata.pending_limit": 2 * MANY})
        self.submissions(engine)
        self.users(engine)
        page = self.browser(engine)
        page.run(WATCH)
        for view, says in (
                ("users", "user-0000"), ("submissions", "bench"),
                ("queues/many", "Turns"), ("users/user-001000",
                                           "Why does it wait?"),
                ("submissions/1000", "Time line"),
                ("", "Who waits longest")):
            page.run("performance.clearResourceTimings(); window.longest = 0; "
                     "window.begun = performance.now()")
            page.go(view)
            if says == "Time line":
                page.element("[aria-label='Time line']")
            else:
                page.says(says)
            took = page.run(TOOK)
            took["ms"] = page.run("return performance.now() - window.begun")
            print(f"{view or 'overview'}: {took['ms']:.0f} ms, longest task "
                  f"{took['longest']:.0f} ms, {took['rows']} rows, "
                  f"{took['bytes']} bytes", flush=True)
            self.assertLessEqual(took["rows"], ROWS_MAX, view)
            self.assertLessEqual(took["bytes"], BYTES_MAX, view)
        page.go("users")
        page.says("user-0000")
        for _ in range(3):
            before = page.run(ROWS)
            page.press("Next page →")
            page.wait(lambda: page.run(ROWS) not in ("", before))


class Narrow(PageTest):
    def test_nothing_is_wider_than_a_telephone(self):
        engine = self.running({"processors.count": 0})
        self.deposits(engine, "ann", 3)
        page = self.browser(engine)
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 360, "height": 740, "deviceScaleFactor": 1,
            "mobile": True})
        for view in ("", "queues", "queues/metadata", "users", "users/ann",
                     "submissions", "submissions/1", "processors", "batches",
                     "topics", "sources", "kafka", "dead-letters", "shards",
                     "settings", "audit", "operators", "do", "do/user/set"):
            page.go(view)
            page.wait(lambda: page.first("h1") and "Asking …"
                      not in page.text())
            self.assertLessEqual(page.run(
                "return document.documentElement.scrollWidth"), 360, view)
        page.element("[aria-label='Places']").click()
        page.press("Users", within="#places")
        page.says("New account")


class Keys(PageTest):
    def test_a_question_is_answered_without_a_mouse(self):
        from selenium.webdriver.common.keys import Keys as K
        engine = self.running({"processors.count": 0})
        self.deposits(engine, "ann", 2)
        page = self.browser(engine)
        page.keys("gq")
        page.says("metadata")
        page.go("queues/metadata")
        page.says("Purge …")
        self.tab_to(page, "Purge …")
        page.driver.switch_to.active_element.send_keys(K.ENTER)
        page.says("for good?")
        # No is what the focus is on; one further is Yes.
        self.assertEqual(page.driver.switch_to.active_element.text, "No")
        page.driver.switch_to.active_element.send_keys(K.TAB)
        page.driver.switch_to.active_element.send_keys(K.ENTER)
        page.wait(lambda: engine.ask("queue", "show",
                                     "metadata")["ready"] == 0)

    def tab_to(self, page, label):
        from selenium.webdriver.common.keys import Keys as K
        page.run("document.body.focus()")
        for _ in range(80):
            if page.driver.switch_to.active_element.text == label:
                return
            page.driver.switch_to.active_element.send_keys(K.TAB)
        self.fail(f"no key leads to {label}")


class TwoOperators(PageTest):
    def both(self, engine, view):
        pages = self.browser(engine), self.browser(engine)
        for page in pages:
            page.go(view)
        return pages

    def test_the_second_is_told_that_there_is_one_already(self):
        engine = self.running()
        one, two = self.both(
            engine, "do/key/add?name=news&roles=queue_standard")
        for page in (one, two):
            page.element("main form button[type=submit]")
        one.element("main form button[type=submit]").click()
        one.says("key add news")
        two.element("main form button[type=submit]").click()
        said = two.element("main .trouble").text
        self.assertIn("news", said)
        self.assertEqual(len(engine.rows("key", "list")), 1)

    def test_the_second_is_told_that_it_is_over(self):
        engine = self.running({"processors.count": 0})
        self.deposits(engine, "ann", 1)
        one, two = self.both(engine, "submissions/1")
        for page in (one, two):
            page.press("Cancel …")
            page.element("dialog #yes")
        one.element("dialog #yes").click()
        page_over = wait_until(lambda: engine.submissions()[0]["status"]
                               == "completed")
        self.assertTrue(page_over)
        two.element("dialog #yes").click()
        two.element(".notes .wrong")
        self.assertEqual(len(engine.submissions()), 1)


class Messages(PageTest):
    def test_topics_lead_to_channels_and_their_clients(self):
        engine = self.running({"nsq.listen": "127.0.0.1:0",
                               "nsq.anonymous": "true"})
        address = engine.address("nsq")
        consumer = Connection(address, {"client_id": "reader-7",
                                        "hostname": "far"})
        self.addCleanup(consumer.close)
        consumer.sub("news", "mail")
        consumer.rdy(1)
        publisher = Connection(address)
        self.addCleanup(publisher.close)
        publisher.pub("news", b"one")
        consumer.message()
        page = self.browser(engine)
        page.keys("gt")
        page.says("news")
        page.press("Channels")
        page.press("mail")
        page.says("reader-7")

    def test_keys_of_views_are_those_of_the_engine(self):
        """No view asks for what the engine does not tell."""
        engine = self.running({"nsq.listen": "127.0.0.1:0"})
        asked = {words for file in PAGE.glob("*.js")
                 for words in COMMANDS.findall(file.read_text())}
        self.assertGreater(len(asked), 60)
        page = self.browser(engine)
        table = json.loads(page.run(
            "const x = new XMLHttpRequest(); x.open('GET', "
            "'/api/v1/commands', false); x.send(); return x.responseText"))
        known = {x["words"] for x in table["commands"]}
        self.assertEqual(asked - known, set())
        # What each kind of thing has a view for.
        for words in ("topic list", "channel list", "deadletter list",
                      "deadletter replay", "audit list", "settings", "shards",
                      "kafka status", "source list", "review list"):
            self.assertIn(words, asked)


if __name__ == "__main__":
    harness.main()
