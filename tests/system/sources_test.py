"""Work that is pulled, kind by kind: what a source has becomes items of the
scheduler's queue, each once, and its operator sees where every record is."""

import subprocess

from harness import wait_until
from pulled import FEEDER, QUEUE, PulledTest, main, need_server, odbc_driver

ROWS = 25


class Tables(PulledTest):
    def test_rows_of_sqlite_become_items(self):
        url = self.sqlite(
            "table", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, "
            "ratio REAL, lacking TEXT, raw BLOB)",
            ("INSERT INTO t VALUES (?, ?, 0.5, NULL, ?)",
             [(n, f"näme {n}", bytes([0, 255])) for n in range(1, ROWS + 1)]))
        engine = self.pulling()
        self.add_source(
            engine, "table", "sql", url=url, key="id", cursor="id",
            cursor_start="0", capacity=10, ends=True,
            total_query="SELECT count(*) FROM t",
            query="SELECT id, name, ratio, lacking, raw FROM t "
                  "WHERE id > :cursor ORDER BY id LIMIT :limit")
        found = self.payloads(self.queue(engine), ROWS)
        for row in found:
            self.assertEqual(list(row.items()), [
                ("id", row["id"]), ("name", f"näme {row['id']}"),
                ("ratio", 0.5), ("lacking", None), ("raw", "AP8=")])
        self.assertEqual(sorted(row["id"] for row in found),
                         list(range(1, ROWS + 1)))
        told = self.await_source(engine, "table", state="ended", done=ROWS)
        self.assertEqual(told["records"], {
            "buffered": 0, "queued": 0, "claimed": 0, "finished": ROWS,
            "failed": 0})
        for key, value in {"total": ROWS, "cursor": str(ROWS), "buffer": 0,
                           "known": ROWS, "in_flight": 0, "bad": 0,
                           "bad_last": None, "duplicates": 0, "failures": 0,
                           "error": None, "error_at": None,
                           "replenishing": False}.items():
            self.assertEqual(told[key], value, key)
        self.assertGreaterEqual(told["replenishes"], 4)

    def test_a_query_without_a_cursor_brings_what_is_new(self):
        url = self.sqlite("table", "CREATE TABLE t (id, name)", (
            "INSERT INTO t VALUES (?, ?)", [(1, "a"), ("two", "b")]))
        engine = self.pulling()
        self.add_source(engine, "table", "sql", url=url, key="id",
                        query="SELECT id, name FROM t LIMIT :limit")
        door = self.queue(engine)
        # What is a number in one row and a text in the next stays that.
        found = self.payloads(door, 2)
        self.assertEqual({repr(x["id"]) for x in found}, {"1", "'two'"})
        self.assertEqual(self.record(engine, "table", "two")["key"], "two")
        self.sqlite("table", "INSERT INTO t VALUES (3, 'c')")
        self.assertEqual(self.payloads(door, 1), [{"id": 3, "name": "c"}])
        self.await_more_replenishes(engine, "table")
        self.assertEqual(door.size(), 0)
        self.assertGreater(self.source(engine, "table")["duplicates"], 0)

    def test_a_database_behind_odbc(self):
        driver = odbc_driver()
        if not driver:
            self.skipTest("THE ODBC DRIVER OF SQLITE IS NOT INSTALLED")
        self.sqlite(
            "other", "CREATE TABLE t (id INTEGER PRIMARY KEY, "
            "name VARCHAR(40), ratio FLOAT)",
            ("INSERT INTO t VALUES (?, ?, 0.25)",
             [(n, f"näme {n}") for n in range(1, ROWS + 1)]))
        engine = self.pulling()
        self.add_source(
            engine, "other", "sql", key="id", cursor="id", cursor_start="0",
            url=f"odbc:Driver={driver};Database={self.folder}/other.sqlite",
            capacity=10, query="SELECT id, name, ratio FROM t WHERE id > "
                               ":cursor ORDER BY id LIMIT :limit")
        found = self.payloads(self.queue(engine), ROWS)
        self.assertEqual(
            sorted(map(str, found)),
            sorted(str({"id": n, "name": f"näme {n}", "ratio": 0.25})
                   for n in range(1, ROWS + 1)))


