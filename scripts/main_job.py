"""The main job: start depositd, submit deposits of several users over HTTP or
through Kafka, follow every one to its outcome, account for all of them.

Exit code: 0 every submission has an outcome, 1 something was lost or could not
be handed in, 2 wrong usage, 3 the engine failed.
"""

import argparse
import contextlib
import http.client
import json
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

import aptrust_job
import kafka_job
import merritt_job
import migrate_job
from deposit_door import Door
from deposit_sources import NoDeposits, collect
from engine import CommandFailed, Engine, EngineFailed
from job_account import (check_against_engine, prepare_users, summarise,
                         turns_taken)
from job_view import Progress, print_outcomes, print_summary
from kafka_tools import KafkaFailed, NoKafka

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "config" / "samples"
RESULTS_MARK = "summary.json"
CONNECTIONS_MAX = 16  # for one user
REFUSED_TRIES_MAX = 600
POLL_PAUSE_S = 0.05
RECORDS, RECORDS_MIN = 1_000_000, 100


class Submission:
    """One deposit on its way; `outcome` says where it is."""

    def __init__(self, user, file_name, content):
        self.user = user
        self.file_name = file_name
        self.content = content
        # waiting, accepted; completed, partly (some of its records failed),
        # failed; refused, lost
        self.outcome = "waiting"
        self.reason = ""
        self.submission_id = 0
        self.document = b""


