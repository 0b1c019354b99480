"""The main job of APTrust's pipeline: bags in a receiving folder and in a
bucket, followed through nine stages to stored objects, their events, and the
verdicts on those that are wrong; then one is restored, and one damaged.

Exit code as of main_job: 0 every bag ended as its sample says, 1 something did
not, 2 wrong usage, 3 the engine failed.
"""

import contextlib
import json
import secrets
import shutil
import sys
import time
from pathlib import Path

import s3_door
from aptrust_care import care_for
from aptrust_samples import samples
from engine import CommandFailed, Engine, EngineFailed
from kafka_tools import NoKafka, Server
from merritt_job import JOB_ENDS, NotDone, Progress
from stored_objects import stored_objects

PIPELINE = "aptrust"
LOOK_EVERY_S = 0.25
INTERVAL_S = 2


class Institution:
    """Who sends bags, and where it puts them."""

    def __init__(self, name, place, all_samples):
        self.name = name
        self.place = place
        self.samples = all_samples

    def send(self):
        for sample in self.samples:
            self.place.put(sample.file_name, sample.bag.packed())
            print(f"  {self.name:<12} {sample.file_name:<16} "
                  f"{sample.bag.title:<20} {self.place.title}")


class FolderPlace:
    def __init__(self, folder):
        self.folder = folder
        self.title = "a folder"
        folder.mkdir(parents=True)

    def put(self, name, content):
        """Under its name once it is whole, as one should."""
        part = self.folder / f"{name}.part"
        part.write_bytes(content)
        part.rename(self.folder / name)

    def left(self):
        return sorted(path.name for path in self.folder.iterdir())

    def settings(self, setting, _):
        return {f"{setting}.path": str(self.folder)}


class BucketPlace:
    def __init__(self, server, prefix):
        self.server = server
        self.prefix = prefix
        self.title = "a bucket"

    def put(self, name, content):
        s3_door.put(self.server.address, f"{self.prefix}/{name}", content)

    def left(self):
        folder = (Path(self.server.folder) / "s3" / "data" / s3_door.BUCKET
                  / self.prefix)
        return sorted(path.name for path in folder.glob("*.tar"))

    def settings(self, setting, key_file):
        return s3_door.settings(setting, self.server.address, self.prefix,
                                key_file)


# -- what goes in -------------------------------------------------------------


def prepare(engine, institutions, storage):
    known = {row["name"] for row in engine.rows("collection", "list")}
    users = {row["user"] for row in engine.rows("user", "list")}
    for one in institutions:
        if one.name not in users:
            engine.add_user(one.name, secrets.token_urlsafe(16))
        if one.name not in known:
            engine.ctl("collection", "add", one.name, "--owner", one.name,
                       "--pipeline", PIPELINE, "--storage", ",".join(storage))


# -- what happens -------------------------------------------------------------


def jobs_of(engine, institutions):
    return [job for one in institutions
            for job in engine.rows("job", "list", "--collection", one.name)]


def follow(engine, institutions, give_up_after_s):
    """Until every bag has a job that has ended."""
    progress = Progress()
    expected = sum(len(one.samples) for one in institutions)
    last_news = time.monotonic()
    while True:
        jobs = jobs_of(engine, institutions)
        if progress.show(engine.ask("pipeline", "show", PIPELINE), jobs):
            last_news = time.monotonic()
        if (len(jobs) >= expected
                and all(job["state"] in JOB_ENDS for job in jobs)):
            return jobs
        if time.monotonic() - last_news > give_up_after_s:
            open_jobs = [f"{job['identifier']} {job['state']} "
                         f"{job['note'] or ''}" for job in jobs
                         if job["state"] not in JOB_ENDS]
            raise NotDone(f"no news for {give_up_after_s} s; open: "
                          + "; ".join(open_jobs or ["bags without a job"]))
        time.sleep(LOOK_EVERY_S)


# -- what came of it ----------------------------------------------------------


def by_identifier(jobs):
    return {job["identifier"]: job for job in jobs}


def check_jobs(institutions, jobs):
    wrong = []
    found = by_identifier(jobs)
    for one in institutions:
        for sample in one.samples:
            identifier = sample.bag.identifier()
            job = found.get(identifier)
            if job is None:
                wrong.append(f"{identifier}: there is no such job")
            elif job["state"] != sample.state:
                wrong.append(f"{identifier}: {job['state']} and not "
                             f"{sample.state}: {job['note']}")
            elif sample.why not in (job["note"] or ""):
                wrong.append(f"{identifier}: the note does not tell of "
                             f"{sample.why}: {job['note']}")
    expected = sum(len(one.samples) for one in institutions)
    if len(jobs) != expected:
        wrong.append(f"there are {len(jobs)} jobs and not {expected}")
    return wrong


def kept_files(bag):
    """What of a bag goes into storage: all that does not only describe it."""
    return sorted(path for path in bag.files()
                  if path != "bagit.txt" and "manifest-" not in path)


def check_storage(institutions, stored):
    wrong = []
    good = {sample.bag.identifier(): sample.bag for one in institutions
            for sample in one.samples if sample.state == "completed"}
    for name, objects in stored.items():
        for identifier, bag in good.items():
            there = objects.get(identifier)
            if there is None:
                wrong.append(f"{identifier}: is not in {name}")
            elif there["paths"] != kept_files(bag):
                wrong.append(f"{identifier}: other files are in {name}")
        for identifier in objects.keys() - good.keys():
            wrong.append(f"{identifier}: is in {name} and must not be")
    return wrong


