"""What a build folder of Ninja and CMake says about its objects, programs and
tests, so that single ones can be made anew beside it."""

import json
import re
import shlex
import subprocess
from pathlib import Path

INCLUDED = re.compile(r'^#include "(/[^"]+)"', re.MULTILINE)


class Compilation:
    """One object: of one source, or of several that are compiled as one."""

    def __init__(self, words, output, file, sources):
        self.words = words      # the command
        self.output = output    # relative to the build folder
        self.file = file        # what the compiler is given
        self.sources = sources

    def command(self, file, output):
        """The same for another file; nothing is said about dependencies, and
        no warning ends it."""
        out, skip = [], False
        for word in self.words:
            if skip:
                skip = False
            elif word in ("-MF", "-MT", "-o"):
                skip = True
            elif word not in ("-MD", "-MMD"):
                out.append(str(file) if word == self.file else word)
        return [*out, "-w", "-o", str(output)]


class Program:
    def __init__(self, words, output, archives):
        self.words = words
        self.output = output
        self.objects = [w for w in words if w.endswith(".o")]
        inside = {}
        for archive in (w for w in words if w.endswith(".a")):
            for member in archives.get(archive, ()):
                inside[member] = archive
        self.inside = inside

    def name(self):
        return self.output.rsplit("/", 1)[-1]

    def link(self, instead, output):
        """The command with other objects. Those of a library come before it,
        so that it has nothing to add for them."""
        out, first = [], True
        more = [str(new) for old, new in instead.items()
                if old in self.inside]
        for i, word in enumerate(self.words):
            if word.endswith(".o") and first:
                out += more
                first = False
            if i and self.words[i - 1] == "-o":
                word = str(output)
            out.append(str(instead.get(word, word)))
        return out


class Test:
    """A case of CTest that is one program of the build."""

    def __init__(self, name, command, environment, labels, cost):
        self.name = name
        self.command = command
        self.environment = environment
        self.labels = labels
        self.cost = cost   # seconds it took before; None: never run


def last_time(said, given):
    """Seconds of its last run. What CTest keeps is the mean of that and, for
    all runs before, of the COST that the test was given, if it was."""
    if said is None or not given:
        return said and said[1]
    runs, cost = said
    return max(0.0, runs * cost - (runs - 1) * given)


class Build:
    def __init__(self, root, folder):
        self.root = Path(root)
        self.folder = Path(folder)
        self.compilations, self.programs = {}, {}
        archives, links = {}, []
        for entry in json.loads(self.said("ninja", "-t", "compdb")):
            words = self.words_of(entry["command"])
            if " -c " in entry["command"] and entry["output"].endswith(".o"):
                self.add_object(words, entry)
            elif entry["output"].endswith(".a"):
                archives[entry["output"]] = [w for w in words
                                             if w.endswith(".o")]
            elif "-o" in words and any(w.endswith(".o") for w in words):
                links.append((words, entry["output"]))
        for words, output in links:
            self.programs[output] = Program(words, output, archives)
        self.tests = self.read_tests()

    def said(self, *command):
        return subprocess.run(command, cwd=self.folder, check=True, text=True,
                              capture_output=True).stdout

    @staticmethod
    def words_of(command):
        """The one command among what CMake puts around it."""
        parts = [part for part in command.split(" && ") if part.strip() != ":"]
        made = [part for part in parts if " -o " in part or "ar qc" in part
                or " -c " in part]
        return shlex.split((made or parts or [":"])[0])

    def add_object(self, words, entry):
        file = entry["file"]
        sources = [file]
        path = self.folder / file
        if "/Unity/" in file and path.exists():
            sources = INCLUDED.findall(path.read_text(encoding="utf-8"))
        self.compilations[entry["output"]] = Compilation(
            words, entry["output"], file,
            {self.relative(x) for x in sources})

    def relative(self, path):
        try:
            return str(Path(self.folder, path).resolve().relative_to(
                self.root.resolve()))
        except ValueError:
            return str(path)

    def objects_of(self, source):
        return [x for x in self.compilations.values() if source in x.sources]

    def read_tests(self):
        known = json.loads(self.said("ctest", "--show-only=json-v1"))
        said = {}
        path = self.folder / "Testing/Temporary/CTestCostData.txt"
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                if line == "---":
                    break
                name, runs, cost = line.split()
                said[name] = int(runs), float(cost)
        out = []
        for test in known["tests"]:
            more = {x["name"]: x["value"] for x in test["properties"]}
            out.append(Test(test["name"], test.get("command", []),
                            more.get("ENVIRONMENT", []),
                            more.get("LABELS", []),
                            last_time(said.get(test["name"]),
                                      more.get("COST", 0))))
        return out

    def headers_of_programs(self):
        """{program: headers of ours that its own objects include}"""
        owners = {}
        for program in self.programs.values():
            for name in program.objects:
                owners.setdefault(name, []).append(program.output)
        out, at = {}, None
        root = f"{self.root.resolve()}/"
        for line in self.said("ninja", "-t", "deps").splitlines():
            if line and not line.startswith(" "):
                at = owners.get(line.split(":")[0], [])
            elif at:
                path = line.strip()
                if path.startswith(root):
                    for program in at:
                        out.setdefault(program, set()).add(path[len(root):])
        return out
