"""Copies of the golden stores, and engines that live on the day they were
written."""

import contextlib
import lzma
import sqlite3
import struct
import subprocess
import tarfile
import time
from pathlib import Path

from engine import Engine

SHARDS = 3

# docs/formats/segments.md
PAGE = 4096
GROUP_HEADER = struct.Struct("<8I4Q")


def unpack(folder, archive):
    """A data folder of one's own."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder)
    return Path(folder)


def restore(url, dump, name):
    """The URL of a new database with what the dump says."""
    psql(url, f"CREATE DATABASE {name}")
    copy = url.rsplit("/", 1)[0] + "/" + name
    subprocess.run(["psql", copy, "-XAtq", "-v", "ON_ERROR_STOP=1"],
                   input=lzma.decompress(Path(dump).read_bytes()),
                   stdout=subprocess.DEVNULL, check=True)
    return copy


def on_the_day(url, written_at):
    """The same with the server's clock of then, for engines that share it;
    those that did are gone."""
    shift = written_at - int(time.time())
    psql(url, "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz "
         "LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + "
         f"interval '{shift} s' $$; "
         "UPDATE engines SET alive_until = '-infinity'; "
         "UPDATE shard_leases SET ends_at = '-infinity'")
    return url + "?options=-csearch_path%3Dpublic%2Cpg_catalog"


def psql(url, text):
    done = subprocess.run(["psql", url, "-XAtqc", text], capture_output=True,
                          text=True, check=True)
    return done.stdout.strip()


def open_copy(programs, clock, known, data, settings):
    """An engine to whom the kill was just now."""
    shift = known["written_at"] - int(time.time())
    return Engine(programs, data, settings, environment={
        "LD_PRELOAD": str(clock), "DEPOSITD_SHIFT_S": str(shift)})


def groups(data):
    """(last event, file, offset) of what is in the segments of a folder."""
    for path in Path(data).rglob("*.segment"):
        segment = path.read_bytes()
        for at in range(PAGE, len(segment), PAGE):
            (_, _, _, _, _, _, events, _, first, _, _, offset) = \
                GROUP_HEADER.unpack_from(segment, at)
            if offset == at and events:
                yield first + events - 1, path, at


def journalled(data):
    """The last event in the segments of a data folder."""
    return max(groups(data))[0]


def lose_last_group(data):
    """As if it had never been written."""
    _, path, at = max(groups(data))
    with open(path, "r+b") as segment:
        segment.seek(at)
        segment.write(bytes(PAGE))


def projected(data):
    """The last event that its tables know."""
    path = next(Path(data).rglob("projection.db"))
    with contextlib.closing(sqlite3.connect(path)) as tables:
        return tables.execute("SELECT reached FROM meta").fetchone()[0]


def journal_is_ahead(data):
    """Whether a start has to read the journal's tail."""
    return journalled(data) > projected(data)
