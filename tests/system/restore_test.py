"""The restore drill of a data folder: a backup under load, damage, the
judgement of depositd check, the restoring lines of docs/operations/backup.md.
All that was acknowledged before the backup is there, and what was open is done
once."""

import threading

import harness
from deposit_door import Diagnostic
from drill import Drill
from engine import EngineFailed
from harness import (BROKEN, SystemTest, a_deposit, ask_json,
                     wait_until)

SETTINGS = {"store.segment_mb": 1, "emodb.anonymous": "true"}
FINISHED, WAITING, MESSAGES, ACKED, HELD = 12, 8, 300, 40, 10
WORK = "/queue/1/work"
HOUR_S = 3600


class Restore(SystemTest):
    def setUp(self):
        super().setUp()
        self.instance = self.engine(SETTINGS)
        self.drill = Drill(self.folder, {
            "DATA": self.instance.data, "COPY": self.folder / "copy"},
            self.systemd)

    def systemd(self, verb, unit):
        self.assertEqual(unit, "depositd")
        if verb == "start":
            self.drill.meet(self.instance.start())
        elif self.instance.alive():
            self.assertEqual(self.instance.stop(), 0)

    def call(self, method, path, body=None):
        status, answer = ask_json(self.instance.address("http"), method, path,
                                  body)
        if status != 200:
            raise ValueError(f"{method} {path}: {status} {answer}")
        return answer

    # -- before -------------------------------------------------------------

    def deposit(self, door, names):
        for name in names:
            self.assertTrue(
                door.deposit(f"{name}.xml", a_deposit(name)).accepted)

    def work_in_every_state(self):
        """Deposits that are done and that wait; messages that wait, are
        claimed, and are acknowledged."""
        door = self.depositor(self.instance, "press")
        self.deposit(door, [f"done-{n}" for n in range(FINISHED)])
        for n in range(FINISHED):
            self.outcome(door, f"done-{n}.xml")
        self.instance.ctl("queue", "suspend", "metadata")
        self.deposit(door, [f"waits-{n}" for n in range(WAITING)])
        self.call("POST", WORK + "/sendbatch",
                  [{"n": n} for n in range(MESSAGES)])
        taken = self.poll(ACKED)
        self.call("POST", WORK + "/ack", [x["id"] for x in taken])
        self.held = self.poll(HELD)
        self.acked = {x["payload"]["n"] for x in taken}
        self.assertEqual(len(self.acked), ACKED)

    def poll(self, limit):
        return self.call("GET", f"{WORK}/poll?limit={limit}&ttl={HOUR_S}")

    def keep_sending(self):
        """(numbers that were acknowledged, what ends it)"""
        accepted, over = [], threading.Event()

        def send():
            n = MESSAGES
            while not over.is_set():
                try:
                    self.call("POST", WORK + "/send", {"n": n})
                    accepted.append(n)
                except BROKEN:
                    pass
                n += 1
        thread = threading.Thread(target=send)
        thread.start()

        def end():
            over.set()
            thread.join()
        self.addCleanup(end)
        return accepted, end

    # -- damage -------------------------------------------------------------

    def damage(self):
        """As a disk does it: a turned byte in the journal, a lost table."""
        self.instance.kill()
        data = self.instance.data
        segment = min((data / "journal").glob("*.segment"))
        with open(segment, "r+b") as file:
            file.seek(4096 + 300)
            byte = file.read(1)
            file.seek(4096 + 300)
            file.write(bytes([byte[0] ^ 0x10]))
        (data / "registry.db").write_bytes(b"no table")
        return segment.name

    # -- the drill ----------------------------------------------------------

    def test_what_was_acknowledged_before_the_backup_is_there(self):
        self.systemd("start", "depositd")
        self.work_in_every_state()
        accepted, end = self.keep_sending()
        wait_until(lambda: len(accepted) > 50)
        before = set(accepted)
        code, said = self.drill.type("backup")
        self.assertEqual((code, said.splitlines()[-1]), (0, "sound"), said)
        wait_until(lambda: len(accepted) > len(before) + 50)
        end()
        segment = self.damage()
        code, said = self.drill.type("judge")
        self.assertEqual(code, 1, said)
        faults = [x for x in said.splitlines() if x.startswith("fault:")]
        for name in (segment, "registry.db"):
            self.assertTrue(any(name in x for x in faults), (name, said))
        with self.assertRaises(EngineFailed):
            self.instance.start()
        code, said = self.drill.type("restore")
        self.assertEqual(code, 0, said)
        self.assertIn("sound", said)
        self.messages_are_there(before, set(accepted))
        self.deposits_are_done_once()
        self.assertEqual(self.instance.stop(), 0)
        self.instance.start()
        self.assertEqual(self.poll(10), [])

    def messages_are_there(self, before, ever):
        # What was claimed still is, by the same ids.
        self.call("POST", WORK + "/ack", [x["id"] for x in self.held])
        found = []
        while some := self.poll(500):
            found += [x["payload"]["n"] for x in some]
            self.call("POST", WORK + "/ack", [x["id"] for x in some])
        gone = self.acked | {x["payload"]["n"] for x in self.held}
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(set(found) & set(range(MESSAGES)),
                         set(range(MESSAGES)) - gone)
        late = set(found) - set(range(MESSAGES))
        self.assertLessEqual(before, late)
        self.assertLessEqual(late, set(range(MESSAGES, max(ever) + 1)))
        self.assertEqual(self.call("GET", WORK + "/size"), 0)

    def deposits_are_done_once(self):
        self.instance.ctl("queue", "resume", "metadata")
        door = self.door(self.instance, "press")
        names = [f"done-{n}" for n in range(FINISHED)] \
            + [f"waits-{n}" for n in range(WAITING)]
        for name in names:
            found = self.outcome(door, f"{name}.xml")
            [record] = Diagnostic(found.document).records
            # Recorded twice it would be called updated.
            self.assertEqual(record[0], "Success", found.document)
            self.assertIn("added", record[2], found.document)
        rows = self.instance.submissions()
        self.assertEqual(sorted(x["file_name"] for x in rows),
                         sorted(f"{x}.xml" for x in names))
        self.assertEqual({x["attempt"] for x in rows}, {1})


if __name__ == "__main__":
    harness.main()