def check_places(institutions):
    """Bags that are stored are gone; those that are wrong can be looked at."""
    wrong = []
    for one in institutions:
        expected = sorted(sample.file_name for sample in one.samples
                          if sample.state == "failed")
        if one.place.left() != expected:
            wrong.append(f"{one.name}: {one.place.left()} are left and not "
                         f"{expected}")
    return wrong


def events_of(engine, jobs):
    """{identifier: its events}, of what was stored."""
    return {job["identifier"]: engine.rows("object", "events",
                                           job["identifier"], "--limit",
                                           "1000")
            for job in jobs if job["state"] == "completed"}


def check_events(institutions, events):
    wrong = []
    for one in institutions:
        for sample in one.samples:
            if sample.state != "completed":
                continue
            identifier = sample.bag.identifier()
            found = events.get(identifier, [])
            ingested = {event["file"] for event in found
                        if event["type"] == "ingestion"}
            missing = {None, *kept_files(sample.bag)} - ingested
            if missing:
                wrong.append(f"{identifier}: no ingestion event of "
                             f"{sorted(str(x) for x in missing)[:3]}")
    return wrong


def print_results(institutions, jobs, stored, events):
    found = by_identifier(jobs)
    print("\nverdicts")
    for one in institutions:
        for sample in one.samples:
            job = found.get(sample.bag.identifier(), {})
            print(f"  {sample.bag.identifier():<20} "
                  f"{job.get('state', '-'):<10} {job.get('note') or ''}")
    print("\nstored objects")
    for name, objects in stored.items():
        for identifier, x in sorted(objects.items()):
            print(f"  {name:<6} {identifier:<20} {x['version']}, "
                  f"{x['files']} files, {x['bytes']} bytes")
    print("\nevents")
    for identifier, all_events in sorted(events.items()):
        kinds = {}
        for event in all_events:
            kinds[event["type"]] = kinds.get(event["type"], 0) + 1
        print(f"  {identifier:<20} " + ", ".join(
            f"{count} {kind}" for kind, count in sorted(kinds.items())))


# -- all of it ----------------------------------------------------------------


def stored_in(engine, server):
    out = {"local": stored_objects(engine.data / "objects")}
    if server:
        out["vault"] = stored_objects(
            Path(server.folder) / "s3" / "data" / s3_door.BUCKET / "objects")
    return out


def run(engine, institutions, server, options):
    engine.start()
    print(f"depositd runs: http {engine.ready['http']}, "
          f"data {engine.ready['data']}\n\nbags")
    prepare(engine, institutions, ["local", "vault"] if server else ["local"])
    for one in institutions:
        one.send()
    print("\nprogress")
    jobs = follow(engine, institutions, options.give_up_after)
    events = events_of(engine, jobs)
    not_kept = care_for(engine, institutions[0])
    code = engine.stop()
    stored = stored_in(engine, server)
    wrong = (check_jobs(institutions, jobs)
             + check_storage(institutions, stored)
             + check_places(institutions)
             + check_events(institutions, events) + not_kept)
    print_results(institutions, jobs, stored, events)
    (options.results / "summary.json").write_text(json.dumps(
        {"jobs": jobs, "stored": stored, "events": events, "wrong": wrong},
        indent=2, ensure_ascii=False) + "\n")
    print(f"\nresults: {options.results}")
    if code != 0:
        raise EngineFailed(code, engine.log())
    if wrong:
        raise NotDone("\n  ".join(["not as it should be:", *wrong]))


def s3_server(servers):
    """One of our own; None, and says so, if there can be none."""
    server = Server("s3")
    servers.callback(server.remove)
    try:
        return server.start()
    except NoKafka as reason:
        print(f"run: {reason}; bags come and go in folders alone",
              file=sys.stderr)
        return None


def institutions_of(folder, server):
    out = [Institution("test.edu", FolderPlace(folder / "receiving"),
                       samples("test.edu"))]
    if server:
        out.append(Institution("other.edu", BucketPlace(server, "receiving"),
                               samples("other.edu")))
    return out


def settings_of(institutions, server, key_file):
    out = {}
    for one in institutions:
        setting = f"aptrust.receiving.{one.name}"
        out.update(one.place.settings(setting, key_file))
        out[f"{setting}.interval_s"] = INTERVAL_S
    if server:
        out.update(s3_door.settings("storage.vault", server.address, "objects",
                                    key_file))
    return out


def main(options, data):
    """With the folders that main_job has prepared."""
    if options.data is None:
        shutil.rmtree(data, ignore_errors=True)
    beside = data.with_name(data.name + "-aptrust")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)

    def key_file(name, key):
        path = beside / name
        path.write_text(key + "\n")
        path.chmod(0o600)
        return str(path)

    with contextlib.ExitStack() as servers:
        server = s3_server(servers)
        institutions = institutions_of(beside, server)
        engine = Engine(options.programs, data,
                        settings_of(institutions, server, key_file),
                        log=options.results / "depositd.log")
        servers.callback(engine.kill)
        try:
            run(engine, institutions, server, options)
            return 0
        except (EngineFailed, CommandFailed) as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 3
        except (NotDone, s3_door.S3Failed) as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 1
