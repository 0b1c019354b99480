"""Deposits that an operator cancels and submits again, seen by depositors."""

import harness
from harness import SystemTest, a_deposit, wait_until


class Orders(SystemTest):
    def prepared(self):
        # So that who polls by name finds what is submitted again.
        engine = self.start({**self.no_pipelines(),
                             "crossref.newest_first": "true"})
        door = self.depositor(engine, "ann")
        engine.ctl("queue", "suspend", "metadata")
        return engine, door

    def deposit(self, engine, door, name):
        self.assertTrue(door.deposit(name, a_deposit(name)).accepted)
        return door.poll(name).submission_id

    def test_a_cancelled_one_is_told_and_submitted_again(self):
        engine, door = self.prepared()
        first = self.deposit(engine, door, "a")
        engine.ctl("submission", "cancel", str(first), "--note",
                   "sent by mistake", "--yes")
        found = door.poll("a")
        self.assertTrue(found.completed)
        (_, _, message), = found.failures()
        self.assertIn("sent by mistake", message)
        again = engine.ctl_result("submission", "cancel", str(first), "--yes")
        self.assertEqual(again.returncode, 1)
        self.assertIn("has failed already", again.stderr)

        answer = engine.ask("submission", "requeue", str(first))
        self.assertEqual(answer["of"], first)
        self.assertNotEqual(answer["id"], first)
        engine.ctl("queue", "resume", "metadata")
        # Until it is processed, its batch id is known of the first one alone.
        wait_until(lambda: not door.poll("a").failures())
        refused = engine.ctl_result("submission", "requeue", str(answer["id"]))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("was completed", refused.stderr)

    def test_many_are_counted_then_cancelled_and_stay_so(self):
        engine, door = self.prepared()
        other = self.depositor(engine, "bob")
        names = [f"a{i}" for i in range(5)]
        for name in names:
            self.deposit(engine, door, name)
        self.deposit(engine, other, "b")
        engine.ctl("park", "--user", "ann", "--yes")
        late = self.deposit(engine, door, "late")
        orders = ("submission", "cancel", "--user", "ann")
        self.assertEqual(engine.ask(*orders, "--count")["matched"], 6)
        self.assertEqual(engine.ctl_result(*orders).returncode, 2)
        self.assertEqual(engine.ask(*orders, "--yes")["cancelled"], 6)
        engine.kill()
        engine.start()
        engine.ctl("queue", "resume", "metadata")
        self.outcome(self.door(engine, "bob"), "b")
        rows = {row["id"]: row for row in engine.submissions(["ann"])}
        self.assertEqual(len(rows), 6)
        for row in rows.values():
            self.assertEqual((row["status"], row["failed"], row["attempt"]),
                             ("completed", True, 0))
        self.assertIn("cancelled by", rows[late]["reason"])


if __name__ == "__main__":
    harness.main()
