"""The page of operators on narrow windows, by keys alone, and for two operators
at once."""

import harness
from harness import wait_until
from pages import PageTest


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


if __name__ == "__main__":
    harness.main()
