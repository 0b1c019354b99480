"""What scripts of others rest on, word by word: how strategies are spelled and
where they are wrong, settings and their bounds, environments of programs,
tables of records, changes over HTTP by who has logged in."""

import csv
import io
import json

from api_test import Api
from harness import wait_until
from pulled import QUEUE, QUICK, SCHEDULER, PulledTest, main, words

PASSWORD = "correct horse"


class Strategies(PulledTest):
    GOOD = [
        "a", "fair(*)", " fair ( a , b ) ", "fair(a,b)", "priority(z)",
        "prefer z else fair(a, b)", "prefer z else prefer a else b",
        "prefer fair(a, b) else weighted(z:1000000, x-y:1)",
        "weighted(a:1,weighted(b:2, z:3):4)", "limit(1/s, a)",
        "limit(1000000/s, fair(*))", "limit( 10/s , prefer z else a)",
        "fair(3, Fair, under_score, x-y)", "weighted(3:3)",
    ]
    # The column is that of the first character of the word that does not fit.
    BAD = [
        ("   ", 4), ("nobody", 1), ("  nobody", 3), ("other", 1),
        ("fair", 5), ("fair(", 6), ("fair()", 6), ("fair(a", 7),
        ("fair(a,", 8), ("fair(a,)", 8), ("fair(a b)", 8), ("fair(a))", 8),
        ("fair(*, a)", 7), ("fair(a, *)", 9), ("priority(*)", 10), ("*", 1),
        ("fair(a, nobody)", 9), ("fair(a, other)", 9), ("fair(a, a)", 9),
        ("prefer", 7), ("prefer a", 9), ("prefer a b", 10),
        ("prefer a else", 14), ("prefer a else ", 15), ("else", 1),
        ("prefer a else a", 15), ("weighted(a)", 11), ("weighted(a:)", 12),
        ("weighted(a:0)", 12), ("weighted(a:1000001)", 12),
        ("weighted(a:-1)", 12), ("weighted(a:b)", 12), ("weighted(a:1.5)", 13),
        ("weighted(a:99999999999999999999)", 12), ("limit(a)", 7),
        ("limit(5)", 8), ("limit(5, a)", 8), ("limit(5/s)", 10),
        ("limit(5/s a)", 11), ("limit(0/s, a)", 7), ("limit(5/m, a)", 8),
        ("limit(1000001/s, a)", 7), ("limit(5/s, b) c", 15),
        ("FAIR(a)", 1), ("Prefer a else b", 1), ("fair(a; b)", 7),
        ("fair(\u00fc)", 6),
    ]

    def test_of_all_spellings(self):
        engine = self.pulling()
        self.add_scheduler(engine, "t", queue="else-where")
        for name in ("a", "b", "z", "3", "Fair", "under_score", "x-y"):
            self.add_source(engine, name, "exec", key="id",
                            command="/bin/true")
        self.add_source(engine, "other", "exec", scheduler="t", key="id",
                        command="/bin/true")
        for text in self.GOOD:
            told = engine.ask("strategy", "explain", SCHEDULER,
                              "--strategy", text)
            self.assertEqual((told["next"], told["picks"]), (None, []), text)
            told = engine.ask("strategy", "set", SCHEDULER, text)
            self.assertEqual(told, {"scheduler": SCHEDULER, "strategy": text})
        wrong = {}
        for text, column in self.BAD:
            done = engine.ctl_result("strategy", "set", SCHEDULER, text)
            says = f"schedulers.{SCHEDULER}.strategy: column {column}: "
            if done.returncode != 1 or says not in done.stderr:
                wrong[text] = (column, done.returncode, done.stderr.strip())
        self.assertEqual(wrong, {})
        self.assertEqual(
            engine.ask("strategy", "show", SCHEDULER)["strategy"],
            self.GOOD[-1])


