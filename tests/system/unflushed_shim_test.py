"""The preload shim holds back what is not flushed, and only that."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from unflushed import PowerCut

SHIM = os.environ["DEPOSITD_UNFLUSHED"]


class Shim(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.data = Path(self.folder.name) / "data"
        self.data.mkdir()

    def cut(self, program, **options):
        """Runs Python under the shim until it kills itself; settles names."""
        power = PowerCut(SHIM, self.data, Path(self.folder.name), **options)
        prefix = ("import ctypes, os, signal, sqlite3\n"
                  "def cut(): os.kill(os.getpid(), signal.SIGKILL)\n"
                  "def open_new(name, more=0): return os.open(\n"
                  "    name, os.O_RDWR | os.O_CREAT | more, 0o644)\n"
                  "def flush_folder(): os.fsync(os.open('.', 0))\n"
                  "def flush_all(fd):\n"
                  "    call = ctypes.CDLL(None, use_errno=True).syncfs\n"
                  "    return call(fd) and ctypes.get_errno()\n")
        result = subprocess.run(
            [sys.executable, "-c", prefix + textwrap.dedent(program)],
            cwd=self.data, env={**os.environ, **power.environment},
            capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, -9, result.stderr)
        power.settle()

    def content(self, name):
        path = self.data / name
        return path.read_bytes() if path.exists() else None

    def test_drops_a_write_that_was_not_flushed(self):
        self.cut("""
            f = open_new('a'); flush_folder()
            os.write(f, b'flushed,'); os.fdatasync(f)
            os.write(f, b'not'); cut()""")
        self.assertEqual(self.content("a"), b"flushed,")

    def test_shows_the_process_its_own_unflushed_writes(self):
        self.cut("""
            f = open_new('a'); os.pwrite(f, b'unflushed', 0)
            assert os.pread(f, 100, 0) == b'unflushed'
            assert open('a', 'rb').read() == b'unflushed'
            assert os.stat('a').st_size == 9
            assert os.path.samestat(os.fstat(f), os.stat('a'))
            os.close(f)
            assert open('a', 'rb').read() == b'unflushed'
            cut()""")

    def test_keeps_what_one_flush_covers_across_descriptors(self):
        self.cut("""
            f = open_new('a'); g = open_new('a'); flush_folder()
            os.pwrite(f, b'one', 0); os.pwrite(g, b'two', 3)
            os.fsync(g); cut()""")
        self.assertEqual(self.content("a"), b"onetwo")

    def test_writes_through_where_the_file_was_opened_so(self):
        self.cut("""
            f = open_new('a', os.O_DSYNC); flush_folder()
            os.write(f, b'kept'); cut()""")
        self.assertEqual(self.content("a"), b"kept")

    def test_drops_an_unflushed_change_of_size(self):
        (self.data / "a").write_bytes(b"x" * 10000)
        self.cut("""
            f = os.open('a', os.O_RDWR); os.ftruncate(f, 1)
            os.ftruncate(f, 3); cut()""")
        self.assertEqual(self.content("a"), b"x" * 10000)
        self.cut("""
            f = os.open('a', os.O_RDWR); os.ftruncate(f, 1)
            os.ftruncate(f, 3); os.fsync(f); cut()""")
        self.assertEqual(self.content("a"), b"x\0\0")

    def test_drops_names_whose_folder_was_not_flushed(self):
        (self.data / "old").write_bytes(b"old")
        (self.data / "gone").write_bytes(b"gone")
        self.cut("""
            f = open_new('new'); os.write(f, b'new'); os.fsync(f)
            os.rename('old', 'moved'); os.remove('gone'); cut()""")
        self.assertEqual(self.content("new"), None)
        self.assertEqual(self.content("old"), b"old")
        self.assertEqual(self.content("moved"), None)
        self.assertEqual(self.content("gone"), b"gone")

    def test_restores_what_an_unflushed_rename_replaced(self):
        (self.data / "a").write_bytes(b"before")
        self.cut("""
            f = open_new('b'); flush_folder(); os.write(f, b'after')
            os.fsync(f); os.rename('b', 'a'); cut()""")
        self.assertEqual(self.content("a"), b"before")
        self.assertEqual(self.content("b"), b"after")

    def test_keeps_names_whose_folder_was_flushed(self):
        (self.data / "old").write_bytes(b"old")
        (self.data / "gone").write_bytes(b"gone")
        self.cut("""
            f = open_new('new'); os.write(f, b'new'); os.fsync(f)
            os.rename('old', 'moved'); os.remove('gone'); flush_folder()
            cut()""")
        self.assertEqual(sorted(os.listdir(self.data)), ["moved", "new"])

    def test_may_leak_unflushed_writes(self):
        self.cut("""
            f = open_new('a'); flush_folder()
            for i in range(100): os.pwrite(f, b'12345678', 8 * i)
            cut()""", leak=100)
        self.assertTrue(self.content("a"))

    def test_is_deaf_to_flushes_if_told_so(self):
        self.cut("""
            for name in ('a-log', 'a-table'):
                f = open_new(name); flush_folder()
                os.write(f, b'flushed'); os.fsync(f)
            cut()""", deaf="-log")
        self.assertFalse(self.content("a-log"))

    MANY = """
        os.mkdir('here'); os.mkdir('there')
        for name in ('here/one', 'here/two', 'there/three'):
            f = open_new(name + '.part'); os.write(f, b'bytes'); os.close(f)
            os.rename(name + '.part', name)
        {}
        os.remove('here/two'); open_new('here/late'); cut()"""

    def names(self):
        return sorted(str(path.relative_to(self.data))
                      for path in self.data.rglob("*") if path.is_file())

    def test_keeps_all_bytes_and_names_of_before_syncfs(self):
        self.cut(self.MANY.format("assert flush_all(os.open('.', 0)) == 0"))
        self.assertEqual(self.names(),
                         ["here/one", "here/two", "there/three"])
        self.assertEqual({self.content(name) for name in self.names()},
                         {b"bytes"})

    def test_drops_them_without(self):
        self.cut(self.MANY.format(""))
        self.assertEqual(self.names(), [])

    def test_is_deaf_to_syncfs_where_it_is_told_so(self):
        self.cut(self.MANY.format("flush_all(os.open('.', 0))"),
                 deaf="/here:here/")
        self.assertEqual(self.names(), ["there/three"])

    def test_tells_syncfs_of_failures_since_its_folder_was_opened(self):
        self.cut("""
            before = os.open('.', 0)
            f = open_new('bad'); g = open_new('good'); flush_folder()
            os.write(f, b'bytes'); os.close(f)
            os.write(g, b'bytes'); os.close(g)
            assert flush_all(os.open('.', 0)) == 0
            assert flush_all(before) == 5
            assert flush_all(before) == 0
            assert open('bad', 'rb').read() == b'bytes'
            cut()""", bad="bad")
        self.assertEqual(self.content("bad"), b"")
        self.assertEqual(self.content("good"), b"bytes")

    SQLITE = """
        db = sqlite3.connect('db', isolation_level=None)
        db.execute('PRAGMA journal_mode=WAL')
        db.execute('PRAGMA synchronous={}')
        db.execute('CREATE TABLE IF NOT EXISTS t(x)')
        flush_folder()
        other = sqlite3.connect('db')
        for x in range(100):
            db.execute('INSERT INTO t VALUES(?)', (x,))
        assert other.execute('SELECT count(*) FROM t').fetchone()[0] >= 100
        cut()"""

    def rows(self):
        import sqlite3
        with sqlite3.connect(self.data / "db") as db:
            self.assertEqual(
                db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            try:
                return db.execute("SELECT count(*) FROM t").fetchone()[0]
            except sqlite3.OperationalError:
                return 0

    def test_keeps_commits_of_sqlite_that_flush(self):
        self.cut(self.SQLITE.format("FULL"))
        self.assertEqual(self.rows(), 100)

    def test_drops_commits_of_sqlite_that_do_not(self):
        self.cut(self.SQLITE.format("NORMAL"))
        self.assertLess(self.rows(), 100)


if __name__ == "__main__":
    unittest.main()
