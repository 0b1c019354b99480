"""Sources that are wrong: a clear error with the source's name, nothing lost,
and a neighbour in the same scheduler that goes on."""

import re
from pathlib import Path

from gauges import resident_mb
from harness import wait_until
from pulled import PulledTest, main

MEMORY_MB_MAX = 300
SHORT_MS = 500


class Tables(PulledTest):
    QUERY = "SELECT * FROM t WHERE n > :cursor ORDER BY n LIMIT :limit"

    def setUp(self):
        super().setUp()
        self.instance = self.pulling()
        self.door = self.queue(self.instance)
        self.add_neighbour(self.instance)

    def add_table(self, *statements, **more):
        url = self.sqlite("table", "CREATE TABLE t (n INTEGER, id, text)",
                          *statements)
        return self.add_source(self.instance, "bad", "sql", **{
            "url": url, "key": "id", "cursor": "n", "cursor_start": "0",
            "query": self.QUERY, **more})

    def assert_failing(self, *says):
        told = self.await_source(self.instance, "bad", state="failing")
        for words in ("bad", *says):
            self.assertIn(words, told["error"])
        self.assertGreater(told["failures"], 0)
        self.assert_neighbour_goes_on(self.instance, self.door)
        self.assertEqual(self.source(self.instance, "bad")["records"], {
            "buffered": 0, "queued": 0, "claimed": 0, "finished": 0,
            "failed": 0})

    def test_a_query_without_the_key_column(self):
        self.add_table("INSERT INTO t VALUES (1, 'a', 'x')", key="name")
        self.assert_failing("name")
        self.instance.ctl("source", "set", "bad", "--key", "id")
        self.assertEqual(self.keys(self.door, 1), ["a"])
        self.await_source(self.instance, "bad", state="running", error=None)

    def test_a_query_that_the_database_refuses(self):
        self.add_table(query="SELECT id FROM nothing WHERE n > :cursor")
        self.assert_failing("nothing")

    def test_a_query_without_the_cursor_column(self):
        self.add_table("INSERT INTO t VALUES (1, 'a', 'x')",
                       query="SELECT id FROM t WHERE n > :cursor",
                       cursor="number_of_row")
        self.assert_failing("number_of_row")

    def test_keys_that_are_null_are_passed_over(self):
        self.add_table(
            "INSERT INTO t VALUES (1, 'a', 'x'), (2, NULL, 'y'), "
            "(3, 'c', 'z'), (4, NULL, 'w')")
        self.assertEqual(self.keys(self.door, 2), ["a", "c"])
        told = self.await_source(self.instance, "bad", bad=2, done=2,
                                 state="running", cursor="4")
        self.assertIn("bad: ", told["bad_last"])
        self.assertIsNone(told["error"])
        wait_until(lambda: len(self.failed()) == 2)
        self.assert_neighbour_goes_on(self.instance, self.door)

    def failed(self):
        return self.instance.ask("source", "failed", "bad")["failed"]

    def test_keys_that_come_twice(self):
        # One with the same payload is a duplicate, one with another is bad.
        self.instance.ctl("scheduler", "set", "s", "--high", "1", "--low", "0")
        query = "SELECT id, text FROM t LIMIT :limit"
        url = self.sqlite("twice", "CREATE TABLE t (id, text)",
                          "INSERT INTO t VALUES ('a', 'x'), ('b', 'x'), "
                          "('b', 'x'), ('b', 'other')")
        self.add_source(self.instance, "bad", "sql", url=url, key="id",
                        query=query)
        told = self.await_source(self.instance, "bad", bad=1, buffer=1)
        self.assertIn("b", told["bad_last"])
        self.assertGreater(told["duplicates"], 0)
        row, = wait_until(self.failed)
        self.assertEqual(row["key"], "b")
        self.assertIn("other", row["body"])
        found = self.payloads(self.door, 2)
        self.assertEqual(sorted((x["id"], x["text"]) for x in found),
                         [("a", "x"), ("b", "x")])

    def test_what_is_not_utf_8(self):
        self.add_table("INSERT INTO t VALUES (1, 'a', CAST(X'ff41' AS TEXT)), "
                       "(2, CAST(X'ff42' AS TEXT), 'x'), (3, 'c', 'x')")
        self.assertEqual(self.keys(self.door, 1), ["c"])
        told = self.await_source(self.instance, "bad", bad=2, cursor="3")
        self.assertIn("UTF-8", told["bad_last"])
        self.assert_neighbour_goes_on(self.instance, self.door)

    def test_what_is_too_large(self):
        self.add_table(("INSERT INTO t VALUES (?, ?, ?)", [
            (1, "a", "x" * 40_000), (2, "b", "x"),
            (3, "k" * 5_000, "x"), (4, "d", "x")]))
        self.assertEqual(self.keys(self.door, 2), ["b", "d"])
        self.await_source(self.instance, "bad", bad=2, cursor="4")

    def test_users_that_cannot_be(self):
        self.add_table(("INSERT INTO t VALUES (?, ?, ?)", [
            (1, "a", "ann"), (2, "b", None), (3, "c", ""),
            (4, "d", "u" * 300), (5, "e", 7)]), user_field="text")
        self.assertEqual(self.keys(self.door, 2), ["a", "e"])
        self.await_source(self.instance, "bad", bad=3, cursor="5")
        self.assertEqual(self.await_record(self.instance, "bad", "e",
                                           "finished")["user"], "7")