class Depositor(threading.Thread):
    """One user: posts everything, then polls until all have an outcome."""

    def __init__(self, address, user, password, submissions, give_up_after_s):
        super().__init__(daemon=True)
        self.open_door = lambda: Door(address, user, password)
        self.submissions = submissions
        self.give_up_after_s = give_up_after_s
        self.last_news = time.monotonic()
        self.posted = threading.Event()
        self.met_a_full_queue = threading.Event()

    def run(self):
        self.share(self.post)
        self.posted.set()
        self.share(self.follow)

    def share(self, work):
        """Does work(door, submission) for all, over a few connections."""
        count = 1 + min(len(self.submissions) // 50, CONNECTIONS_MAX - 1)
        with ThreadPoolExecutor(count) as pool:
            for part in range(count):
                pool.submit(self.one_by_one, work,
                            self.submissions[part::count])

    def one_by_one(self, work, submissions):
        with contextlib.closing(self.open_door()) as door:
            for submission in submissions:
                work(door, submission)

    def follow(self, door, submission):
        while submission.outcome == "accepted":
            if not self.look(door, submission):
                if self.gave_up():
                    submission.outcome = "lost"
                    submission.reason = "no outcome in time"
                time.sleep(POLL_PAUSE_S)

    def gave_up(self):
        return time.monotonic() - self.last_news > self.give_up_after_s

    def post(self, door, submission):
        """A full queue (429) is an invitation to come again."""
        for _ in range(REFUSED_TRIES_MAX):
            try:
                answer = door.deposit(submission.file_name, submission.content)
            except (OSError, http.client.HTTPException) as problem:
                submission.outcome = "refused"
                submission.reason = f"no answer: {problem}"
                return
            if answer.status != 429:
                break
            self.met_a_full_queue.set()
            time.sleep(min(1.0, float(answer.headers.get("Retry-After", 1))))
        if answer.accepted:
            submission.outcome = "accepted"
        else:
            submission.outcome = "refused"
            submission.reason = f"answered {answer.status}"
        self.last_news = time.monotonic()

    def look(self, door, submission):
        """Polls once; true if there is an outcome now."""
        try:
            found = door.poll(submission.file_name)
        except (OSError, ValueError, http.client.HTTPException):
            return False
        if not found.known:
            submission.outcome = "lost"
            submission.reason = "the engine does not know it"
            return True
        if not found.completed:
            return False
        self.last_news = time.monotonic()
        submission.submission_id = found.submission_id
        submission.document = found.document
        failures = found.failures()
        if not failures:
            submission.outcome = "completed"
        elif len(failures) < len(found.records):
            submission.outcome = "partly"
        else:
            submission.outcome = "failed"
        if failures:
            submission.reason = "; ".join(
                f"{doi}: {text}" if doi else text
                for _, doi, text in failures[:3])
        return True


# -- folders ------------------------------------------------------------------


def fresh_results(folder):
    """Clears what an earlier run left, and nothing else."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / RESULTS_MARK).exists():
            raise NoDeposits(f"{folder} holds something else than results")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULTS_MARK).write_text("{}\n")


def write_results(folder, submissions, summary):
    for user in {s.user for s in submissions if s.document}:
        (folder / user).mkdir(exist_ok=True)
    for submission in submissions:
        if submission.document:
            place = folder / submission.user
            name = submission.file_name.replace("/", "_") + ".result.xml"
            (place / name).write_bytes(submission.document)
    (folder / RESULTS_MARK).write_text(
        json.dumps(summary, indent=2, ensure_ascii=False) + "\n")


def records(text):
    """How many there are to be."""
    out = int(text)
    if out < RECORDS_MIN:
        raise argparse.ArgumentTypeError(f"at least {RECORDS_MIN}")
    return out


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/run",
        description="Starts depositd on the embedded store, submits deposit "
                    "files of several users over HTTP and follows each one to "
                    "its outcome.",
        epilog="Sub-folders of a folder name users; other files are spread "
               "over a few. In a *.template.xml every @N@ becomes the copy's "
               "number.")
    parser.add_argument("sources", nargs="*", type=Path, metavar="FILE|FOLDER",
                        help="deposits (default: config/samples)")
    parser.add_argument("--results", type=Path, default=Path("results"),
                        help="where outcomes are left (default: ./results)")
    parser.add_argument("--data", type=Path,
                        help="data folder to keep and use again (default: a "
                             "fresh build/run-data)")
    parser.add_argument("--copies", type=int, default=500,
                        help="copies of each template (default: 500)")
    parser.add_argument("--as-they-come", action="store_true",
                        help="process while deposits come in; without it the "
                             "queue opens once all are handed in, so that "
                             "there is something to share")
    parser.add_argument("--kafka", action="store_true",
                        help="through a private Kafka instead of HTTP: kcat "
                             "writes the deposits and reads the outcomes; the "
                             "store is a private PostgreSQL")
    parser.add_argument("--pipeline", choices=["aptrust", "merritt"],
                        help="batches and jobs instead of deposits: samples "
                             "of its own, submitted as Merritt's depositors "
                             "do (merritt) or found as bags in a folder and "
                             "in a bucket (aptrust), through every stage to "
                             "stored objects and reports or events")
    parser.add_argument("--migrate", nargs="?", type=records, metavar="N",
                        const=RECORDS,
                        help="work that is pulled instead: so many records "
                             f"(default {RECORDS:,}) of a slow PostgreSQL, a "
                             "SQLite file and a program, scheduled into a "
                             "queue and taken from there, with prefetching "
                             "and without; leaves a picture of both")
    parser.add_argument("--rate", type=int, default=30_000,
                        help="with --migrate: records per second that the "
                             "target takes (default: 30000)")
    parser.add_argument("--query-ms", type=int, default=2000,
                        help="with --migrate: what a query of the slow source "
                             "takes (default: 2000)")
    parser.add_argument("--delay-ms", type=int, default=0,
                        help="instead of processing, wait for so long: to "
                             "watch the turns")
    parser.add_argument("--give-up-after", type=float, default=120,
                        metavar="SECONDS", help="without any news")
    parser.add_argument("--programs", type=Path,
                        default=ROOT / "build" / "release" / "bin",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def watch(engine, depositors, by_user, held):
    """Shows progress to the end. What is held is let go once everything is
    handed in, or somebody cannot hand in more; returns when that was."""
    opened = datetime.now(timezone.utc)
    with Progress(by_user) as progress:
        while any(depositor.is_alive() for depositor in depositors):
            if held and (all(d.posted.is_set() for d in depositors)
                         or any(d.met_a_full_queue.is_set()
                                for d in depositors)):
                opened = datetime.now(timezone.utc)
                engine.ctl("queue", "resume", "metadata")
                held = False
            progress.show()
            time.sleep(0.1)
    if held:
        engine.ctl("queue", "resume", "metadata")
    return opened


def follow(engine, submissions, options):
    """Submits all; once each has an outcome, returns the engine's own list
    of them, the turns that each user has had, when the queue opened, and no
    account of Kafka."""
    by_user = {}
    for submission in submissions:
        by_user.setdefault(submission.user, []).append(submission)
    passwords, known = prepare_users(engine, by_user)
    before = {row["id"] for user in known
              for row in engine.submissions([user])}
    turns_before = turns_taken(engine, known)
    depositors = [
        Depositor(engine.address("http"), user, passwords[user], theirs,
                  options.give_up_after)
        for user, theirs in by_user.items()]
    if not options.as_they_come:
        engine.ctl("queue", "suspend", "metadata")
    for depositor in depositors:
        depositor.start()
    opened = watch(engine, depositors, by_user,
                   held=not options.as_they_come)
    turns = {user: count - turns_before.get(user, 0)
             for user, count in turns_taken(engine, by_user).items()}
    rows = [row for row in engine.submissions(by_user)
            if row["id"] not in before]
    return rows, turns, opened, None


def run_other(options, what, job, data):
    """A job that is not about deposits; the exit code."""
    try:
        if (options.sources or options.kafka or options.delay_ms
                or (options.pipeline and options.migrate)):
            raise NoDeposits(f"{what} brings its own samples and servers")
        fresh_results(options.results)
    except NoDeposits as problem:
        print(f"run: {problem}", file=sys.stderr)
        return 2
    return job.main(options, options.data or ROOT / "build" / data)


def main():
    options = arguments()
    if options.migrate:
        return run_other(options, "--migrate", migrate_job,
                         "run-migration-data")
    if options.pipeline:
        job = aptrust_job if options.pipeline == "aptrust" else merritt_job
        return run_other(options, "--pipeline", job, "run-pipeline-data")
    try:
        submissions = [Submission(*found) for found in collect(
            options.sources or [SAMPLES], options.copies)]
        fresh_results(options.results)
    except NoDeposits as problem:
        print(f"run: {problem}", file=sys.stderr)
        return 2
    data = options.data
    if data is None:
        data = ROOT / "build" / "run-data"
        shutil.rmtree(data, ignore_errors=True)
    elif data.exists():
        # A poll by a name that was used before tells of the first.
        stamp = time.strftime("%Y%m%dT%H%M%S")
        for submission in submissions:
            submission.file_name = f"{stamp}-{submission.file_name}"
    settings = {}
    if options.delay_ms:
        settings["processors.inject_delay_ms"] = options.delay_ms
    with contextlib.ExitStack() as servers:
        try:
            if options.kafka:
                settings |= kafka_job.start_servers(servers)
            engine = Engine(options.programs, data, settings,
                            log=options.results / "depositd.log")
            servers.callback(engine.kill)
            return run(engine, submissions, options)
        except (EngineFailed, CommandFailed, NoKafka, KafkaFailed) as problem:
            print(f"run: {problem}", file=sys.stderr)
            return 3


def run(engine, submissions, options):
    """Everything with the servers up; the exit code."""
    started = time.monotonic()
    engine.start()
    print(f"depositd runs: http {engine.ready['http']}, "
          f"data {engine.ready['data']}")
    way = kafka_job.follow if options.kafka else follow
    rows, turns, opened, account = way(engine, submissions, options)
    code = engine.stop()
    check_against_engine(submissions, rows)
    summary = summarise(submissions, rows, turns, opened,
                        time.monotonic() - started)
    if account:
        summary["kafka"] = account
    write_results(options.results, submissions, summary)
    print_outcomes(submissions)
    print_summary(summary, options.results)
    if account:
        kafka_job.print_account(account)
    if code != 0:
        print(f"run: depositd ended with {code}", file=sys.stderr)
        return 3
    whole = not account or account["same_set"]
    lost = summary["total"]["lost"] + summary["total"]["refused"]
    return 0 if whole and not lost else 1


if __name__ == "__main__":
    sys.exit(main())
