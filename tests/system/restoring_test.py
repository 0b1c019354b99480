"""What is stored can be had back, compared and deleted: through the real
program, from the bag that was sent to the bag that is given back."""

import hashlib
import json
import urllib.parse

import harness
from aptrust_samples import Bag, payload
from bags import INSTITUTION, BagTest, files_of
from harness import wait_until
from stored_objects import stored_objects


class Restoring(BagTest):
    # -- restoring ----------------------------------------------------------

    def test_an_object_comes_back_bit_by_bit(self):
        engine = self.prepared()
        bag = Bag("photos", payload(1))
        self.store(engine, bag)
        uuid = self.order(engine, "object", "restore", bag.identifier())
        self.ended(engine, uuid)
        files = files_of(self.given_back(engine, "photos.tar").read_bytes())
        for path, content in bag.payload.items():
            self.assertEqual(files[f"data/{path}"], content, path)
        self.assertEqual(files["aptrust-info.txt"],
                         bag.tag_files()["aptrust-info.txt"])
        listed = dict(reversed(line.split(maxsplit=1)) for line in
                      files["manifest-sha256.txt"].decode().splitlines())
        for path, content in bag.payload.items():
            self.assertEqual(listed[f"data/{path}"],
                             hashlib.sha256(content).hexdigest())
        events = engine.rows("object", "events", bag.identifier(), "--type",
                             "dissemination")
        self.assertEqual(len(events), 1)

    def test_a_file_comes_back_and_over_http_too(self):
        engine = self.prepared()
        bag = Bag("photos", payload(2))
        self.store(engine, bag)
        path, content = next(iter(bag.payload.items()))
        uuid = self.order(engine, "file", "restore", bag.identifier(),
                          f"data/{path}")
        self.ended(engine, uuid)
        place = self.given_back(engine, f"photos/data/{path}")
        self.assertEqual(place.read_bytes(), content)
        place.unlink()
        target = urllib.parse.quote(bag.identifier())
        status, said = self.http(engine, "POST", f"/poster/restore/{target}",
                                 file=f"data/{path}")
        self.assertEqual(status, 200, said)
        self.ended(engine, said["batch"])
        self.assertEqual(place.read_bytes(), content)
        status, said = self.http(engine, "POST", "/poster/restore/none/such")
        self.assertEqual(status, 404, said)

    def test_an_object_has_one_order_at_a_time(self):
        engine = self.prepared()
        bag = Bag("photos", payload(1))
        self.store(engine, bag)
        engine.ctl("pipeline", "pause", "aptrust_restore_object")
        uuid = self.order(engine, "object", "restore", bag.identifier())
        refused = engine.ctl_result("object", "restore", bag.identifier())
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not finished", refused.stderr)
        engine.kill()
        engine.start()
        refused = engine.ctl_result("object", "restore", bag.identifier())
        self.assertEqual(refused.returncode, 1, "after a crash, too")
        engine.ctl("pipeline", "unpause", "aptrust_restore_object")
        self.ended(engine, uuid)

        def may_order():
            said = engine.ctl_result("object", "restore", bag.identifier())
            return said.returncode == 0
        wait_until(may_order, 30, pause=0.2)

    def test_orders_survive_kills(self):
        engine = self.prepared()
        bags = [Bag(f"bag{i}", payload(i, count=20)) for i in range(4)]
        for bag in bags:
            self.store(engine, bag)
        uuids = [self.order(engine, "object", "restore", bag.identifier())
                 for bag in bags]
        for _ in range(3):
            engine.kill()
            engine.start()
        for bag, uuid in zip(bags, uuids):
            self.ended(engine, uuid, timeout=120)
            files = files_of(
                self.given_back(engine, f"{bag.name}.tar").read_bytes())
            for path, content in bag.payload.items():
                self.assertEqual(files[f"data/{path}"], content)
        self.assertFalse(list((engine.data / "work").glob("bid-*")))

    # -- fixity -------------------------------------------------------------

    def test_a_bit_that_turned_is_found(self):
        engine = self.prepared()
        bag = Bag("photos", payload(1))
        self.store(engine, bag)
        uuid = self.order(engine, "fixity", "run", bag.identifier(), "--force")
        rows = self.ended(engine, uuid)
        self.assertEqual(len(rows), len(bag.payload) + 2)
        path, content = next((path, content) for path, content
                             in bag.payload.items() if content)
        kept = next(file for file in (engine.data / "objects").rglob("*")
                    if file.is_file() and file.read_bytes() == content)
        kept.chmod(0o600)
        kept.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        uuid = self.order(engine, "fixity", "run", bag.identifier(), "--file",
                          f"data/{path}", "--force")
        job = self.ended(engine, uuid, "failed")[0]
        self.assertIn("SHA-512", job["note"])
        self.assertTrue(job["needs_review"])
        self.assertIn(job["id"],
                      [row["id"] for row in engine.rows("review", "list")])
        events = engine.rows("object", "events", bag.identifier(), "--type",
                             "fixity check", "--file-name", f"data/{path}")
        # Of the ingest, of the check before, and of this one.
        self.assertEqual([event["outcome"] for event in events],
                         ["success", "success", "failure"])
        restore = self.order(engine, "file", "restore", bag.identifier(),
                             f"data/{path}")
        self.ended(engine, restore, "failed")
        self.assertFalse(
            self.given_back(engine, f"photos/data/{path}").exists())

    def test_what_was_stored_today_is_not_due(self):
        engine = self.prepared()
        bag = Bag("photos", payload(1))
        self.store(engine, bag)
        said = engine.ask("fixity", "run")
        self.assertEqual(said["files"], 0)
        rows = engine.rows("fixity", "list", "--age-days", "0")
        self.assertEqual(len(rows), len(bag.payload) + 2)
        uuid = self.order(engine, "fixity", "run", bag.identifier())
        for job in self.ended(engine, uuid):
            self.assertIn("was checked at", job["note"])

    def test_a_reconciler_queues_what_is_due_once(self):
        engine = self.prepared({"reconcilers.fixity.query": "fixity_due",
                                "reconcilers.fixity.every_s": 86400,
                                "reconcilers.fixity.age_days": 0,
                                "orders.fixity_age_days": 0})
        bag = Bag("photos", payload(1))
        self.store(engine, bag)
        engine.stop()
        engine.start()

        def runs():
            return [row for row in engine.rows("batch", "list")
                    if row["pipeline"] == "aptrust_fixity_check"]
        batch = wait_until(runs, 60, pause=0.2)[0]
        self.ended(engine, batch["uuid"])
        for _ in range(2):
            engine.kill()
            engine.start()
            engine.ask("status")
        self.assertEqual(len(runs()), 1)

    # -- deleting -----------------------------------------------------------

    def test_a_deletion_takes_two_of_one_institution(self):
        engine = self.prepared()
        for name in ("ann", "bob"):
            engine.ctl("operator", "add", name, "--role", "operate", "--users",
                       INSTITUTION, "--password-stdin",
                       text=f"secret-{name}\n")
        bag = Bag("photos", payload(1))
        kept = Bag("maps", payload(2))
        self.store(engine, bag)
        self.store(engine, kept)
        asked = self.as_operator(engine, "ann", "object", "delete",
                                 bag.identifier(), "--reason", "twice there",
                                 "--json")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        reference = json.loads(asked.stdout)["reference"]
        own = self.as_operator(engine, "ann", "deletion", "approve", reference,
                               "--yes")
        self.assertEqual(own.returncode, 1, own.stdout)
        admin = engine.ctl_result("deletion", "approve", reference, "--yes")
        self.assertEqual(admin.returncode, 1, "nobody of the institution")
        self.assertIn(bag.identifier(),
                      stored_objects(engine.data / "objects"))
        said = self.as_operator(engine, "bob", "deletion", "approve",
                                reference, "--yes")
        self.assertEqual(said.returncode, 0, said.stderr)

        def is_gone():
            return (bag.identifier()
                    not in stored_objects(engine.data / "objects"))
        wait_until(is_gone, 60, pause=0.2)
        wait_until(lambda: engine.ctl_result(
            "object", "show", bag.identifier()).returncode == 1, 30, pause=0.2)
        shown = engine.ask("deletion", "show", reference)
        self.assertEqual(shown["state"], "queued")
        self.assertEqual(shown["inst_approver"], "operator=bob")
        jobs = engine.ask("object", "history", bag.identifier())["jobs"]
        self.assertTrue(jobs, "its jobs are remembered")
        self.assertIn(kept.identifier(),
                      stored_objects(engine.data / "objects"))

    def test_what_was_approved_is_queued_after_a_crash(self):
        engine = self.prepared()
        engine.ctl("operator", "add", "bob", "--role", "operate", "--users",
                   INSTITUTION, "--password-stdin", text="secret-bob\n")
        bag = Bag("photos", payload(1))
        self.store(engine, bag)
        target = urllib.parse.quote(bag.identifier())
        status, said = self.http(engine, "POST", f"/poster/delete/{target}")
        self.assertEqual(status, 202, said)
        status, listed = self.http(engine, "GET", "/poster/deletions")
        self.assertEqual(status, 200)
        self.assertEqual([x["reference"] for x in listed["requests"]],
                         [said["reference"]])
        done = self.as_operator(engine, "bob", "deletion", "approve",
                                said["reference"], "--yes")
        engine.kill()
        engine.start()
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until(lambda: bag.identifier() not in
                   stored_objects(engine.data / "objects"), 120, pause=0.5)


if __name__ == "__main__":
    harness.main()