class Settings(PulledTest):
    EXEC = {"kind": "exec", "key": "id", "command": "/bin/true"}
    SQL = {"kind": "sql", "key": "id", "url": "sqlite:/x",
           "query": "SELECT 1 AS id"}
    SQS = {"kind": "sqs", "url": "http://127.0.0.1:1/1/q"}
    QUEUE = {"kind": "queue", "url": "http://127.0.0.1:1/queue/1/q"}
    S3 = {"kind": "s3", "bucket": "b"}
    FOLDER = {"kind": "folder", "path": "/tmp"}
    KAFKA = {"kind": "kafka", "topic": "t", "brokers": "127.0.0.1:1"}

    BOUNDS = [
        (EXEC, "capacity", ("1", "10000000"), ("0", "-1", "x", "1.5", "")),
        (EXEC, "replenish_threshold", ("0", "half"), ("-1", "x")),
        (EXEC, "timeout_ms", ("1",), ("0", "-1", "soon")),
        (EXEC, "poll_interval_ms", ("1",), ("0", "-1")),
        (EXEC, "known_max", ("0", "5"), ("-1", "all")),
        (EXEC, "ends", ("true", "false"), ("yes", "1")),
        (EXEC, "kind", (), ("ftp", "", "SQL")),
        (SQS, "visibility_timeout_s", ("1", "43200"), ("0", "43201")),
        (SQS, "url", (), ("", "ftp://x", "nonsense")),
        (QUEUE, "claim_ttl_s", ("1", "3600"), ("0", "3601", "86400")),
        (QUEUE, "url", (), ("", "http://127.0.0.1:1/", "q")),
        (SQL, "url", ("postgresql://h/d", "odbc:DSN=x"),
         ("", "sqlite:x", "mysql://h", "odbc:")),
        (SQL, "query", (), ("",)),
        (S3, "bucket", (), ("",)),
        (S3, "endpoint", ("http://127.0.0.1:1",), ("s3.example",)),
        (FOLDER, "path", (), ("",)),
        (KAFKA, "topic", (), ("",)),
        (FOLDER, "bucket", (), ("b",)),
        (S3, "command", (), ("x",)),
        (EXEC, "scheduler", (), ("nobody", "")),
    ]

    def test_every_bound_is_told_by_the_name_of_its_setting(self):
        engine = self.pulling()
        wrong = []
        number = 0
        for base, setting, good, bad in self.BOUNDS:
            for value in bad:
                options = {"scheduler": SCHEDULER, **base, setting: value}
                done = engine.ctl_result(
                    "source", "add", "x",
                    *[y for key, text in options.items()
                      for y in ("--" + key.replace("_", "-"), text)])
                if (done.returncode != 1
                        or f"sources.x.{setting}: " not in done.stderr):
                    wrong.append((setting, value, done.returncode,
                                  done.stderr.strip()))
            for value in good:
                number += 1
                name = f"s{number}"
                options = {"scheduler": SCHEDULER, **base, setting: value}
                if setting == "capacity":
                    options["replenish_threshold"] = "0"
                engine.ctl("source", "add", name, *words(options))
                engine.ctl("source", "pause", name)
        self.assertEqual(wrong, [])
        for setting, value in (("high", "0"), ("high", "-1"), ("high", "x"),
                               ("low", "10000"), ("low", "-1"),
                               ("high_per_user", "0"),
                               ("downstream", "ftp://x"),
                               ("queue", ""), ("queue", "no queue")):
            self.assert_refused(
                engine, "scheduler", "set", SCHEDULER,
                "--" + setting.replace("_", "-"), value,
                says=f"schedulers.{SCHEDULER}.")

    def test_what_follows_another_setting_follows_it(self):
        engine = self.pulling()
        self.add_source(engine, "x", "exec", key="id", command="/bin/true")
        told = engine.ask("source", "set", "x", "--capacity", "51")
        self.assertEqual(told["replenish_threshold"], 25)
        told = engine.ask("source", "set", "x", "--replenish-threshold", "3")
        told = engine.ask("source", "set", "x", "--capacity", "100")
        self.assertEqual(told["replenish_threshold"], 3)
        told = engine.ask("scheduler", "set", SCHEDULER, "--high", "9")
        self.assertEqual((told["high"], told["low"]), (9, 4))
        told = engine.ask("scheduler", "set", SCHEDULER, "--high-per-user",
                          "5")
        self.assertEqual(told["high_per_user"], 5)
        told = engine.ask("scheduler", "set", SCHEDULER, "--high-per-user",
                          "none")
        self.assertIsNone(told["high_per_user"])

    def test_names_are_letters_digits_and_two_signs(self):
        engine = self.pulling()
        for name in ("fair", "weighted", "priority", "prefer", "else",
                     "limit", "a b", "a.b", "x" * 65, "\u00fc", "a/b"):
            for what, more in (("source", self.EXEC),
                               ("scheduler", {"queue": "q"})):
                options = dict(more)
                if what == "source":
                    options["scheduler"] = SCHEDULER
                done = engine.ctl_result(what, "add", name, *words(options))
                self.assertEqual(done.returncode, 1, (name, done))
                self.assertIn(f"{what}s.", done.stderr)
        for name in ("A-b_9", "x" * 64, "0"):
            engine.ctl("source", "add", name, *words(
                {"scheduler": SCHEDULER, **self.EXEC}))


