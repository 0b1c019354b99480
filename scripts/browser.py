"""Headless Chromium on the operators' page, by Selenium (Debian's packages)."""

import sys
import time

# Debian's modules are pure Python: another interpreter may have them, too.
DEBIAN = "/usr/lib/python3/dist-packages"


def selenium_there():
    """None if all is there, else what is not."""
    try:
        import selenium.webdriver  # noqa: F401
    except ImportError:
        if DEBIAN in sys.path:
            return "python3-selenium"
        sys.path.append(DEBIAN)
        return selenium_there()
    from shutil import which
    for program in ("chromium", "chromedriver"):
        if not which(program):
            return program
    return None


class Browser:
    """One window; `page` is the address of the admin port."""

    def __init__(self, page, width=1360, height=900):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        options = Options()
        for one in ("--headless=new", "--no-sandbox", "--disable-gpu",
                    "--disable-dev-shm-usage", "--lang=en",
                    f"--window-size={width},{height}"):
            options.add_argument(one)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            service=Service("/usr/bin/chromedriver"), options=options)
        self.page = page

    def close(self):
        self.driver.quit()

    def go(self, view=""):
        self.driver.get(f"{self.page}/#/{view}")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self):
        """What can be read, without what stands in fields."""
        return self.run("return document.body.innerText")

    def first(self, selector):
        """The element, or None; it may be gone the next moment."""
        found = self.driver.find_elements("css selector", selector)
        return found[0] if found else None

    def wait(self, condition, timeout=30):
        """Until the condition gives something true, and returns that. What a
        page has just taken away is looked for again."""
        from selenium.common.exceptions import StaleElementReferenceException
        deadline = time.monotonic() + timeout
        while True:
            try:
                found = condition()
            except StaleElementReferenceException:
                found = None
            if found:
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {timeout} s; the page says: "
                                     + self.text()[:2000])
            time.sleep(0.02)

    def says(self, text, timeout=30):
        self.wait(lambda: text in self.text(), timeout)

    def element(self, selector):
        return self.wait(lambda: self.first(selector))

    def press(self, label, within="body"):
        """Clicks the first button or link that reads like that."""
        def pressed():
            for x in self.driver.find_elements(
                    "css selector", f"{within} button, {within} a"):
                if x.is_displayed() and x.is_enabled() and x.text == label:
                    x.click()
                    return True
            return False
        self.wait(pressed)

    def type(self, selector, text):
        field = self.element(selector)
        field.clear()
        field.send_keys(text)

    def keys(self, *names):
        self.driver.find_element("css selector", "body").send_keys(*names)

    def log_in(self, name, password):
        self.type("#name", name)
        self.type("#password", password)
        self.press("Log in")

    def complaints(self):
        """What the browser found wrong: scripts that failed, policy that was
        broken; but not what servers answered."""
        return [x["message"] for x in self.driver.get_log("browser")
                if x["level"] == "SEVERE"
                and "Failed to load resource" not in x["message"]
                and "ERR_" not in x["message"]]
