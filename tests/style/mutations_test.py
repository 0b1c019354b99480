"""Single mistakes (scripts/mutate) say something else, and the tests that are
asked about them are near."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = str(Path(__file__).resolve().parents[2] / "scripts")
sys.path.insert(0, SCRIPTS)

import mutations  # noqa: E402
from bounded import Ended, run_bounded  # noqa: E402
from built import Compilation, Program, Test  # noqa: E402
from mutants import Mutants, bounds_like  # noqa: E402
from near_tests import NearTests  # noqa: E402

# Is stopped with a program and a folder in hand.
STOPPED = """
import importlib.machinery, os, signal, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import bounded
mutate = importlib.machinery.SourceFileLoader(
    "mutate", sys.argv[1] + "/mutate").load_module()
mutate.leave_nothing({sys.argv[2]})
bounded.started(["sleep", "1000"])
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(1000)
"""

# Somebody stops it once more while it does.
TWICE = """
end = bounded.end_all_started
def end_and_be_stopped():
    end()
    os.kill(os.getpid(), signal.SIGTERM)
bounded.end_all_started = end_and_be_stopped
"""

SOURCE_PATH = "adapters/doors/kit/wire.cpp"
SOURCE = """int f(int x) {
  if (x < 1)
    return 0;
  if (x > 5)
    return {};
  return x;
}
"""


class MadeUpBuild:
    """One library, tests that are linked with it, and others that are not."""

    def __init__(self, *tests, others=()):
        self.folder = Path("/made-up")
        self.compilations = {"a.o": Compilation([], "a.o", "", {SOURCE_PATH})}
        self.programs, self.tests = {}, []
        self.add("bin/depositd", "config/main.cpp", ["lib.a"])
        for path in tests:
            self.add_test(path, ["lib.a"])
        for path in others:
            self.add_test(path, [])

    def add(self, name, path, archives):
        self.compilations[f"{name}.o"] = Compilation([], f"{name}.o", "",
                                                     {path})
        self.programs[name] = Program([f"{name}.o", *archives], name,
                                      {"lib.a": ["a.o"]})

    def add_test(self, path, archives):
        name = Path(path).stem
        self.add(name, path, archives)
        self.tests.append(Test(name, [f"/made-up/{name}"], [], [], 1))

    def headers_of_programs(self):
        return {}


class OfASource(unittest.TestCase):
    def test_a_return_that_is_left_out_does_not_happen(self):
        kinds = [x for x in mutations.of_source("a.cpp", SOURCE)
                 if x.kind == "not ended"]
        self.assertEqual([x.number for x in kinds], [5])
        self.assertEqual(kinds[0].switched("wrong"),
                         "{ if (wrong) { ; } else { return {}; } }")

    def test_the_end_of_a_function_is_not_left_out(self):
        source = """bool f(int x) {
  for (const auto y : all) {
    if (y == x)
      return true;
    if (y == 0) {
      g();
      return false;
    }
  }
  each([](int z) {
    return false;
  });
  return false;
}
"""
        self.assertEqual([x.number for x in mutations.of_source("a.cpp", source)
                          if x.kind == "not ended"], [4, 7])

    def test_another_value_is_returned_instead(self):
        made = [x.switched("wrong")
                for x in mutations.of_source("a.cpp", SOURCE)
                if x.number == 3]
        self.assertEqual(made,
                         ["{ if (wrong) { return 1; } else { return 0; } }"])


class Near(unittest.TestCase):
    @staticmethod
    def asked_of(build):
        return [test.name for test, _ in NearTests(build).of(
            SOURCE_PATH, [build.compilations["a.o"]])]

    def test_is_not_what_has_the_layer_in_common_only(self):
        build = MadeUpBuild("tests/adapters/doors/kit/near_test.cpp",
                            "tests/adapters/logs/far_test.cpp")
        self.assertEqual(self.asked_of(build), ["near_test"])

    def test_is_what_there_is_where_nothing_is_nearer(self):
        build = MadeUpBuild("tests/adapters/logs/far_test.cpp")
        self.assertEqual(self.asked_of(build), ["far_test"])

    def test_is_who_starts_the_engine_and_stands_in_the_same_folder(self):
        starting = "tests/adapters/doors/emodb/acceptance_engine.cpp"
        build = MadeUpBuild(
            others=[starting, "tests/adapters/doors/emodb/unit_round_test.cpp"])
        for source, asked in [("adapters/doors/emodb/door.cpp",
                               ["acceptance_engine"]),
                              (SOURCE_PATH, [])]:
            self.assertEqual([test.name for test, _ in NearTests(build).of(
                source, [build.compilations["a.o"]])], asked, source)


class Started(unittest.TestCase):
    """Engines, by tests."""

    def engine_of(self, binary):
        mutants = object.__new__(Mutants)
        mutants.build = MadeUpBuild()
        mutants.build.folder = Path("/build")
        mutants.folder = Path("/tries")
        return mutants.programs_for(Path(binary))

    def test_is_the_engine_as_it_is_by_who_has_the_mistake_itself(self):
        self.assertEqual(self.engine_of("/tries/programs/queue_source_test"),
                         Path("/build/bin"))

    def test_is_the_engine_with_the_mistake_by_who_has_none(self):
        self.assertEqual(self.engine_of("/build/tests/emodb_door_test"),
                         Path("/tries/programs"))


class Bounded(unittest.TestCase):
    def test_is_who_waits_by_how_long_it_took_without_a_mistake(self):
        self.assertEqual(bounds_like(Ended(False, 2, False, 10)), (11, 70))
        ended = run_bounded(["sleep", "1000"], "/", dict(os.environ), 5, 0.1)
        self.assertTrue(ended.failed)
        self.assertTrue(ended.gave_up)

    def test_is_nothing_left_of_who_is_stopped(self):
        self.stop(STOPPED)

    def test_is_nothing_left_of_who_is_stopped_twice(self):
        self.stop(STOPPED.replace("os.kill", TWICE + "os.kill", 1))

    def stop(self, how):
        with tempfile.TemporaryDirectory() as here:
            folder = Path(here, "mutants")
            (folder / "programs").mkdir(parents=True)
            # What it has started holds its errors open: they end with that.
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", how, SCRIPTS,
                 str(folder)], capture_output=True, timeout=500, check=False)
            self.assertEqual(done.returncode, 128 + 15, done.stderr)
            self.assertFalse(folder.exists())


if __name__ == "__main__":
    unittest.main()
