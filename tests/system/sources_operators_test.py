"""What operators do with pulled work: sources and schedulers come, change and
go, strategies are explained and switched, failed records are fed again."""

import csv
import io
import json

from engine import EngineFailed
from harness import PROGRAMS, wait_until
from pulled import (QUEUE, SCHEDULER, ConfiguredEngine, PulledTest, main,
                    words)

SOURCE_KEYS = """name kind scheduler state buffer capacity replenish_threshold
known in_flight replenishing replenishes replenish_ms_last
replenish_records_last failures error error_at cursor rate done total left_s
duplicates bad bad_last records""".split()
SCHEDULER_KEYS = """name queue strategy high low high_per_user state left fed
rate sources""".split()

EXEC = {"kind": "exec", "scheduler": SCHEDULER, "key": "id",
        "command": "/bin/true"}


class Documents(PulledTest):
    def test_they_are_those_that_were_agreed_on(self):
        engine = self.pulling()
        added = self.add_feeder(engine, "one", [])
        self.add_feeder(engine, "two", [])
        # Counts move while the two are asked for; names do not.
        for document in (added, self.source(engine, "one"),
                         *engine.ask("source", "list")["sources"],
                         *self.api(engine, "sources")[1]["sources"],
                         self.api(engine, "sources/two")[1]):
            self.assertEqual(list(document)[:len(SOURCE_KEYS)], SOURCE_KEYS)
        scheduler = self.scheduler(engine)
        for document in (scheduler,
                         *engine.ask("scheduler", "list")["schedulers"],
                         *self.api(engine, "schedulers")[1]["schedulers"],
                         self.api(engine, f"schedulers/{SCHEDULER}")[1]):
            self.assertEqual(list(document)[:len(SCHEDULER_KEYS)],
                             SCHEDULER_KEYS)
        self.assertEqual(
            {key: scheduler[key] for key in SCHEDULER_KEYS
             if key not in ("state", "left", "fed", "rate")},
            {"name": SCHEDULER, "queue": QUEUE, "strategy": "fair(*)",
             "high": 10000, "low": 5000, "high_per_user": None,
             "sources": ["one", "two"]})
        self.assertEqual(
            [x["name"] for x in engine.ask("source", "list")["sources"]],
            ["one", "two"])
        self.assertEqual((added["kind"], added["scheduler"],
                          added["capacity"], added["replenish_threshold"]),
                         ("exec", SCHEDULER, 10000, 5000))

    def test_what_is_paused_keeps_its_buffer_and_what_goes_takes_it_along(self):
        engine = self.pulling(high=1)
        self.add_feeder(engine, "one", self.numbered("one", range(1, 11)))
        door = self.queue(engine)
        self.await_source(engine, "one", buffer=9, in_flight=1)
        self.assertEqual(engine.ask("source", "pause", "one")["state"],
                         "paused")
        self.keys(door, 1)
        self.await_source(engine, "one", in_flight=0, done=1, buffer=9)
        self.assertEqual(self.source(engine, "one")["state"], "paused")
        engine.ctl("source", "resume", "one")
        self.await_source(engine, "one", in_flight=1, buffer=8,
                          state="running")
        self.assert_refused(engine, "source", "remove", "one", code=2,
                            says="--yes")
        self.assertEqual(engine.ask("source", "remove", "one", "--yes"),
                         {"name": "one", "removed": True})
        self.assert_refused(engine, "source", "show", "one", says="one")
        # What was queued stays, and is taken as any other item.
        self.assertEqual(len(self.keys(door, 1)), 1)
        self.assertEqual(self.scheduler(engine)["sources"], [])
        engine.ctl("scheduler", "remove", SCHEDULER, "--yes")
        self.assertEqual(engine.ask("scheduler", "list")["schedulers"], [])

    def test_a_source_of_an_old_name_knows_nothing_of_the_old_one(self):
        engine = self.pulling()
        door = self.queue(engine)
        for records in (self.numbered("one", [1]), []):
            self.add_feeder(engine, "one", records)
            self.assertEqual(self.keys(door, 1), ["one-1"])
            engine.ctl("source", "remove", "one", "--yes")


