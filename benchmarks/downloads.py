"""How fast a job's files are fetched, against `curl -Z`.

    python3 benchmarks/downloads.py [--files 64] [--mib 16] [--runs 3]

One web server on this machine serves the files to both. The engine works on
an object manifest with SHA-256 digests through estimate, provision and
download: files are asked for by HEAD, fetched, checked while they are read, and
durable. curl fetches the same files into a folder and checks nothing. They take
turns. Prints one JSON object: MiB per second of the best run of each, and
`ratio`, the median of the runs' ratios.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import poster_door  # noqa: E402
from engine import Engine  # noqa: E402
from merritt_samples import manifest  # noqa: E402
from web_server import serve  # noqa: E402

PASSWORD = "secret-ben"
STAGES = {"pending": ("pending", "stage"),
          "estimate": ("estimating", "estimate"),
          "provision": ("provisioning", "provision"),
          "download": ("downloading", "download")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=ROOT / "build/release/bin",
                        type=Path)
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--mib", type=int, default=16)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--parallel", type=int, default=4,
                        help="transfers at once of curl; a job has 4")
    return parser.parse_args()


def answer_from(folder):
    """Sends files straight from the kernel's memory."""
    def answer(line, method, path):
        with open(folder / path.lstrip("/"), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            line.sendall(b"HTTP/1.1 200 OK\r\n"
                         b"Content-Length: %d\r\n\r\n" % size)
            sent = 0
            while method == b"GET" and sent < size:
                sent += os.sendfile(line.fileno(), file.fileno(), sent,
                                    size - sent)
    return answer


def make_files(folder, options):
    """{name: SHA-256}."""
    out = {}
    block = os.urandom(1 << 20)
    for i in range(options.files):
        content = b"".join(bytes([i & 255, j & 255]) + block[2:]
                           for j in range(options.mib))
        (folder / f"{i}.bin").write_bytes(content)
        out[f"{i}.bin"] = hashlib.sha256(content).hexdigest()
    return out


def by_curl(address, files, options, folder):
    target = folder / "curl"
    target.mkdir()
    command = ["curl", "-fZ", "--no-progress-meter", "--parallel-max",
               str(options.parallel)]
    for name in files:
        command += ["-o", str(target / name), f"http://{address}/{name}"]
    began = time.monotonic()
    subprocess.run(command, check=True)
    seconds = time.monotonic() - began
    shutil.rmtree(target)
    return seconds


def by_engine(engine, rows):
    began = time.monotonic()
    uuid = poster_door.submit(
        engine.address("http"), "ben", PASSWORD,
        {"profile": "bench", "type": "object-manifest"}, "all.checkm", rows)
    while True:
        found = engine.ask("batch", "show", uuid)
        if found["state"] in ("completed", "failed"):
            break
        time.sleep(0.05)
    if found["state"] == "failed":
        raise SystemExit(f"the batch failed: {found}")
    seconds = time.monotonic() - began
    return seconds


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="depositd-bench-") as name:
        folder = Path(name)
        (folder / "files").mkdir()
        files = make_files(folder / "files", options)
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        address = "127.0.0.1:%d" % listener.getsockname()[1]
        server = multiprocessing.get_context("fork").Process(
            target=serve, args=(listener, answer_from(folder / "files")),
            daemon=True)
        server.start()
        size = options.mib << 20
        rows = manifest("mrt-ingest-manifest", [
            f"http://{address}/{name} | sha-256 | {digest} | {size} | | {name}"
            for name, digest in files.items()])
        pipelines = folder / "pipelines"
        pipelines.mkdir()
        (pipelines / "bench.yaml").write_text("\n".join(
            [f"order: [{', '.join(STAGES)}]", "stages:"]
            + [f"  {stage}: {{state: {state}, handler: merritt.{handler}}}"
               for stage, (state, handler) in STAGES.items()]) + "\n")
        settings = {"pipelines.folder": str(pipelines), "fetch.allow": address}
        with Engine(options.programs, folder / "data", settings) as engine:
            engine.add_user("ben", PASSWORD)
            engine.ctl("collection", "add", "bench", "--owner", "ben",
                       "--pipeline", "bench")
            times = []
            for _ in range(options.runs):
                times.append((by_curl(address, files, options, folder),
                              by_engine(engine, rows)))
                for left in (folder / "data" / "work").glob("b*"):
                    shutil.rmtree(left)
        server.terminate()
        mib = options.files * options.mib
        print(json.dumps({
            "files": options.files, "mib": mib,
            "curl_mib_per_second": round(mib / min(x for x, _ in times)),
            "engine_mib_per_second": round(mib / min(y for _, y in times)),
            "ratio": round(statistics.median(x / y for x, y in times), 2)}))


if __name__ == "__main__":
    main()