class Programs(PulledTest):
    def test_what_one_finds_in_its_environment(self):
        seen = self.folder / "seen"
        seen.touch()
        text = """
import json, os, sys
with open(sys.argv[1], "a") as file:
    file.write(json.dumps([os.environ.get("DEPOSITD_" + x)
                           for x in ("SOURCE", "LIMIT", "CURSOR")]) + "\\n")
after = int(os.environ["DEPOSITD_CURSOR"] or 0)
for n in range(after + 1, 8):
    print(json.dumps({"id": f"k{n}", "n": n}))
"""
        engine = self.pulling()
        self.add_source(engine, "env", "exec", key="id", cursor="n",
                        command=self.program("env", text, seen), capacity=3,
                        replenish_threshold=0)
        self.assertEqual(self.keys(self.queue(engine), 7),
                         [f"k{n}" for n in range(1, 8)])
        first, second, *_ = [json.loads(x)
                             for x in seen.read_text().splitlines()]
        self.assertEqual(first, ["env", "3", ""])
        self.assertEqual(second, ["env", "3", "3"])

    def test_one_without_a_cursor_is_told_none(self):
        text = """
import json, os
print(json.dumps({"id": 1.50, "is": os.environ["DEPOSITD_CURSOR"] == ""}))
print('{"id": 1.50, "is": true}')
print('{"id": 10000000000000000000001, "is": true}')
print('{"id": true, "is": true}')
print('{"id": "", "is": true}')
"""
        engine = self.pulling()
        self.add_source(engine, "n", "exec", key="id",
                        command=self.program("n", text))
        # Numbers as they are written; what is no text and no number is none.
        self.payloads(self.queue(engine), 2 + 1)
        told = self.await_source(engine, "n", bad=2)
        self.assertIn("n: ", told["bad_last"])
        for key in ("1.5", "1.50", "10000000000000000000001"):
            self.await_record(engine, "n", key, "finished")