class Strategies(PulledTest):
    def full(self, engine, *names, capacity=20):
        """Sources with more than their buffers hold, and full buffers: the
        scheduler is at its mark."""
        for name in names:
            self.add_feeder(engine, name, self.numbered(name, range(1, 201)),
                            capacity=capacity,
                            replenish_threshold=capacity - 1)
        for name in names:
            self.await_source(engine, name, buffer=capacity)

    def explain(self, engine, *more):
        return engine.ask("strategy", "explain", SCHEDULER, *more)

    def picks(self, engine, text, count):
        found = self.explain(engine, "--strategy", text, "--picks", str(count))
        self.assertEqual(found["next"], found["picks"][0])
        return {x: found["picks"].count(x) for x in found["picks"]}

    def test_they_are_explained_without_being_set(self):
        engine = self.pulling(high=1)
        self.full(engine, "a", "b", "z")
        found = self.explain(engine)
        self.assertEqual(list(found), ["scheduler", "strategy", "next", "why",
                                       "picks", "sources"])
        self.assertEqual(len(found["picks"]), 10)
        self.assertTrue(found["why"])
        self.assertEqual(found["sources"], [
            {"name": x, "buffer": 20} for x in ("a", "b", "z")])
        for text, picks in (
                ("fair(a, b)", {"a": 4, "b": 4}),
                ("weighted(a:3, b:1)", {"a": 6, "b": 2}),
                ("priority(z, a, b)", {"z": 8}),
                ("prefer b else fair(a, z)", {"b": 8}),
                ("fair(z, weighted(a:1, b:1))", {"z": 4, "a": 2, "b": 2})):
            self.assertEqual(self.picks(engine, text, 8), picks, text)
        # Whoever has nothing more is passed over, and no more than there are.
        self.assertEqual(self.picks(engine, "prefer b else a", 35),
                         {"b": 20, "a": 15})
        self.assertEqual(engine.ask("strategy", "show", SCHEDULER),
                         {"scheduler": SCHEDULER, "strategy": "fair(*)"})

    def test_nobody_has_any(self):
        engine = self.pulling()
        self.add_feeder(engine, "a", [])
        found = self.explain(engine)
        self.assertEqual((found["next"], found["picks"]), (None, []))

    def test_a_new_one_counts_from_the_next_pick(self):
        engine = self.pulling(high=1)
        self.full(engine, "a", "b", capacity=50)
        engine.ctl("strategy", "set", SCHEDULER, "weighted(a:3, b:1)")
        before = self.fed(engine)
        self.assertEqual(sum(before.values()), 1)
        # Ten rounds of four, exactly; the mark itself changes at run time.
        engine.ctl("scheduler", "set", SCHEDULER, "--high", "41", "--low",
                   "40")
        self.await_fed(engine, 41)
        after = self.fed(engine)
        self.assertEqual({x: after[x] - before[x] for x in after},
                         {"a": 30, "b": 10})
        engine.ctl("strategy", "set", SCHEDULER, "b")
        engine.ctl("scheduler", "set", SCHEDULER, "--high", "61", "--low",
                   "60")
        self.await_fed(engine, 61)
        self.assertEqual(self.fed(engine), {"a": after["a"],
                                            "b": after["b"] + 20})

    def fed(self, engine):
        return {x["name"]: x["in_flight"]
                for x in engine.ask("source", "list")["sources"]}

    def await_fed(self, engine, count):
        wait_until(lambda: sum(self.fed(engine).values()) == count)
        wait_until(lambda: self.scheduler(engine)["left"] == count)

    def test_an_error_points_at_its_column(self):
        engine = self.pulling()
        for name in ("a", "b"):
            self.add_feeder(engine, name, [])
        engine.ctl("strategy", "set", SCHEDULER, "prefer a else b")
        where = f"schedulers.{SCHEDULER}.strategy: column "
        for text, column in (("fair(a, nobody)", 9), ("fair(a", 7),
                             ("fair(a b)", 8), ("weighted(a:0)", 12),
                             ("prefer a", 9), ("fair(a, a)", 9),
                             ("limit(5/s, b) c", 15)):
            self.assert_refused(engine, "strategy", "set", SCHEDULER, text,
                                says=f"{where}{column}: ")
            self.assert_refused(engine, "strategy", "explain", SCHEDULER,
                                "--strategy", text, says=f"column {column}: ")
        self.assertEqual(
            engine.ask("strategy", "show", SCHEDULER)["strategy"],
            "prefer a else b")
        self.assert_refused(engine, "source", "remove", "a", "--yes",
                            says="names the source")
        self.assert_refused(engine, "strategy", "show", "nobody",
                            says="nobody")


