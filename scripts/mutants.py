"""Programs with a mistake in them, and what their tests say of it: those of one
object are compiled once, each behind a switch (scripts/mutate)."""

import os
import re
import tempfile
from pathlib import Path

from bounded import run_bounded, run_told
from built import Test
from near_tests import ENGINE

ROOT = Path(__file__).resolve().parents[1]
COMPILE_S = 900
LINK_S = 300

SWITCH = """#include <cstdlib>
static bool depositd_mistake(int which) {
  static const char* said = std::getenv("DEPOSITD_MISTAKE");
  static const int made = said ? std::atoi(said) : -1;
  return made == which;
}
#line 1
"""


def bounds_like(sound):
    """Seconds of a processor and of the wall for who has a mistake, by how it
    ended without."""
    return 3 * sound.seconds + 5, 4 * sound.wall + 30


class Verdict:
    def __init__(self, mutation, outcome, by="", seconds=0.0, lives=None):
        self.mutation = mutation
        self.outcome = outcome  # killed, survived, not asked, no mutant
        self.by = by
        self.seconds = seconds  # of a processor
        self.gave_up = False    # whether the last one had to be ended
        self.lives = lives  # whether they noticed it; None: not asked
        self.asked = False  # any test that is sound without it

    def __str__(self):
        out = self.outcome
        if self.outcome == "killed":
            lives = ""
            if self.lives is not None and self.by != "simulation":
                lives = ", by lives, too," if self.lives else ", by no life,"
            end = ", which did not end," if self.gave_up else ""
            out = f"killed by {self.by}{end}{lives} in {self.seconds:.1f} s"
        elif self.outcome == "survived":
            out = f"SURVIVED ({self.by})"
        elif self.outcome == "not asked":
            out = f"not asked of any ({self.by})"
        return f"{out}\n{self.mutation}"


