"""Which tests are nearest to a source, of those that are linked with it."""

import functools
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PORT = re.compile(r'^#include "(messages/ports/[^"]+)"', re.MULTILINE)
SLOW_S = 100         # tests that take longer are nobody's neighbours
PROGRAMS_MAX = 12    # for one source
NEAR_MIN = 2         # to stand in the same layer is not to be near
STARTING_MIN = 3     # of who starts the engine: that has everything, and costs
ENGINE = "bin/depositd"


class NearTests:
    def __init__(self, build, slow_s=SLOW_S, part=""):
        self.build = build
        self.slow_s = slow_s
        self.part = part  # of a test's name
        self.headers = build.headers_of_programs()
        self.programs_by_path = {
            str((build.folder / x.output).resolve()): x
            for x in build.programs.values()}

    def program_of(self, test):
        if len(test.command) != 1:
            return None
        return self.programs_by_path.get(str(Path(test.command[0]).resolve()))

    def starts_engines(self, program):
        """Whether it has nothing of the engine in itself, but runs it."""
        return any(starts_programs(path)
                   for name in (*program.objects, *program.inside)
                   for path in self.build.compilations[name].sources
                   if path.startswith("tests/"))

    def near_min(self, program, names):
        """How near it has to be, if what it tries has one of these objects: it
        itself, or the engine that it starts. None: nothing has."""
        if names & {*program.objects, *program.inside}:
            return NEAR_MIN
        engine = self.build.programs.get(ENGINE)
        if engine and names & {*engine.objects, *engine.inside} \
                and self.starts_engines(program):
            return STARTING_MIN
        return None

    def nearness(self, source, program):
        """The folder of the tests mirrors that of the source, or their name
        says it; who includes its header asks for what is in it, and who has a
        contract for its port holds it against that."""
        folder = source.rsplit("/", 1)[0]
        headers = self.headers.get(program.output, ())
        own = source[:-len(".cpp")] + ".hpp"
        near, mirror, named = 0, 0, 0
        if own in headers:
            near += 4
        for name in program.objects:
            for path in self.build.compilations[name].sources:
                if path.startswith("tests/"):
                    mirrored = path[len("tests/"):].rsplit("/", 1)[0]
                    shared = os.path.commonprefix(
                        [mirrored + "/", folder + "/"]).count("/")
                    mirror = max(mirror, min(3, shared))
                    named = max(named, len(words_of(source)
                                           & words_of(Path(path).name)))
        if any(x.startswith(folder + "/") for x in headers):
            near += 2
        if any(ports_in(x) & ports_of(source) for x in headers
               if x.startswith("tests/contract/")):
            near += 4
        return near + mirror + min(3, named)

    def of(self, source, objects):
        names = {x.output for x in objects}
        found = []
        for test in self.build.tests:
            program = self.program_of(test)
            if program is None or self.part not in test.name \
                    or "system" in test.labels \
                    or (test.cost or 0) > self.slow_s:
                continue
            enough = self.near_min(program, names)
            near = enough and self.nearness(source, program)
            if enough and (near >= enough or enough == NEAR_MIN):
                found.append((-near, test.cost or 1, test.name, test, program))
        found = [x for x in found if -x[0] >= NEAR_MIN] or found
        found.sort(key=lambda x: x[:3])
        # Of these a quick one that is farther comes before a slow one.
        order = sorted(found[:PROGRAMS_MAX],
                       key=lambda x: x[1] / (1 - x[0]) ** 2)
        return [(test, program) for *_, test, program in order]


@functools.cache
def text_of(path):
    file = ROOT / path
    return file.read_text(encoding="utf-8") if file.exists() else ""


def starts_programs(path):
    return '"DEPOSITD_PROGRAMS"' in text_of(path)


def ports_in(path):
    """Those that it names. What is compiled beforehand is in no list of
    headers, so the text says it."""
    return set(PORT.findall(text_of(path)))


def ports_of(source):
    return ports_in(source) | ports_in(source[:-len(".cpp")] + ".hpp")


def words_of(path):
    """What a path speaks of, in the singular."""
    words = re.findall(r"[a-z0-9]+", path.rsplit(".", 1)[0])
    return {x[:-1] if x.endswith("s") else x for x in words} - {
        "actor", "adapter", "store", "rule", "test"}