class Refusals(PulledTest):
    WRONG = [
        ({"scheduler": "nobody"}, "x", "sources.x.scheduler: "),
        ({"capacity": 10, "replenish_threshold": 10}, "x",
         "sources.x.capacity: "),
        ({"capacity": 0}, "x", "sources.x.capacity: "),
        ({"key": ""}, "x", "sources.x.key: "),
        ({"command": ""}, "x", "sources.x.command: "),
        ({"command": "echo 'open"}, "x", "sources.x.command: "),
        ({"topic": "t"}, "x", "sources.x.topic: "),
        ({"retry_delay_ms": 500, "retry_delay_ms_max": 100}, "x",
         "sources.x.retry_delay_ms_max: "),
        ({"kind": "sql", "command": "", "url": "mysql://h/d",
          "query": "SELECT 1 AS id"}, "x", "sources.x.url: "),
        ({"kind": "sql", "command": "", "url": "sqlite:/x",
          "query": "SELECT :cursor AS id"}, "x", "sources.x.cursor: "),
        ({"kind": "folder", "command": ""}, "x", "sources.x.path: "),
        ({}, "fair", "sources.fair"),
        ({}, "a.b", "sources.a.b"),
    ]

    def options(self, changed):
        """Without what is empty, which nobody gave."""
        return {key: value for key, value in {**EXEC, **changed}.items()
                if value != ""}

    def test_the_shell_refuses_by_the_name_of_the_setting(self):
        engine = self.pulling()
        for changed, name, says in self.WRONG:
            self.assert_refused(engine, "source", "add", name,
                                *words(self.options(changed)), says=says)
        self.assertEqual(engine.ask("source", "list")["sources"], [])
        self.add_source(engine, "x", "exec", key="id", command="/bin/true")
        self.assert_refused(engine, "source", "add", "x", *words(EXEC),
                            says="x")
        self.assert_refused(engine, "source", "set", "x", "--capacity", "5",
                            "--replenish-threshold", "5",
                            says="sources.x.capacity: ")
        self.assert_refused(engine, "scheduler", "set", SCHEDULER, "--high",
                            "5", "--low", "5", says=f"schedulers.{SCHEDULER}.")
        self.assert_refused(engine, "scheduler", "add", SCHEDULER, "--queue",
                            "other", says=SCHEDULER)
        self.assert_refused(engine, "scheduler", "remove", SCHEDULER, "--yes",
                            says="x")
        for command in (("source", "show"), ("source", "pause"),
                        ("source", "failed"), ("source", "test"),
                        ("scheduler", "show")):
            self.assert_refused(engine, *command, "nobody", says="nobody")
        self.assertEqual(self.source(engine, "x")["capacity"], 10000)
        self.assertEqual(self.scheduler(engine)["high"], 10000)

    def test_settings_refuse_with_exit_2_and_the_same_words(self):
        scheduler = {f"schedulers.{SCHEDULER}.queue": QUEUE}
        for changed, name, says in self.WRONG:
            if "." in name:
                continue
            options = self.options(changed)
            self.assert_not_started({**scheduler, **{
                f"sources.{name}.{key}": value
                for key, value in options.items()}}, says)
        self.assert_not_started({**scheduler, **{
            f"schedulers.{SCHEDULER}.strategy": "fair(nobody)"}},
            f"schedulers.{SCHEDULER}.strategy: column 6: ")
        self.assert_not_started({
            f"schedulers.{SCHEDULER}.high": 10},
            f"schedulers.{SCHEDULER}.queue: ")
        self.assert_not_started({**scheduler,
                                 f"schedulers.{SCHEDULER}.highest": 10},
                                f"schedulers.{SCHEDULER}.highest")

    def assert_not_started(self, settings, says):
        engine = self.pulling_engine(settings)
        with self.assertRaises(EngineFailed) as refused:
            engine.start()
        self.assertEqual(refused.exception.code, 2, refused.exception)
        self.assertIn(says, refused.exception.log)


