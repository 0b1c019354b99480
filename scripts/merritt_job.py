"""The main job of a pipeline: submissions that become batches of jobs, followed
through every stage to their stored objects and their reports.

Exit code as of main_job: 0 every job ended as its sample says and every batch
was reported, 1 something did not, 2 wrong usage, 3 the engine failed.
"""

import contextlib
import json
import secrets
import shutil
import sys
import time

import poster_door
from engine import CommandFailed, Engine, EngineFailed
from mail_sink import MailSink
from merritt_samples import Source, samples
from stored_objects import stored_objects

USER = "lea"
COLLECTION = "samples"
ADDRESS = "lea@example.org"
LOOK_EVERY_S = 0.25
TRIES = 2  # of what fails for now
BATCH_ENDS = ("completed", "failed")
JOB_ENDS = ("completed", "failed", "deleted")


class NotDone(Exception):
    """Something is not as it should be at the end, or there is no end."""


# -- what goes in -------------------------------------------------------------


def prepare(engine):
    """Account and collection; returns the password for this run."""
    password = secrets.token_urlsafe(16)
    if USER in {row["user"] for row in engine.rows("user", "list")}:
        engine.ctl("user", "password", USER, "--password-stdin",
                   text=password + "\n")
    else:
        engine.add_user(USER, password)
    known = {row["name"] for row in engine.rows("collection", "list")}
    if COLLECTION not in known:
        engine.ctl("collection", "add", COLLECTION, "--owner", USER,
                   "--notify", ADDRESS)
    # What fails for now is to fail for good while somebody watches.
    engine.ctl("pipeline", "set", "merritt.download", "--attempts-max",
               str(TRIES))
    return password


def hand_in(engine, password, all_samples):
    for sample in all_samples:
        fields = {"profile": COLLECTION, "type": sample.kind,
                  "submitter": USER, "title": sample.title}
        if len(sample.expected) == 1:
            fields["localIdentifier"] = next(iter(sample.expected))
        sample.batch = poster_door.submit(
            engine.address("http"), USER, password, fields, sample.file_name,
            sample.content)
        print(f"  {sample.file_name:<14} {sample.title:<32} {sample.batch}")


# -- what happens -------------------------------------------------------------


class Progress:
    """A line for every stage, refreshed in place on a terminal; else a line
    when something has changed."""

    def __init__(self, out=sys.stdout):
        self.out = out
        self.live = out.isatty()
        self.lines_shown = 0
        self.last = None

    def show(self, pipeline, jobs):
        """Shows it; true if anything is new."""
        states = sorted(f"{job['id']} {job['state']}" for job in jobs)
        stages = [pipeline["batch"] | {"name": "(split)"},
                  *pipeline["stages"],
                  pipeline["report"] | {"name": "(report)"}]
        now = [states, [(s["waiting"], s["in_process"]) for s in stages]]
        if now == self.last:
            return False
        self.last = now
        if self.live:
            self.show_table(stages, jobs)
        else:
            self.show_line(stages, jobs)
        return True

    @staticmethod
    def ended(jobs):
        return {end: sum(job["state"] == end for job in jobs)
                for end in ("completed", "failed")}

    def show_line(self, stages, jobs):
        busy = [f"{s['name']} {s['waiting'] + s['in_process']}"
                for s in stages if s["waiting"] + s["in_process"]]
        ended = self.ended(jobs)
        print(f"  {len(jobs)} jobs: {ended['completed']} completed, "
              f"{ended['failed']} failed; {', '.join(busy) or '-'}",
              file=self.out, flush=True)

    def show_table(self, stages, jobs):
        width = max(len(stage["name"]) for stage in stages)
        if self.lines_shown:
            self.out.write(f"\x1b[{self.lines_shown}A")
        lines = [f"  {s['name']:<{width}} "
                 + ("#" * s["in_process"] + "." * s["waiting"])[:50]
                 for s in stages]
        ended = self.ended(jobs)
        lines.append(f"  {len(jobs)} jobs, {ended['completed']} completed, "
                     f"{ended['failed']} failed")
        for line in lines:
            self.out.write(f"\x1b[2K{line}\n")
        self.lines_shown = len(lines)
        self.out.flush()


def batches_of(engine, all_samples):
    wanted = {sample.batch for sample in all_samples}
    return [row for row in engine.rows("batch", "list")
            if row["uuid"] in wanted]


def jobs_of(engine, batches):
    return [job for batch in batches
            for job in engine.rows("job", "list", "--batch",
                                   str(batch["id"]))]


