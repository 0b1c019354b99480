"""The depositors' page in a real browser: from the login to the result, with
names that look like markup, and on a telephone."""

import harness
from browser import Browser
from harness import a_deposit
from pages import PageTest

# A file may be called so; what is left of it must stay text.
ODD = "<img src=x onerror=window.owned=1>.xml"


class Depositors(PageTest):
    def depositing(self, engine, user="ann"):
        engine.add_user(user, f"secret-{user}")
        page = Browser("http://" + engine.ready["http"] + "/deposits")
        self.addCleanup(page.close)
        self.addCleanup(lambda: self.assertEqual(page.complaints(), []))
        page.driver.get(page.page)
        page.log_in(user, f"secret-{user}")
        page.says("Hand in files")
        return page

    def hand_in(self, page, name, content):
        path = self.folder / name
        path.write_bytes(content)
        page.element("#files").send_keys(str(path))
        page.press("Hand in")

    def test_a_file_is_handed_in_and_its_result_is_read(self):
        page = self.depositing(self.start())
        self.hand_in(page, "x.xml", a_deposit("x"))
        page.says("received as submission 1")
        page.says("completed")
        page.press("x.xml")
        page.says("Successfully added")

    def test_who_waits_sees_where_it_stands(self):
        engine = self.start({"processors.count": 0})
        page = self.depositing(engine)
        self.hand_in(page, "x.xml", a_deposit("x"))
        page.says("queued")
        page.wait(lambda: page.run(
            "const row = document.querySelector('#place tbody tr');"
            "return row && row.children[0].innerText") == "metadata")

    def test_a_name_is_never_markup(self):
        page = self.depositing(self.start())
        self.hand_in(page, ODD, a_deposit("x"))
        page.says("received as submission 1")
        page.press(ODD)
        page.says("Successfully added")
        self.assertIsNone(page.run("return window.owned ?? null"))
        self.assertEqual(page.driver.find_elements("css selector", "img"), [])

    def test_nothing_is_wider_than_a_telephone(self):
        page = self.depositing(self.start())
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 360, "height": 740, "deviceScaleFactor": 1,
            "mobile": True})
        self.hand_in(page, "a-rather-long-name-of-a-file-" * 3 + ".xml",
                     a_deposit("x"))
        page.says("completed")
        self.assertLessEqual(page.run(
            "return document.documentElement.scrollWidth"), 360)

    def test_everybody_can_use_it(self):
        axe = self.needs_axe()
        page = self.depositing(self.start())
        self.hand_in(page, "x.xml", a_deposit("x"))
        page.says("completed")
        self.check_access(page, axe)


if __name__ == "__main__":
    harness.main()
