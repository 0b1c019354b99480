"""What tests of the operators' page share: an engine with operators, and
browsers that have logged in."""

from browser import Browser, selenium_there
from harness import SystemTest, a_deposit


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

    def deposits(self, engine, user, count, name="w"):
        door = self.depositor(engine, user)
        for i in range(count):
            self.assertTrue(door.deposit(f"{name}-{i}.xml",
                                         a_deposit(f"{user}-{i}")).accepted)
        return door
