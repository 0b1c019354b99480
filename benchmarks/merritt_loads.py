"""The loads that CDL tries Merritt with, through the pipeline `merritt`.

    python3 benchmarks/merritt_loads.py [--scale auto] [--profile 25x50M]...

Each profile has an engine of its own, with a data folder of its own, and goes
through every stage: the files are fetched from a web server on this machine,
checked by SHA-256, stored, recorded, and reported by mail. A profile NxSIZE is
one batch with N rows (`--as batch`) or N submissions of one row each (`--as
submissions`); `7x20-versions` is 140 submissions of 1 KiB, 20 for each of 7
local ids, handed in at once, and must end as 7 objects with 20 versions each.

`--scale` multiplies sizes, never counts, and no file gets smaller than 1 KiB:
`auto` is the largest of 1, 1/2, 1/4, ... with which the profile fits four times
into half of the free space below `--folder`.

Prints a table, or with `--json` one object for each profile: jobs and batches
per second from the first submission to the last report, seconds from
submission to report (median and most, by the engine's own times), the most
memory that the engine had, and MiB per second.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import socket
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import poster_door  # noqa: E402
from engine import Engine  # noqa: E402
from mail_sink import MailSink  # noqa: E402
from merritt_samples import manifest  # noqa: E402
from web_server import serve  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
PROFILES = {"100x1K": (100, KIB), "100x1M": (100, MIB), "25x1M": (25, MIB),
            "25x50M": (25, 50 * MIB), "10x1G": (10, GIB), "2x5G": (2, 5 * GIB),
            "1x10G": (1, 10 * GIB)}
VERSIONS = "7x20-versions"
LOCAL_IDS, REPEATS = 7, 20
# Working folder, object, and room to spare.
COPIES_OF_PAYLOAD = 4
SUBMITTERS = 4
PASSWORD = "secret-ben"
POLL_S = 0.1
BLOCK = os.urandom(MIB)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--profile", action="append", dest="profiles",
                        choices=[*PROFILES, VERSIONS],
                        help="one of the profiles; again for more (all)")
    parser.add_argument("--scale", default="auto",
                        help="what sizes are multiplied with, or auto")
    parser.add_argument("--as", choices=["batch", "submissions"],
                        default="batch", dest="way")
    parser.add_argument("--folder", type=Path, default=tempfile.gettempdir(),
                        help="where engines have their data meanwhile")
    parser.add_argument("--give-up-after", type=float, default=3_600,
                        metavar="SECONDS", help="for one profile")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def scale_of(options, payload):
    if options.scale != "auto":
        return float(options.scale)
    room = shutil.disk_usage(options.folder).free / 2
    scale = 1.0
    while payload * scale * COPIES_OF_PAYLOAD > room:
        scale /= 2
    return scale


# -- the source ---------------------------------------------------------------


def parts_of(number, size):
    """The bytes of a file, made on the spot: no two files are alike."""
    mark = f"{number:015}\n".encode()
    yield mark[:size]
    left = size - len(mark)
    while left > 0:
        yield memoryview(BLOCK)[:min(left, MIB)]
        left -= MIB


def answer(line, method, path):
    """/NUMBER/SIZE."""
    number, size = (int(x) for x in path.split("/")[1:])
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
    if method == b"GET":
        for part in parts_of(number, size):
            line.sendall(part)


def rows_of(address, count, size):
    out = []
    for number in range(count):
        digest = hashlib.sha256()
        for part in parts_of(number, size):
            digest.update(part)
        out.append(f"http://{address}/{number}/{size} | sha-256 | "
                   f"{digest.hexdigest()} | {size} | | {number}.bin")
    return out


# -- one profile --------------------------------------------------------------


def memory_peak_mb(engine):
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    return int(re.search(r"^VmHWM:\s+(\d+)", status, re.M)[1]) / 1024


def submit_rows(engine, rows, way):
    """The submissions to make, as functions."""
    kind = "single-file-batch-manifest"
    parts = [rows] if way == "batch" else [[row] for row in rows]

    def one(part):
        return poster_door.submit(
            engine.address("http"), "ben", PASSWORD,
            {"profile": "bench", "type": kind}, "rows.checkm",
            manifest("mrt-single-file-batch-manifest", part))
    return [lambda part=part: one(part) for part in parts]


def submit_versions(engine):
    def one(local_id, repeat):
        content = f"{local_id} {repeat}\n".encode().ljust(KIB, b".")
        return poster_door.submit(
            engine.address("http"), "ben", PASSWORD,
            {"profile": "bench", "type": "file",
             "localIdentifier": f"local-{local_id}"}, "page.txt", content)
    return [lambda i=i, r=r: one(i, r)
            for r in range(REPEATS) for i in range(LOCAL_IDS)]


def await_ends(engine, count, give_up_after_s):
    """The batches, all reported."""
    deadline = time.monotonic() + give_up_after_s
    while True:
        batches = engine.rows("batch", "list")
        wrong = [x for x in batches if x["state"] == "failed"]
        if wrong:
            raise SystemExit(f"a batch failed: {wrong[0]}")
        if (len(batches) == count
                and all(x["state"] == "completed" for x in batches)):
            return batches
        if time.monotonic() > deadline:
            raise SystemExit(f"not done within {give_up_after_s} s")
        time.sleep(POLL_S)


def seconds_of(batch):
    began, ended = (datetime.fromisoformat(batch[key])
                    for key in ("submitted_at", "changed_at"))
    return (ended - began).total_seconds()


def check_versions(engine):
    found = engine.rows("object", "list")
    if sorted(x["versions"] for x in found) != [REPEATS] * LOCAL_IDS:
        raise SystemExit(f"not {LOCAL_IDS} objects with {REPEATS} versions "
                         f"each: {found}")


def run(name, engine, todo, options):
    """Makes the submissions and follows them to their reports."""
    began = time.monotonic()
    with ThreadPoolExecutor(SUBMITTERS) as pool:
        made = [pool.submit(one) for one in todo]
    for one in made:
        one.result()
    batches = await_ends(engine, len(todo), options.give_up_after)
    seconds = time.monotonic() - began
    if name == VERSIONS:
        check_versions(engine)
    jobs = sum(x["jobs"]["total"] for x in batches)
    each = [seconds_of(x) for x in batches]
    return {"seconds": round(seconds, 3), "jobs": jobs,
            "batches": len(batches),
            "jobs_per_second": round(jobs / seconds, 2),
            "batches_per_second": round(len(batches) / seconds, 2),
            "to_report_s_median": round(statistics.median(each), 3),
            "to_report_s_max": round(max(each), 3),
            "memory_peak_mb": round(memory_peak_mb(engine))}


def measure(name, address, mails, options):
    count, size = PROFILES.get(name, (LOCAL_IDS * REPEATS, KIB))
    scale = scale_of(options, count * size)
    scaled = max(KIB, round(size * scale))
    rows = [] if name == VERSIONS else rows_of(address, count, scaled)
    with tempfile.TemporaryDirectory(prefix="depositd-bench-",
                                     dir=options.folder) as folder:
        with Engine(options.programs, Path(folder) / "data",
                    {"fetch.allow": address, "mail.smtp": mails.address,
                     "mail.from": "depositd@example.org"}) as engine:
            engine.add_user("ben", PASSWORD)
            engine.ctl("collection", "add", "bench", "--owner", "ben",
                       "--notify", "ben@example.org")
            todo = (submit_versions(engine) if name == VERSIONS
                    else submit_rows(engine, rows, options.way))
            out = run(name, engine, todo, options)
    moved = count * scaled
    return {"profile": name, "scale": scale, "bytes_of_a_file": scaled, **out,
            "mib_per_second": round(moved / MIB / out["seconds"], 2)}


COLUMNS = [("profile", "profile"), ("scale", "scale"), ("jobs", "jobs"),
           ("batches", "batches"), ("jobs_per_second", "jobs/s"),
           ("batches_per_second", "batches/s"), ("mib_per_second", "MiB/s"),
           ("to_report_s_median", "to report, s"),
           ("to_report_s_max", "at most, s"),
           ("memory_peak_mb", "peak memory, MB")]


def print_line(cells):
    print("| " + " | ".join(str(x) for x in cells) + " |", flush=True)


def main():
    options = arguments()
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    address = "127.0.0.1:%d" % listener.getsockname()[1]
    server = multiprocessing.get_context("fork").Process(
        target=serve, args=(listener, answer))
    server.start()
    try:
        if not options.json:
            print_line(title for _, title in COLUMNS)
            print_line("---" for _ in COLUMNS)
        with MailSink() as mails:
            mails.serve()
            for name in options.profiles or [*PROFILES, VERSIONS]:
                found = measure(name, address, mails, options)
                if options.json:
                    print(json.dumps(found), flush=True)
                else:
                    print_line(found[key] for key, _ in COLUMNS)
            mails.shutdown()
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