class Folders(PulledTest):
    def test_one_that_vanishes_and_comes_back(self):
        folder = self.folder / "in"
        folder.mkdir()
        (folder / "a").write_text("x")
        engine = self.pulling()
        door = self.queue(engine)
        self.add_neighbour(engine)
        self.add_source(engine, "bad", "folder", path=folder)
        self.assertEqual([x["name"] for x in self.payloads(door, 1)], ["a"])
        away = folder.rename(self.folder / "away")
        told = self.await_source(engine, "bad", state="failing")
        self.assertIn("bad", told["error"])
        self.assert_neighbour_goes_on(engine, door)
        (away / "b").write_text("x")
        away.rename(folder)
        self.assertEqual([x["name"] for x in self.payloads(door, 1)], ["b"])
        self.await_source(engine, "bad", state="running", error=None,
                          failures=0)


class Programs(PulledTest):
    def setUp(self):
        super().setUp()
        self.instance = self.pulling()
        self.door = self.queue(self.instance)
        self.add_neighbour(self.instance)

    def add_program(self, text, **more):
        return self.add_source(self.instance, "bad", "exec", **{
            "command": self.program("bad", text), "key": "id", **more})

    def test_lines_that_are_garbage_are_passed_over(self):
        self.add_program(r"""
import sys
sys.stdout.buffer.write(b'garbage\n{"id": "a"}\n[1]\n{"id": null}\n'
                        b'{"other": 1}\n{"id": "b"} more\n{"id": "c\xff"}\n'
                        b'\x00\x01\n{"id": {"x": 1}}\n{"id": "last"}')
""")
        self.assertEqual(self.keys(self.door, 2), ["a", "last"])
        told = self.await_source(self.instance, "bad", bad=8,
                                 state="running", error=None)
        self.assertIn("bad: ", told["bad_last"])
        # Read again and again, and each of them told once.
        self.await_more_replenishes(self.instance, "bad", 3)
        self.assertEqual(self.source(self.instance, "bad")["bad"], 8)
        self.assert_neighbour_goes_on(self.instance, self.door)

    def test_nothing_counts_of_one_that_fails(self):
        ready = self.folder / "ready"
        self.add_program(f"""
import os, sys
print('{{"id": "a"}}')
sys.stdout.flush()
if not os.path.exists({str(ready)!r}):
    sys.exit("no route to the moon")
""")
        told = self.await_source(self.instance, "bad", state="failing")
        self.assertIn("no route to the moon", told["error"])
        self.assertEqual((told["buffer"], told["in_flight"]), (0, 0))
        self.assert_neighbour_goes_on(self.instance, self.door)
        ready.touch()
        self.assertEqual(self.keys(self.door, 1), ["a"])
        self.await_source(self.instance, "bad", state="running", error=None,
                          failures=0)

    def test_one_that_never_ends_is_ended_with_all_that_it_started(self):
        pids = self.folder / "pids"
        pids.touch()
        # A shell, which has begun long before its time is over.
        program = self.folder / "endless.sh"
        program.write_text(f"""
sleep 1000 &
echo "$$ $!" >> {pids}
echo '{{"id": "a"}}'
wait
""")
        self.add_program("", command=f"/bin/sh {program}",
                         timeout_ms=4 * SHORT_MS)
        told = self.await_source(self.instance, "bad", state="failing")
        self.assertIn("bad", told["error"])
        self.assertRegex(told["error"], rf"\b{4 * SHORT_MS}\b")
        self.assertEqual((told["buffer"], told["in_flight"]), (0, 0))
        self.assert_neighbour_goes_on(self.instance, self.door)
        # Tried again, each time as a new process: the old ones are gone.
        started = wait_until(lambda: (lines := pids.read_text().splitlines())
                             and len(lines) > 2 and lines)
        for pid in " ".join(started[:2]).split():
            wait_until(lambda p=pid: not lives(p))

    def test_one_that_prints_without_an_end(self):
        self.add_program("""
import sys
while True:
    sys.stdout.write("x" * 65536)
""", timeout_ms=2 * SHORT_MS)
        told = self.await_source(self.instance, "bad", state="failing")
        self.assertIn("bad", told["error"])
        self.assert_neighbour_goes_on(self.instance, self.door)
        self.assertLess(resident_mb(self.instance.process.pid), MEMORY_MB_MAX)

    def test_one_that_is_not_there(self):
        self.add_program("", command="/nowhere/program")
        told = self.await_source(self.instance, "bad", state="failing")
        self.assertIn("/nowhere/program", told["error"])
        self.assert_neighbour_goes_on(self.instance, self.door)

    def test_a_failing_source_waits_unless_it_is_changed(self):
        an_hour = 3_600_000
        self.add_program("raise SystemExit(1)", retry_delay_ms=an_hour,
                         retry_delay_ms_max=an_hour)
        self.await_source(self.instance, "bad", failures=1)
        self.await_more_replenishes(self.instance, "good", 5)
        told = self.source(self.instance, "bad")
        self.assertEqual((told["state"], told["failures"],
                          told["replenishes"]), ("failing", 1, 1))
        # What an operator changes is tried at once.
        self.instance.ctl("source", "set", "bad", "--command", "/bin/true")
        self.await_source(self.instance, "bad", state="running", error=None)


