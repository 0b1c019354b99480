#!/usr/bin/env python3
"""Makes the golden stores with the programs of a build:

    tests/golden/make.py PROGRAMS CLOCK FOLDER

PROGRAMS is the folder with depositd and depositctl, CLOCK the library
shifted_clock of any build, FOLDER where to write, called as the version.
"""

import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/system")]
sys.dont_write_bytecode = True
os.environ.setdefault("DEPOSITD_PROGRAMS", sys.argv[1])

from engine import Engine  # noqa: E402
from harness import wait_until  # noqa: E402
from kafka_tools import Server  # noqa: E402
from copies import (SHARDS, journal_is_ahead, open_copy, restore,  # noqa: E402
                    unpack)
from look import has_moved, look  # noqa: E402
from further import (FurtherWork, further_settings,  # noqa: E402
                     look_further)
from work import MESSAGE_QUEUES  # noqa: E402


def live(programs, folder, store, settings):
    """The work, done with a broker; (what to know of it, settings)."""
    broker = Server().start()
    try:
        engine = Engine(programs, folder / "data", {
            **further_settings(store, folder), **settings,
            "kafka.brokers": broker.address, "kafka.partitions": 2})
        try:
            work = FurtherWork(engine, broker.address)
            work.first_life()
            work.second_life()
        finally:
            engine.kill()
    finally:
        broker.remove()
    return {"written_at": int(time.time()), "held": work.held,
            "moves": work.moves, "records": work.records}


def seen(programs, clock, known, data, store, settings):
    """What the same programs show of a copy."""
    with open_copy(programs, clock, known, data,
                   {**further_settings(store, data.parent),
                    **settings}) as engine:
        wait_until(lambda: has_moved(engine, known["moves"]))
        return {**look(engine, MESSAGE_QUEUES, known["moves"]),
                "further": look_further(engine)}


def embedded(programs, clock, target, folder):
    known = live(programs, folder, "embedded", {})
    pack(folder / "data", target / "embedded.tar.xz")
    if not journal_is_ahead(folder / "data"):
        raise SystemExit("everything was projected: try again")
    data = unpack(folder / "copy", target / "embedded.tar.xz")
    known["shows"] = seen(programs, clock, known, data, "embedded", {})
    return known


def postgres(programs, clock, target, folder):
    server = Server("postgres").start()
    settings = {"store.kind": "postgres", "store.url": server.address,
                "shards.count": SHARDS, "node.name": "golden"}
    try:
        known = live(programs, folder, "postgres", settings)
        dump = subprocess.run(
            ["pg_dump", "--no-owner", "--no-privileges", server.address],
            capture_output=True, check=True).stdout
        path = target / "postgres.sql.xz"
        path.write_bytes(lzma.compress(dump, preset=9))
        settings["store.url"] = restore(server.address, path, "copy")
        known["shows"] = seen(programs, clock, known, folder / "other",
                              "postgres", settings)
    finally:
        server.remove()
    return known


def pack(data, path):
    """The same folder gives the same archive."""
    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        return info
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for file in sorted(data.rglob("*")):
            archive.add(file, file.relative_to(data), recursive=False,
                        filter=plain)


def main():
    programs, clock = (Path(x).resolve() for x in sys.argv[1:3])
    target = Path(sys.argv[3])
    target.mkdir(parents=True, exist_ok=True)
    expected = {}
    for make in (embedded, postgres):
        with tempfile.TemporaryDirectory(prefix="golden-") as folder:
            expected[make.__name__] = make(programs, clock, target,
                                           Path(folder))
    text = json.dumps(expected, indent=1, sort_keys=True, ensure_ascii=False)
    (target / "expected.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