class Tables(PulledTest):
    """Failed records as CSV."""

    def fed(self, engine, text, code=0):
        path = self.folder / "table.csv"
        path.write_bytes(text.encode())
        done = engine.ctl_result("source", "feed", "rows", str(path), "--json")
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def test_one_may_look_as_spreadsheets_write_it(self):
        engine = self.pulling()
        self.add_feeder(engine, "rows", [])
        door = self.queue(engine)
        told = self.fed(engine, "\ufeffkey,user,error,body\r\n"
                        "k1,ann,\"why, so\r\nlong\",\"{\"\"n\"\": 1}\"\r\n"
                        "k2,bob,,\"{\"\"n\"\": 2}\"\r\n")
        self.assertEqual((told["fed"], told["bad"]), (2, []))
        self.assertEqual(sorted(x["n"] for x in self.payloads(door, 2)),
                         [1, 2])
        self.assertEqual(self.await_record(engine, "rows", "k1",
                                           "finished")["user"], "ann")
        # Whatever was known of them.
        told = self.fed(engine, "key,user,error,body\nk1,ann,,\"{\"\"n\"\":3}"
                                "\"\nk9,,,\"{\"\"n\"\":4}\"\n")
        self.assertEqual([x["n"] for x in self.payloads(door, told["fed"])
                          if x["n"] == 3], [3])

    def test_what_is_wrong_in_one_is_told(self):
        engine = self.pulling()
        self.add_feeder(engine, "rows", [])
        for text in ("", "key;user\n", "key,user,error\nk,u,e\n",
                     "key,user,error,body\nk,u\n",
                     "key,user,error,body\n\"k,u,e,b\n",
                     "key,user,error,body\n,u,,{}\n"):
            self.assertTrue(self.fed(engine, text, code=1), text)
        self.assertIn("row 3", self.fed(
            engine, "key,user,error,body\nk,u,,{}\nk,u\n", code=1))
        told = self.fed(engine, "key,user,error,body\n"
                        "k,u,,no json\nlong,u,,\"\"\"" + "x" * 40_000
                        + "\"\"\"\ngood,u,,{}\n")
        self.assertEqual([x["key"] for x in told["bad"]], ["k", "long"])
        self.assertEqual(told["fed"], 1)
        self.assertEqual(len(self.payloads(self.queue(engine), 1)), 1)

    def test_it_is_read_as_it_was_written(self):
        engine = self.pulling()
        rows = [{"id": "a,\"b\"\n'", "n": 1, "t": "\u00fc\r\n"},
                {"id": "=1+1", "n": 2}]
        self.add_feeder(engine, "rows", rows)
        door = self.queue(engine)
        found = self.take(door, 2, ack=False)
        door.fail([x["id"] for x in found], "so, \"it\"\nis")
        self.await_source(engine, "rows", done=2)
        failed = wait_until(
            lambda: len(x := engine.ask("source", "failed", "rows")["failed"])
            == 2 and x)
        text = engine.ctl("source", "failed", "rows", "--csv")
        self.assertEqual(text.splitlines()[0], "key,user,error,body")
        table = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual(sorted(x["key"] for x in failed),
                         sorted(x["id"] for x in rows))
        # What a spreadsheet would take for a formula has a sign before it.
        self.assertEqual([x["key"].removeprefix("'") for x in table],
                         [x["key"] for x in failed])
        self.assertEqual({json.loads(x["body"]).get("t") for x in table},
                         {"\u00fc\r\n", None})
        self.assertEqual(self.fed(engine, text)["fed"], 2)
        self.assertEqual(sorted(x["n"] for x in self.payloads(door, 2)),
                         [1, 2])