class Postgres(PulledTest):
    @classmethod
    def setUpClass(cls):
        cls.server = need_server(cls, "postgres")

    def sql(self, text):
        done = subprocess.run(["psql", self.server.address, "-XAtqc", text],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_type_has_its_place_in_json(self):
        self.sql("CREATE TABLE types AS SELECT 7::bigint AS id, "
                 "0.25::float8 AS ratio, true AS yes, NULL::text AS nothing, "
                 "'{\"a\": [1, 2]}'::jsonb AS parts, '\\x00ff'::bytea AS raw, "
                 "'it''s ü :cursor'::text AS words, "
                 "'2024-02-03'::date AS day")
        engine = self.pulling()
        self.add_source(
            engine, "types", "sql", url=self.server.address, key="id",
            query="SELECT id, ratio, yes, nothing, parts, raw, "
                  "words, day, ':limit'::text AS quoted FROM types "
                  "LIMIT :limit")
        row, = self.payloads(self.queue(engine), 1)
        self.assertEqual(list(row.items()), [
            ("id", 7), ("ratio", 0.25), ("yes", True), ("nothing", None),
            ("parts", {"a": [1, 2]}), ("raw", "AP8="),
            ("words", "it's ü :cursor"), ("day", "2024-02-03"),
            ("quoted", ":limit")])
        self.assertEqual(self.await_record(engine, "types", "7",
                                           "finished")["user"], "types")

    def test_rows_go_to_their_users_through_a_cursor(self):
        self.sql("CREATE TABLE jobs AS SELECT n AS number, 'job-' || n AS id, "
                 "'user-' || n % 3 AS owner FROM generate_series(1, 90) AS n")
        engine = self.pulling()
        self.add_source(
            engine, "jobs", "sql", url=self.server.address, key="id",
            user_field="owner", cursor="number", cursor_start="0",
            capacity=20, query="SELECT * FROM jobs WHERE number > "
                               ":cursor::bigint ORDER BY number LIMIT :limit")
        self.await_source(engine, "jobs", in_flight=90, buffer=0)
        items = engine.ask("queue", "peek", QUEUE, "--limit", "100")["items"]
        users = [x["user"] for x in items]
        self.assertEqual({x: users.count(x) for x in users},
                         {"user-0": 30, "user-1": 30, "user-2": 30})
        self.assertEqual(self.keys(self.queue(engine), 90),
                         sorted(f"job-{n}" for n in range(1, 91)))

    def test_a_server_that_goes_away_is_waited_for(self):
        self.sql("CREATE TABLE away (number bigint, id text)")
        engine = self.pulling()
        self.add_source(
            engine, "away", "sql", url=self.server.address, key="id",
            cursor="number", cursor_start="0",
            query="SELECT * FROM away WHERE number > :cursor "
                  "ORDER BY number LIMIT :limit")
        self.await_source(engine, "away", state="running", buffer=0)
        self.server.kill()
        self.addCleanup(self.server.start)
        told = self.await_source(engine, "away", state="failing")
        self.assertIn("away", told["error"])
        self.assertIsNotNone(told["error_at"])
        self.server.start()
        self.await_source(engine, "away", state="running", error=None,
                          failures=0)
        self.sql("INSERT INTO away VALUES (1, 'first')")
        self.assertEqual(self.keys(self.queue(engine), 1), ["first"])


class Folders(PulledTest):
    def put(self, name, content=b"x"):
        path = self.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def test_files_at_any_depth_once_each(self):
        for name in ("one.txt", "ann/two words.txt", "ann/deep/er/ü.bin",
                     ".hidden", ".git/config", "ann/.part/three.txt"):
            self.put(name, name.encode())
        engine = self.pulling()
        door = self.queue(engine)
        folder = self.folder / "in"
        self.add_source(engine, "in", "folder", path=folder,
                        user_field="directory")
        # No user: the one that lies in no directory is bad, and is told.
        found = {x["name"]: x for x in self.payloads(door, 2)}
        self.assertEqual(set(found), {"two words.txt", "ü.bin"})
        self.assertIn("one.txt", self.source(engine, "in")["bad_last"])
        deep = found["ü.bin"]
        self.assertEqual(list(deep), ["path", "name", "directory", "size",
                                      "modified_at"])
        self.assertEqual(deep["path"], str(folder / "ann/deep/er/ü.bin"))
        self.assertEqual(deep["directory"], "ann")
        self.assertEqual(deep["size"], len("ann/deep/er/ü.bin".encode()))
        self.assertEqual(
            self.await_record(engine, "in", "ann/deep/er/ü.bin",
                              "finished")["user"], "ann")

    def test_a_file_that_changes_is_known_and_a_new_one_is_not(self):
        self.put("old.txt")
        engine = self.pulling()
        door = self.queue(engine)
        self.add_source(engine, "in", "folder", path=self.folder / "in")
        old, = self.payloads(door, 1)
        self.assertEqual((old["name"], old["directory"]), ("old.txt", ""))
        self.put("old.txt", b"changed")
        self.put("new.txt")
        self.assertEqual([x["name"] for x in self.payloads(door, 1)],
                         ["new.txt"])
        self.await_more_replenishes(engine, "in")
        self.assertEqual(door.size(), 0)
        self.assertEqual(self.source(engine, "in")["known"], 2)


class Programs(PulledTest):
    def test_lines_become_items_and_no_more_than_asked_for_count(self):
        # Ignores how many are wanted; words are split as a shell does.
        text = FEEDER.replace('int(os.environ["DEPOSITD_LIMIT"])', "1000")
        text = text.replace("sys.stdout.write(line)", """
            record = json.loads(line)
            record["source"] = os.environ["DEPOSITD_SOURCE"]
            record["words"] = sys.argv[2:]
            print(json.dumps(record))""".strip())
        path = self.lines("rows", self.numbered("rows", range(1, ROWS + 1)))
        command = self.program("all", text, path) + " 'two words' \"a'b\" c\\ d"
        engine = self.pulling()
        self.add_source(engine, "rows", "exec", command=command, key="id",
                        cursor="n", cursor_start="0", capacity=5,
                        replenish_threshold=0)
        found = self.payloads(self.queue(engine), ROWS)
        self.assertEqual(sorted(x["n"] for x in found),
                         list(range(1, ROWS + 1)))
        for record in found:
            self.assertEqual(record["source"], "rows")
            self.assertEqual(record["words"], ["two words", "a'b", "c d"])
        told = self.await_source(engine, "rows", done=ROWS)
        self.assertEqual((told["bad"], told["cursor"]), (0, str(ROWS)))
        self.assertLessEqual(told["replenish_records_last"], 5)

    def test_a_source_that_ends_is_read_again_when_it_is_told_so(self):
        engine = self.pulling()
        self.add_feeder(engine, "rows", self.numbered("rows", range(1, 4)),
                        ends=True)
        door = self.queue(engine)
        self.keys(door, 3)
        told = self.await_source(engine, "rows", state="ended")
        self.lines("rows", self.numbered("rows", [4]))
        self.add_feeder(engine, "clock", [])
        self.await_more_replenishes(engine, "clock", 5)
        self.assertEqual(self.source(engine, "rows")["replenishes"],
                         told["replenishes"])
        engine.ctl("source", "resume", "rows")
        self.assertEqual(self.keys(door, 1), ["rows-4"])
        self.await_source(engine, "rows", state="ended", done=4)


class Queues(PulledTest):
    def test_another_engines_messages_are_acknowledged_after_the_commit(self):
        other = self.engine({"processors.count": 0}, data="other").start()
        key = "key-of-the-puller"
        other.ctl("key", "add", "puller", "--key-stdin", "--permit",
                  "queue|*|from", text=key + "\n")
        theirs = self.queue(other, "from", key)
        sent = [{"n": n, "text": f"mëssage {n}"} for n in range(50)]
        theirs.send(sent)
        key_file = self.folder / "key"
        key_file.write_text(key + "\n")
        key_file.chmod(0o600)
        engine = self.pulling(high=10)
        ids = {x["id"] for x in theirs.call("GET", "/peek?limit=100")}
        self.add_source(
            engine, "theirs", "queue", key_file=key_file, claim_ttl_s=60,
            url=f"http://{other.ready['http']}/queue/1/from")
        self.await_source(engine, "theirs", in_flight=10)
        # What only waits in a buffer is not ours yet.
        wait_until(lambda: theirs.size() == 40)
        door = self.queue(engine)
        found = self.take(door, 50)
        self.assertEqual(sorted(x["payload"]["n"] for x in found),
                         list(range(50)))
        self.assertIn(found[0]["payload"], sent)
        wait_until(lambda: theirs.size() == 0)
        for one in sorted(ids)[:3]:
            self.await_record(engine, "theirs", one, "finished")


class OneRecord(PulledTest):
    KEYS = ["k 1/ä", "k&2?", "k%3"]

    def told(self, engine, key):
        """By the shell and over HTTP alike, once nothing moves."""
        found = self.record(engine, "rows", key)
        self.assertEqual(self.api_record(engine, "rows", key), (200, found))
        return found

    def test_its_state_is_told_from_the_buffer_to_the_end(self):
        engine = self.pulling(high=1)
        records = [{"id": key, "n": n}
                   for n, key in enumerate(self.KEYS, start=1)]
        self.add_feeder(engine, "rows", records)
        self.await_source(engine, "rows", in_flight=1, buffer=2)
        first, second, _ = self.KEYS
        found = self.told(engine, first)
        self.assertEqual(list(found)[:6], ["source", "key", "state", "user",
                                           "item", "attempt"])
        self.assertEqual((found["source"], found["key"], found["state"],
                          found["user"]), ("rows", first, "queued", "rows"))
        self.assertEqual(self.told(engine, second)["state"], "buffered")
        self.assertEqual(self.told(engine, "other")["state"], "unknown")
        self.assertEqual(self.source(engine, "rows")["records"], {
            "buffered": 2, "queued": 1, "claimed": 0, "finished": 0,
            "failed": 0})
        self.end_two(engine, first, second)

    def end_two(self, engine, first, second):
        door = self.queue(engine)
        message, = self.take(door, 1, ack=False)
        claimed = self.await_record(engine, "rows", first, "claimed")
        self.assertEqual(claimed["attempt"], 1)
        self.assertEqual(self.told(engine, first), claimed)
        self.assertEqual(self.source(engine, "rows")["records"]["claimed"], 1)
        door.ack([message["id"]])
        self.await_record(engine, "rows", first, "finished")
        message, = self.take(door, 1, ack=False)
        self.assertEqual(message["payload"]["id"], second)
        self.assertTrue(door.fail([message["id"]], "no such order")["success"])
        self.await_record(engine, "rows", second, "failed")
        self.assertEqual(self.told(engine, second)["state"], "failed")
        told = self.await_source(engine, "rows", in_flight=1, done=2)
        self.assertEqual((told["records"]["finished"],
                          told["records"]["failed"]), (1, 1))
        engine.ctl("queue", "purge", QUEUE, "--yes")
        # What an operator removes is over.
        self.await_record(engine, "rows", self.KEYS[2], "finished")

    def test_what_is_not_there_is_told_as_such(self):
        engine = self.pulling()
        self.assert_refused(engine, "source", "record", "none", "k",
                            says="none")
        self.assertEqual(self.api_record(engine, "none", "k")[0], 404)
        self.assertEqual(self.api(engine, "sources/none")[0], 404)
        self.assertEqual(self.api(engine, "schedulers/none")[0], 404)


if __name__ == "__main__":
    main()