class Settings(PulledTest):
    def configured(self, text):
        path = self.folder / "depositd.yaml"
        path.write_text(text)
        engine = ConfiguredEngine(PROGRAMS, self.folder / "data", {
            "emodb.anonymous": "true", "processors.count": 0})
        engine.config = path
        self.addCleanup(engine.kill)
        return engine

    def test_those_of_a_file_hold_from_the_start(self):
        path = self.lines("rows", self.numbered("rows", range(1, 6)))
        command = self.program("cat", """
import sys
sys.stdout.write(open(sys.argv[1]).read())
""", path)
        # The source comes before its scheduler.
        engine = self.configured(f"""
sources:
  rows:
    kind: exec
    scheduler: main
    key: id
    command: {json.dumps(command)}
    capacity: 50
    ends: true
schedulers:
  main:
    queue: {QUEUE}
    strategy: limit(1000/s, rows)
    high: 40
    high_per_user: 30
""").start()
        self.assertEqual(self.keys(self.queue(engine), 5),
                         [f"rows-{n}" for n in range(1, 6)])
        told = self.await_source(engine, "rows", state="ended", done=5)
        self.assertEqual((told["capacity"], told["replenish_threshold"]),
                         (50, 25))
        told = self.scheduler(engine, "main")
        self.assertEqual((told["high"], told["low"], told["high_per_user"],
                          told["strategy"]),
                         (40, 20, 30, "limit(1000/s, rows)"))

    def test_what_the_shell_changed_survives_restarts(self):
        engine = self.configured(f"schedulers: {{main: {{queue: {QUEUE}}}}}\n")
        engine.start()
        door = self.queue(engine)
        options = {"scheduler": "main", "ends": False}
        for name in ("one", "two", "gone"):
            self.add_feeder(engine, name, self.numbered(name, [1]), **options)
        self.keys(door, 3)
        engine.ctl("source", "set", "one", "--capacity", "77",
                   "--replenish-threshold", "7", "--known-max", "5000")
        engine.ctl("source", "pause", "two")
        engine.ctl("source", "remove", "gone", "--yes")
        engine.ctl("scheduler", "set", "main", "--high", "70")
        engine.ctl("strategy", "set", "main", "prefer two else one")
        for name in ("one", "two"):
            self.await_source(engine, name, done=1, in_flight=0)
        kept = ("name", "kind", "scheduler", "state", "capacity",
                "replenish_threshold", "known", "in_flight", "cursor", "done",
                "records")
        before = [{key: x[key] for key in kept}
                  for x in engine.ask("source", "list")["sources"]]
        for stop in (engine.stop, engine.kill):
            stop()
            engine.start()
            for row in before:
                self.await_source(engine, **row)
            self.assertEqual(
                [x["name"] for x in engine.ask("source", "list")["sources"]],
                ["one", "two"])
            told = self.scheduler(engine, "main")
            self.assertEqual((told["high"], told["low"], told["strategy"]),
                             (70, 35, "prefer two else one"))
        # It goes on behind what it had, and nothing comes again.
        door = self.queue(engine)
        self.lines("one", self.numbered("one", [2]))
        self.lines("two", self.numbered("two", [2]))
        self.assertEqual(self.keys(door, 1), ["one-2"])
        engine.ctl("source", "resume", "two")
        self.assertEqual(self.keys(door, 1), ["two-2"])