class OverHttp(PulledTest):
    """Whatever the shell does, for who may."""

    def operators(self, engine):
        out = {}
        for name, role in (("ann", "administer"), ("ops", "operate"),
                           ("leo", "look")):
            engine.ctl("operator", "add", name, "--role", role,
                       "--password-stdin", text=PASSWORD + "\n")
            out[name] = Api(engine.address("admin"))
            self.assertEqual(out[name].log_in(name, PASSWORD)[0], 200)
        return out

    def call(self, api, path, body=None, status=200):
        got, document = api.post(path, {} if body is None else body)
        self.assertEqual(got, status, (path, document))
        return document

    def test_a_life_of_a_source_below_its_name_and_as_a_command(self):
        engine = self.pulling()
        who = self.operators(engine)
        settings = {"kind": "exec", "scheduler": SCHEDULER, "key": "id",
                    "cursor": "n", "cursor_start": "0",
                    "command": self.program("none", "")}
        paths = {
            "one": lambda verb: (f"sources/one/{verb}", {}),
            "two": lambda verb: (f"source/{verb}", {"name": "two"}),
        }
        for name, where in paths.items():
            def act(api, verb, more=None, status=200, where=where):
                path, body = where(verb)
                return self.call(api, path, {**body, **(more or {})}, status)
            for somebody in ("ops", "leo"):
                act(who[somebody], "add", settings, 403)
            act(Api(engine.address("admin")), "add", settings, 401)
            told = act(who["ann"], "add", {**settings, **{
                x: str(y) for x, y in QUICK.items()}})
            self.assertEqual((told["name"], told["state"]), (name, "running"))
            told = act(who["ann"], "set", {"capacity": "7"})
            self.assertEqual((told["capacity"], told["replenish_threshold"]),
                             (7, 3))
            told = act(who["ann"], "set", {"capacity": "0"}, 400)
            self.assertIn(f"sources.{name}.capacity: ", told["text"])
            act(who["leo"], "pause", status=403)
            self.assertEqual(act(who["ops"], "pause")["state"], "paused")
            self.assertEqual(self.source(engine, name)["state"], "paused")
            self.assertEqual(act(who["ops"], "resume")["state"], "running")
            got, told = who["leo"].get(f"sources/{name}/failed")
            self.assertEqual((got, told["failed"]), (200, []))
        strategy = "prefer one else two"
        for path, body in (("strategy/set", {"name": SCHEDULER}),
                           (f"schedulers/{SCHEDULER}/strategy/set", {})):
            self.call(who["leo"], path, {**body, "strategy": strategy}, 403)
            told = self.call(who["ops"], path,
                             {**body, "strategy": "prefer one"}, 400)
            self.assertIn("column 11: ", told["text"])
            told = self.call(who["ops"], path, {**body, "strategy": strategy})
            self.assertEqual(told["strategy"], strategy)
            for read in (f"schedulers/{SCHEDULER}/strategy",
                         f"strategy/show?name={SCHEDULER}"):
                self.assertEqual(who["leo"].get(read)[1], {
                    "scheduler": SCHEDULER, "strategy": strategy})
            told = self.call(who["ops"], path, {**body, "strategy": "fair(*)"})
        got, told = who["leo"].get(
            f"schedulers/{SCHEDULER}/strategy/explain?picks=3")
        self.assertEqual((got, told["picks"]), (200, []))
        for name, where in paths.items():
            path, body = where("remove")
            told = self.call(who["ann"], path, body, 428)
            self.assertEqual(told["error"], "confirm")
            told = self.call(who["ann"], path, {**body, "yes": True})
            self.assertEqual(told, {"name": name, "removed": True})
        self.assertEqual(self.api(engine, "sources")[1]["sources"], [])
        told = self.call(who["ann"], f"schedulers/{SCHEDULER}/set",
                         {"high": "12"})
        self.assertEqual((told["high"], told["low"]), (12, 6))
        self.call(who["ann"], f"schedulers/{SCHEDULER}/remove", {"yes": True})
        told = self.call(who["ann"], "schedulers/new/add", {"queue": QUEUE})
        self.assertEqual((told["name"], told["strategy"]), ("new", "fair(*)"))

    def test_a_session_needs_its_token_to_change_anything(self):
        engine = self.pulling()
        self.add_source(engine, "x", "exec", key="id", command="/bin/true")
        ann = self.operators(engine)["ann"]
        ann.csrf = "wrong"
        for path in ("sources/x/pause", "source/pause"):
            got, told = ann.post(path, {"name": "x"})
            self.assertEqual((got, told["error"]), (403, "csrf"))
        self.assertNotEqual(self.source(engine, "x")["state"], "paused")


if __name__ == "__main__":
    main()