def follow(engine, all_samples, give_up_after_s):
    """Until every batch has ended; returns batches and jobs."""
    progress = Progress()
    last_news = time.monotonic()
    while True:
        batches = batches_of(engine, all_samples)
        jobs = jobs_of(engine, batches)
        if progress.show(engine.ask("pipeline", "show", "merritt"), jobs):
            last_news = time.monotonic()
        if (len(batches) == len(all_samples)
                and all(b["state"] in BATCH_ENDS for b in batches)):
            return batches, jobs
        if time.monotonic() - last_news > give_up_after_s:
            open_jobs = [f"{job['uuid']} {job['state']} {job['note'] or ''}"
                         for job in jobs if job["state"] not in JOB_ENDS]
            raise NotDone(f"no news for {give_up_after_s} s; open: "
                          + "; ".join(open_jobs or ["no job"]))
        time.sleep(LOOK_EVERY_S)


# -- what came of it ----------------------------------------------------------


def local_ids(job):
    """`local_id` is a list, or one text with ';' between them."""
    found = job["local_id"] or []
    return found.split(";") if isinstance(found, str) else found


def check_jobs(all_samples, jobs):
    """What is wrong with how jobs ended."""
    ended = {local: job for job in jobs for local in local_ids(job)}
    wrong = []
    for sample in all_samples:
        for local, state in sample.expected.items():
            job = ended.get(local)
            if job is None:
                wrong.append(f"{local}: there is no such job")
            elif job["state"] != state:
                wrong.append(f"{local}: {job['state']} and not {state}: "
                             f"{job['note']}")
            elif state == "failed" and not job["note"]:
                wrong.append(f"{local}: failed without a reason")
    count = sum(len(sample.expected) for sample in all_samples)
    if len(jobs) != count:
        wrong.append(f"there are {len(jobs)} jobs and not {count}")
    return wrong


def check_storage(jobs, stored):
    return [f"{job['identifier'] or job['uuid']}: completed, but not stored"
            for job in jobs
            if job["state"] == "completed" and job["identifier"] not in stored]


def reports_in(mails, batches):
    """{uuid of a batch: its mails}, by what stands in the subject."""
    return {batch["uuid"]: [mail for mail in mails
                            if batch["uuid"] in str(mail["Subject"])]
            for batch in batches}


def check_reports(reports):
    out = []
    for uuid, mails in reports.items():
        ends = [mail for mail in mails
                if "Processed" in str(mail["Subject"])]
        if len(ends) != 1:
            out.append(f"{uuid}: {len(ends)} reports by mail and not one")
    return out


def print_results(jobs, stored, reports):
    print("\njobs")
    for job in jobs:
        print(f"  {', '.join(local_ids(job)):<16} {job['state']:<10} "
              f"{job['identifier'] or '-':<24} {job['note'] or ''}")
    print("\nstored objects")
    for identifier, x in stored.items():
        print(f"  {identifier}  {x['version']}, {x['files']} files, "
              f"{x['bytes']} bytes")
        for path in x["paths"]:
            print(f"    {path}")
    print("\nreports")
    for mails in reports.values():
        for mail in mails:
            print(f"  to {mail['To']}: {mail['Subject']}")


def write_results(folder, batches, jobs, stored, reports, wrong):
    for uuid, mails in reports.items():
        for number, mail in enumerate(mails, 1):
            (folder / f"{uuid}-{number}.eml").write_bytes(mail.as_bytes())
    (folder / "summary.json").write_text(json.dumps(
        {"batches": batches, "jobs": jobs, "stored": stored, "wrong": wrong},
        indent=2, ensure_ascii=False) + "\n")


# -- all of it ----------------------------------------------------------------


def run(engine, all_samples, mails, options):
    engine.start()
    print(f"depositd runs: http {engine.ready['http']}, "
          f"data {engine.ready['data']}\n\nsubmissions")
    hand_in(engine, prepare(engine), all_samples)
    print("\nprogress")
    batches, jobs = follow(engine, all_samples, options.give_up_after)
    stored = stored_objects(engine.data / "objects")
    reports = reports_in(mails, batches)
    wrong = (check_jobs(all_samples, jobs) + check_storage(jobs, stored)
             + check_reports(reports))
    code = engine.stop()
    print_results(jobs, stored, reports)
    write_results(options.results, batches, jobs, stored, reports, wrong)
    print(f"\nresults: {options.results}")
    if code != 0:
        raise EngineFailed(code, engine.log())
    if wrong:
        raise NotDone("\n  ".join(["not as it should be:", *wrong]))


def main(options, data):
    """With the folders that main_job has prepared."""
    if options.data is None:
        shutil.rmtree(data, ignore_errors=True)
    with contextlib.ExitStack() as servers:
        source = servers.enter_context(Source())
        mail = servers.enter_context(MailSink())
        for server in (source, mail):
            server.serve()
            servers.callback(server.shutdown)
        engine = Engine(options.programs, data, {
            "fetch.allow": source.address, "mail.smtp": mail.address,
            "mail.from": "depositd@example.org"},
            log=options.results / "depositd.log")
        servers.callback(engine.kill)
        try:
            run(engine, samples(source), mail.mails, options)
            return 0
        except (EngineFailed, CommandFailed) as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 3
        except (NotDone, poster_door.Refused) as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 1