class Mutants:
    """Those of the same objects, with the programs that have them."""

    def __init__(self, build, near, wanted, mutations_, folder):
        self.build = build
        self.wanted = wanted
        self.folder = folder
        self.mutations = mutations_
        self.jobs = build.objects_of(mutations_[0].path)
        self.tests = {x.path: near.of(x.path, self.jobs) for x in mutations_}
        self.made = {}    # by output: the object
        self.linked = {}  # by test: the program; None: cannot be
        self.sound = {}   # by test: how it ended without a mistake
        self.wrong = set()  # mutations that do not compile

    # -- compiling ----------------------------------------------------------

    def text_of(self, path):
        lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
        for i, x in enumerate(self.mutations):
            if x.path == path and i not in self.wrong:
                lines[x.number - 1] = x.switched(f"::depositd_mistake({i})")
                lines[x.number:x.last] = [""] * (x.last - x.number)
        return "\n".join(lines)

    def file_of(self, job):
        """What the compiler is given instead."""
        places = {}
        for path in {x.path for x in self.mutations}:
            place = self.folder / "source" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self.text_of(path), encoding="utf-8")
            places[path] = place
        if job.file in map(str, (ROOT / x for x in places)):
            path = str(Path(job.file).relative_to(ROOT))
            text = places[path].read_text(encoding="utf-8")
        else:
            text = (self.build.folder / job.file).read_text(encoding="utf-8")
            for path, place in places.items():
                text = text.replace(f'"{ROOT / path}"', f'"{place}"')
        file = self.folder / Path(job.file).name
        file.write_text(SWITCH + text, encoding="utf-8")
        return file

    def blame(self, said):
        """What the compiler does not take is left out. Whether any is."""
        before = len(self.wrong)
        for path, line in re.findall(r"source/(\S+?\.cpp):(\d+):\d+: error",
                                     said):
            self.wrong |= {i for i, x in enumerate(self.mutations)
                           if x.path == path and x.number <= int(line)
                           <= x.last}
        return len(self.wrong) > before

    def compile(self, job):
        out = self.folder / job.output.replace("/", "_")
        while True:
            words = ["-O1" if x == "-O2" else x
                     for x in job.command(self.file_of(job), out)]
            code, said = run_told(words, self.build.folder, COMPILE_S)
            if code == 0:
                return out
            if not self.blame(said):
                raise RuntimeError(said[-3000:])

    # -- running ------------------------------------------------------------

    def programs_for(self, binary):
        """Where it finds the engine that it starts: as it is, if the mistakes
        are in itself."""
        own = self.folder / "programs"
        return (self.build.folder / ENGINE).parent \
            if Path(binary).parent == own else own

    def link(self, test, program):
        """What is run: the program with the mistakes, or as it is, if it is the
        engine that it starts which has them."""
        if self.of_program(program):
            return self.link_program(program)
        engine = self.link_program(self.build.programs[ENGINE])
        shell = engine and engine.with_name("depositctl")
        if shell and not shell.exists():
            shell.symlink_to((self.build.folder / ENGINE).with_name(shell.name))
        return engine and self.build.folder / program.output

    def of_program(self, program):
        """Of several objects of one source a program has one."""
        return [x for x in self.jobs if x.output in program.objects] or \
            [x for x in self.jobs if x.output in program.inside]

    def link_program(self, program):
        used = self.of_program(program)
        for job in (x for x in used if x.output not in self.made):
            self.made[job.output] = self.compile(job)
        binary = self.folder / "programs" / program.name()
        if binary.exists():
            return binary
        binary.parent.mkdir(exist_ok=True)
        code, _ = run_told(
            program.link({x.output: self.made[x.output] for x in used}, binary),
            self.build.folder, LINK_S)
        return binary if code == 0 else None

    def program(self, test, program):
        if test.name not in self.linked:
            self.linked[test.name] = self.link(test, program)
        return self.linked[test.name]

    def run(self, test, binary, which):
        with tempfile.TemporaryDirectory(dir=self.folder) as here:
            Path(here).chmod(0o755)
            environment = dict(os.environ, TMPDIR=here,
                               DEPOSITD_MISTAKE=str(which),
                               DEPOSITD_PROGRAMS=self.programs_for(binary))
            environment.update(x.split("=", 1) for x in test.environment)
            more = ["--gtest_fail_fast", "--gtest_brief=1"]
            if binary.name == "simulation":
                more = ["--seeds", str(self.wanted.lives), "--first",
                        str(7_000_000)]
            return run_bounded([binary, *more], self.build.folder, environment,
                               *self.bounds(test))

    def bounds(self, test):
        """Seconds of a processor and of the wall: a few times what it took
        without a mistake, so that who waits for ever is not waited for."""
        sound = self.sound.get(test.name)
        return bounds_like(sound) if sound else (4 * (test.cost or 5) + 10,
                                                 None)

    def is_sound(self, test, binary):
        """Its word counts only if it says nothing without a mistake."""
        if test.name not in self.sound:
            ended = self.run(test, binary, -1)
            if ended.failed:
                ended = self.run(test, binary, -1)
            self.sound[test.name] = ended
            if ended.failed:
                print(f"{test.name} fails as it is: not asked", flush=True)
        return not self.sound[test.name].failed

    def notices(self, verdict, which, test, program):
        binary = self.program(test, program)
        if binary is None or which in self.wrong \
                or not self.is_sound(test, binary):
            return False
        ended = self.run(test, binary, which)
        verdict.seconds += ended.seconds
        verdict.gave_up = ended.gave_up
        # Or has the machine less time for all than it had?
        if ended.gave_up and self.run(test, binary, -1).gave_up:
            print(f"{test.name} takes too long now: not asked", flush=True)
            return False
        verdict.asked = True
        return ended.failed

    def try_one(self, which):
        verdict = Verdict(self.mutations[which], "survived")
        tried = []
        for test, program in self.tests[verdict.mutation.path]:
            if verdict.seconds > self.wanted.seconds or which in self.wrong:
                break
            if self.notices(verdict, which, test, program):
                verdict.outcome = "killed"
                verdict.by = test.name
                break
            tried.append(test.name if self.linked[test.name]
                         else f"({test.name} cannot be linked)")
        if verdict.outcome == "survived" or self.wanted.both:
            self.try_lives(verdict, which, tried)
        if which in self.wrong:
            verdict.outcome = "no mutant"
        elif verdict.outcome == "survived":
            verdict.by = " ".join(tried) or "no test near"
            verdict.outcome = "survived" if verdict.asked else "not asked"
        return verdict

    def try_lives(self, verdict, which, tried):
        """They have the last word, unless it has been said."""
        program = self.build.programs.get("bin/simulation")
        if not program or not self.wanted.lives or which in self.wrong \
                or not verdict.mutation.path.startswith("actors/") \
                or not {x.output for x in self.jobs} & {*program.objects,
                                                        *program.inside}:
            return
        test = Test("simulation", [], [], [], self.wanted.lives / 30)
        verdict.lives = self.notices(verdict, which, test, program)
        tried.append("simulation")
        if verdict.lives and verdict.outcome == "survived":
            verdict.outcome, verdict.by = "killed", "simulation"
