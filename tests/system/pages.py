"""What tests of the operators' page share: an engine with operators, and
browsers that have logged in."""

from browser import Browser, selenium_there
from harness import SystemTest, a_deposit, fetched


class PageTest(SystemTest):
    def setUp(self):
        lacks = selenium_there()
        if lacks:
            print(f"SKIPPED: {lacks} is missing (scripts/setup)", flush=True)
            self.skipTest(f"{lacks} is missing")
        super().setUp()

    def running(self, settings=None):
        engine = self.start({**self.no_pipelines(), **(settings or {})})
        for name, role in (("ada", "administer"), ("leo", "look")):
            engine.ctl("operator", "add", name, "--role", role,
                       "--password-stdin", text=f"secret-{name}\n")
        return engine

    def browser(self, engine, name="ada"):
        out = Browser("http://" + engine.ready["admin"])
        self.addCleanup(out.close)
        self.addCleanup(lambda: self.assertEqual(out.complaints(), []))
        out.go()
        if name:
            out.log_in(name, f"secret-{name}")
            out.says("Who waits longest")
        return out

    def needs_axe(self):
        """The text of axe-core; without it the test is skipped."""
        axe = fetched("axe", "axe.min.js")
        if not axe:
            print("SKIPPED: axe-core is missing (scripts/setup --all)",
                  flush=True)
            self.skipTest("axe-core is missing")
        return axe.read_text()

    def check_access(self, page, axe, where=None):
        """Nothing on the page keeps anybody from using it."""
        page.run(axe)
        found = page.driver.execute_async_script(
            "axe.run().then(arguments[0])")
        self.assertEqual([(x["id"], x["nodes"][0]["html"])
                          for x in found["violations"]
                          if x["impact"] in ("serious", "critical")], [],
                         where)

    def deposits(self, engine, user, count, name="w"):
        door = self.depositor(engine, user)
        for i in range(count):
            self.assertTrue(door.deposit(f"{name}-{i}.xml",
                                         a_deposit(f"{user}-{i}")).accepted)
        return door