class FailedRecords(PulledTest):
    def failed(self, engine):
        return engine.ask("source", "failed", "rows")["failed"]

    def fail_some(self, engine, door):
        """Of five records, those with an even number fail."""
        found = self.take(door, 5, ack=False)
        wrong = [x["id"] for x in found if x["payload"]["n"] % 2 == 0]
        door.fail(wrong, "no, \"never\"")
        door.ack(x["id"] for x in found if x["id"] not in wrong)

    def test_they_are_edited_as_csv_and_fed_again(self):
        engine = self.pulling()
        rows = self.numbered("rows", range(1, 6), owner="ann", text="a,\"b\"")
        self.add_feeder(engine, "rows", [*rows, {"n": 6, "owner": "bob"}],
                        user_field="owner")
        door = self.queue(engine)
        self.fail_some(engine, door)
        self.await_source(engine, "rows", done=5, bad=1)
        wait_until(lambda: len(self.failed(engine)) == 3)
        found = {x["key"]: x for x in self.failed(engine)}
        self.assertEqual(list(found["rows-2"]), ["key", "user", "error",
                                                 "body"])
        self.assertEqual((found["rows-2"]["user"], found["rows-2"]["error"]),
                         ("ann", "no, \"never\""))
        text = engine.ctl("source", "failed", "rows", "--csv")
        table = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(text.splitlines()[0], "key,user,error,body")
        self.assertEqual(len(table), 3)
        for row in table:
            # The bad one has no key until somebody gives it one.
            row["key"] = row["key"] or "rows-6"
            row["body"] = json.dumps({**json.loads(row["body"]),
                                      "mended": True})
        self.feed(engine, table)
        self.assertEqual(
            sorted((x.get("id"), x["n"], x["mended"])
                   for x in self.payloads(door, 3) if "id" in x),
            [("rows-2", 2, True), ("rows-4", 4, True)])
        for key in ("rows-2", "rows-4", "rows-6"):
            self.await_record(engine, "rows", key, "finished")
        keys = {x["key"] for x in self.failed(engine)}
        self.assertFalse(keys & {"rows-2", "rows-4"}, keys)

    def feed(self, engine, table):
        path = self.folder / "mended.csv"
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, ["key", "user", "error", "body"])
            writer.writeheader()
            writer.writerows(table)
        engine.ctl("source", "feed", "rows", str(path))

    def test_what_is_no_such_table_is_refused(self):
        engine = self.pulling()
        self.add_feeder(engine, "rows", [])
        path = self.folder / "wrong.csv"
        path.write_text("key;body\nk;1\n")
        for where in (path, self.folder / "absent.csv"):
            done = engine.ctl_result("source", "feed", "rows", str(where))
            self.assertIn(done.returncode, (1, 2), done)
            self.assertTrue(done.stderr, where)
        self.assertEqual(self.scheduler(engine)["fed"], 0)

    def test_a_dry_run_changes_nothing(self):
        engine = self.pulling(high=1)
        self.add_feeder(engine, "rows", [
            *self.numbered("rows", range(1, 8)), {"n": 8}], capacity=4,
            replenish_threshold=0)
        before = self.await_source(engine, "rows", buffer=3, in_flight=1)
        found = engine.ask("source", "test", "rows", "--limit", "3")
        self.assertLessEqual({"records", "bad", "error"}, set(found))
        self.assertIsNone(found["error"])
        self.assertLessEqual(len(found["records"]), 3)
        for record in found["records"]:
            self.assertEqual(set(record), {"key", "user", "body"})
            self.assertEqual(record["user"], "rows")
        after = self.source(engine, "rows")
        self.assertEqual(*[{key: value for key, value in x.items()
                            if key not in ("rate", "left_s")}
                           for x in (before, after)])

    def test_a_dry_run_of_what_would_change_something_is_refused(self):
        engine = self.pulling()
        url = "http://127.0.0.1:1/queue/1/q"
        self.add_source(engine, "theirs", "queue", url=url)
        self.assert_refused(engine, "source", "test", "theirs", says="theirs")


if __name__ == "__main__":
    main()
