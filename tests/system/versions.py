"""Programs of two versions. The last release is in DEPOSITD_PREVIOUS (see
scripts/previous); without it the present programs play its part, and another
build of the same sources, which says of itself what a test wants, that of the
next."""

import os
import re
from pathlib import Path

from harness import PROGRAMS, ROOT

PROTOCOL = re.search(
    r'node_protocol = "(\w+\.\d+)"',
    (ROOT / "messages/values/node_options.hpp").read_text())[1]
SCHEMA = len(list((ROOT / "adapters/stores/postgres/migrations").glob(
    "*.sql")))


def following(protocol):
    name, number = protocol.rsplit(".", 1)
    return f"{name}.{int(number) + 1}"


class Version:
    """Where its programs are, and what they are told by the environment."""

    def __init__(self, programs=PROGRAMS, **environment):
        self.programs = Path(programs)
        self.environment = environment

    def into(self, engine):
        """From its next start."""
        engine.programs = self.programs
        engine.environment = dict(self.environment)
        return engine


def released():
    return Version(os.environ.get("DEPOSITD_PREVIOUS", PROGRAMS))


def next_version(folder, protocol=PROTOCOL, schema=SCHEMA):
    """What will be installed in place of `released()`, or what claims to be."""
    if "DEPOSITD_PREVIOUS" in os.environ and (protocol, schema) == (
            PROTOCOL, SCHEMA):
        return Version()
    programs = Path(folder) / "next"
    if not programs.exists():
        programs.mkdir()
        for name, program in (("depositd", "depositd-crash"),
                              ("depositctl", "depositctl")):
            (programs / name).symlink_to(PROGRAMS / program)
    return Version(programs, DEPOSITD_CLAIM_PROTOCOL=protocol,
                   DEPOSITD_CLAIM_SCHEMA=str(schema))
