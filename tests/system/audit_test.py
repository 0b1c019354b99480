"""The audit log's own files."""

import stat

import harness
from engine import EngineFailed
from harness import SystemTest, a_deposit, wait_until
from queue_door import QueueDoor


class Audit(SystemTest):
    def lines(self, folder):
        return [line for path in sorted(folder.glob("audit-*.log"))
                for line in path.read_text().splitlines()
                if "audit who" in line]

    def test_each_change_is_a_line_and_restarts_add_to_them(self):
        engine = self.start()
        folder = engine.data / "audit"
        engine.ctl("suspend")
        wait_until(lambda: len(self.lines(folder)) == 1)
        engine.stop()
        engine.start()
        engine.ctl("resume")
        engine.ctl("status")
        engine.stop()
        found = self.lines(folder)
        self.assertEqual(len(found), 2, found)
        self.assertIn('command="suspend"', found[0])
        self.assertIn('command="resume"', found[1])
        for path in folder.iterdir():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_operators_read_it_page_by_page(self):
        engine = self.start()
        engine.ctl("suspend")
        engine.ctl("resume")
        wait_until(lambda: len(self.lines(engine.data / "audit")) == 2)
        first = engine.ask("audit", "list", "--limit", "1")
        self.assertEqual([x["command"] for x in first["audit"]], ["resume"])
        rest = engine.ask("audit", "list", "--after", first["next"])
        self.assertEqual([x["command"] for x in rest["audit"]], ["suspend"])
        self.assertNotIn("next", rest)
        found = engine.ask("audit", "list", "--text", '"suspend"')["audit"]
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["result"], "done")
        self.assertRegex(engine.ctl("audit", "list"), r"\bsuspend  ")

    def test_what_clients_order_is_in_it(self):
        engine = self.start()
        key = engine.ask("key", "add", "loader", "--role",
                         "queue_admin")["key"]
        queue = QueueDoor(engine.address("http"), "orders", key)
        self.addCleanup(queue.close)
        queue.send(["a", "b"])
        queue.ack([x["id"] for x in queue.poll(1)])
        queue.call("POST", "/unclaimall")
        moved = QueueDoor(engine.address("http"), "_move", key)
        self.addCleanup(moved.close)
        moved.call("POST", "?from=orders&to=later")
        queue.call("DELETE", "")
        who = "key loader from 127.0.0.1"

        def lines():
            found = engine.ask("audit", "list", "--text", who)["audit"]
            return found if len(found) == 3 else None
        found = wait_until(lines)
        self.assertEqual([(x["who"], x["command"], x["arguments"],
                           x["result"]) for x in reversed(found)],
                         [(who, "queue unclaimall", {"name": "orders"},
                           "done"),
                          (who, "queue move",
                           {"from": "orders", "to": "later"}, "done"),
                          (who, "queue purge", {"name": "orders"}, "done")])

    def test_settings_are_shown_without_secrets(self):
        engine = self.start({"store.url": "postgresql://me:very-secret@h/d",
                             "kafka.sasl.user": "me"})
        shown = {x["key"]: x["value"]
                 for x in engine.ask("settings")["settings"]}
        self.assertEqual(shown["store.url"], "***")
        self.assertEqual(shown["kafka.sasl.user"], "me")
        self.assertIn("data.folder", shown)
        self.assertNotIn("very-secret", engine.ctl("settings"))

    def test_secrets_in_addresses_and_options_are_not_shown(self):
        given = {
            "schedulers.s.queue": "orders",
            "schedulers.s.downstream": "http://127.0.0.1:1/left?token=hidden",
            "sources.a.scheduler": "s",
            "sources.a.kind": "sql",
            "sources.a.query": "select 1 as id limit :limit",
            "sources.a.key": "id",
            "sources.a.url": "odbc:DSN=d;UID=me;PWD=hidden",
            "sources.b.scheduler": "s",
            "sources.b.kind": "exec",
            "sources.b.command": "/bin/echo --pass hidden",
            "sources.b.key": "id",
            "kafka.options": "sasl.oauthbearer.client.secret=hidden",
            "reviews.webhook": "https://h.example/hook?key=hidden"}
        engine = self.start(given)
        shown = {x["key"]: x["value"]
                 for x in engine.ask("settings")["settings"]}
        self.assertEqual([k for k, v in shown.items() if v == "***"],
                         ["kafka.options", "reviews.webhook",
                          "schedulers.s.downstream", "sources.a.url"])
        self.assertEqual(shown["sources.a.key"], "id")
        self.assertEqual(shown["sources.b.command"], "/bin/echo ***")
        self.assertEqual(engine.ask("source", "show", "b")["command"],
                         "/bin/echo ***")
        self.assertNotIn("hidden", engine.ctl("settings"))

    def test_nothing_goes_soon_after_a_start(self):
        """The clock may be ahead; audit_folder_test.cpp has the rest."""
        folder = self.folder / "kept"
        folder.mkdir()
        (folder / "audit-2001-01.log").write_text("old\n")
        engine = self.start({"audit.file": str(folder)})
        engine.ctl("suspend")
        engine.stop()
        self.assertEqual(len(list(folder.glob("audit-*.log"))), 2)
        self.assertTrue((folder / "audit-2001-01.log").exists())
        self.assertFalse((engine.data / "audit").exists())

    def test_a_place_that_takes_no_files_ends_the_start(self):
        file = self.folder / "file"
        file.write_text("kept\n")
        for place in (file, file / "below"):
            with self.subTest(place):
                with self.assertRaises(EngineFailed) as caught:
                    self.start({"audit.file": str(place)})
                self.assertEqual(caught.exception.code, 2)
                self.assertIn("audit.file: ", caught.exception.log)
        self.assertEqual(file.read_text(), "kept\n")

    def test_none_leaves_the_lines_to_standard_error(self):
        engine = self.start({"audit.file": "none"})
        engine.ctl("suspend")
        self.assertIn('command="suspend"', engine.log())
        engine.stop()
        self.assertFalse((engine.data / "audit").exists())


class Privacy(SystemTest):
    def test_what_is_known_of_a_user_goes_and_stays_gone(self):
        engine = self.start()
        for user in ("ann", "bob"):
            door = self.depositor(engine, user)
            door.deposit("x.xml", a_deposit(f"of-{user}"))
            self.outcome(door, "x.xml")
        engine.ctl("user", "forget", "ann", "--yes")
        for _ in range(2):
            self.assertEqual({x["user"] for x in engine.submissions()},
                             {"bob"})
            # Its turns stay in the ring, under its name.
            self.assertEqual({x["user"] for x in engine.rows("user", "list")
                              if x["account"]}, {"bob"})
            engine.stop()
            engine.start()
        # Who did it stays, as it must.
        found = engine.ask("audit", "list", "--text", "user forget")["audit"]
        self.assertEqual([x["result"] for x in found], ["done"])

    def test_nothing_goes_while_something_of_the_user_waits(self):
        engine = self.start({"processors.count": 0})
        self.depositor(engine, "ann").deposit("x.xml", a_deposit("x"))
        refused = engine.ctl_result("user", "forget", "ann", "--yes")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("submission 1 of ann", refused.stderr)
        self.assertEqual(len(engine.submissions()), 1)


if __name__ == "__main__":
    harness.main()
