"""The lines of the restore drill, as docs/operations/backup.md has them, typed
for a test: `systemctl` is done by hand, all else by a shell."""

import os
import pwd
import re
import subprocess
from pathlib import Path

from harness import PROGRAMS, ROOT

BACKUP = ROOT / "docs/operations/backup.md"


def blocks():
    """{name: lines} of what stands behind "```sh drill NAME"."""
    found = re.findall(r"^```sh drill ([\w ]+)\n(.*?)^```$",
                       BACKUP.read_text(), re.M | re.S)
    return {name: text for name, text in found}


def steps(text):
    """("systemctl", verb, unit) and ("sh", lines), in their order."""
    out, shell = [], ""
    for line in text.splitlines(keepends=True):
        words = line.split()
        if words[:1] == ["systemctl"]:
            if shell:
                out.append(("sh", shell))
            out.append(("systemctl", *words[1:3]))
            shell = ""
        else:
            shell += line
    return out + ([("sh", shell)] if shell else [])


def owner_of(folder):
    """A user's name, to become that user if root runs the tests."""
    return pwd.getpwuid(os.stat(folder).st_uid).pw_name


class Drill:
    """`variables` are what the documents call DATA, COPY and so on; `services`
    does (verb, unit). `owner`: who types what is not root's."""

    def __init__(self, folder, variables, services, owner=None):
        self.variables = {key: str(value) for key, value in variables.items()}
        self.services = services
        self.owner = owner
        self.replaced = {}
        self.programs = Path(folder) / "typed"
        self.programs.mkdir()
        (self.programs / "depositd").symlink_to(PROGRAMS / "depositd")

    def meet(self, engine):
        """depositctl without --connect finds this one."""
        shell = self.programs / "depositctl"
        shell.write_text(f'#!/bin/sh\nexec {PROGRAMS}/depositctl --connect '
                         f'{engine.ready["node"]} "$@"\n')
        shell.chmod(0o755)

    def replace(self, text, other):
        """What is typed from now on in place of a text of the documents."""
        self.replaced[text] = other

    def text(self, name):
        out = blocks()[name]
        for text, other in self.replaced.items():
            out = out.replace(text, other)
        return out

    def type(self, name):
        """Does a block. (exit code of its last lines, what was printed); what
        comes before them has to succeed."""
        code, printed = 0, ""
        for kind, *what in steps(self.text(name)):
            if code:
                raise AssertionError(f"{name}: exit {code}: {printed}")
            if kind == "systemctl":
                self.services(*what)
            else:
                code, more = self.shell(*what)
                printed += more
        return code, printed

    def shell(self, lines):
        own = self.owner is None or lines.startswith("depositctl ")
        become = [] if own or os.getuid() else [
            "setpriv", f"--reuid={self.owner}", f"--regid={self.owner}",
            "--clear-groups"]
        done = subprocess.run(
            [*become, "sh", "-eu", "-c", lines], cwd="/", check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=300,
            env={**os.environ, **self.variables,
                 "PATH": f"{self.programs}:{os.environ['PATH']}"})
        return done.returncode, done.stdout