class Others(PulledTest):
    def test_a_queue_that_nobody_serves_names_no_key(self):
        engine = self.pulling()
        door = self.queue(engine)
        self.add_neighbour(engine)
        key = self.folder / "key"
        key.write_text("a-very-secret-key-of-somebody\n")
        key.chmod(0o600)
        self.add_source(engine, "bad", "queue", key_file=key,
                        url="http://127.0.0.1:1/queue/1/q")
        told = self.await_source(engine, "bad", state="failing")
        self.assertIn("bad", told["error"])
        self.assert_neighbour_goes_on(engine, door)
        self.assertFalse(re.search("a-very-secret", str(told) + engine.log()))

    def test_a_database_that_is_not_there_names_no_password(self):
        engine = self.pulling()
        door = self.queue(engine)
        self.add_neighbour(engine)
        self.add_source(engine, "bad", "sql", key="id", query="SELECT 1 AS id",
                        url="postgresql://me:hush-hush@127.0.0.1:1/none")
        told = self.await_source(engine, "bad", state="failing")
        self.assertIn("bad", told["error"])
        self.assert_neighbour_goes_on(engine, door)
        self.assertNotIn("hush-hush", str(told) + engine.log())


def lives(pid):
    """Whether the process is there and is more than a name."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


if __name__ == "__main__":
    main()
