"""The main job: start depositd, submit deposits of several users over HTTP,
follow every one to its outcome, account for all of them.

Exit code: 0 every submission has an outcome, 1 something was lost or could not
be handed in, 2 wrong usage, 3 the engine failed.
"""

import argparse
import http.client
import json
import secrets
import shutil
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

from deposit_door import Door
from deposit_sources import NoDeposits, collect
from engine import CommandFailed, Engine, EngineFailed
from job_view import Progress, print_outcomes, print_summary

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "config" / "samples"
RESULTS_MARK = "summary.json"
REFUSED_TRIES_MAX = 600
POLL_PAUSE_S = 0.05


class Submission:
    """One deposit on its way; `outcome` says where it is."""

    def __init__(self, user, file_name, content):
        self.user = user
        self.file_name = file_name
        self.content = content
        self.outcome = "waiting"  # accepted, completed, failed, refused, lost
        self.reason = ""
        self.submission_id = 0
        self.document = b""


class Depositor(threading.Thread):
    """One user: posts everything, then polls until all have an outcome."""

    def __init__(self, door, submissions, give_up_after_s):
        super().__init__(daemon=True)
        self.door = door
        self.submissions = submissions
        self.give_up_after_s = give_up_after_s
        self.last_news = time.monotonic()

    def run(self):
        for submission in self.submissions:
            self.post(submission)
        for submission in self.submissions:
            while submission.outcome == "accepted":
                if not self.look(submission):
                    if self.gave_up():
                        submission.outcome = "lost"
                        submission.reason = "no outcome in time"
                        break
                    time.sleep(POLL_PAUSE_S)
        self.door.close()

    def gave_up(self):
        return time.monotonic() - self.last_news > self.give_up_after_s

    def post(self, submission):
        """A full queue (429) is an invitation to come again."""
        for _ in range(REFUSED_TRIES_MAX):
            try:
                answer = self.door.deposit(submission.file_name,
                                           submission.content)
            except (OSError, http.client.HTTPException) as problem:
                submission.outcome = "refused"
                submission.reason = f"no answer: {problem}"
                return
            if answer.status != 429:
                break
            time.sleep(min(1.0, float(answer.headers.get("Retry-After", 1))))
        if answer.accepted:
            submission.outcome = "accepted"
        else:
            submission.outcome = "refused"
            submission.reason = f"answered {answer.status}"
        self.last_news = time.monotonic()

    def look(self, submission):
        """Polls once; true if there is an outcome now."""
        try:
            found = self.door.poll(submission.file_name)
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
        submission.outcome = "failed" if failures else "completed"
        if failures:
            submission.reason = "; ".join(
                f"{doi}: {text}" if doi else text
                for _, doi, text in failures[:3])
        return True


# -- accounts and accounting --------------------------------------------------


def prepare_users(engine, users):
    """Passwords for this run; users of an earlier one get a new password."""
    known = {row["user"] for row in engine.rows("user", "list")}
    passwords = {user: secrets.token_urlsafe(16) for user in users}
    for user, password in passwords.items():
        if user in known:
            engine.ctl("user", "password", user, "--password-stdin",
                       text=password + "\n")
        else:
            engine.add_user(user, password)
    return passwords


def turns_taken(engine, users):
    """How many turns of the ring each user has had, by the engine's count."""
    out = {}
    for user in users:
        places = engine.ask("user", "show", user)["queues"]
        out[user] = sum(place["turns_taken"] for place in places)
    return out


def waited_ms(row):
    started, received = (datetime.fromisoformat(row[key])
                         for key in ("started_at", "received_at"))
    return (started - received).total_seconds() * 1000


def check_against_engine(submissions, rows):
    """What was accepted must be in the engine's list exactly once."""
    stored = {}
    for row in rows:
        key = (row["user"], row["file_name"])
        stored[key] = stored.get(key, 0) + 1
    for submission in submissions:
        count = stored.get((submission.user, submission.file_name), 0)
        if submission.outcome in ("completed", "failed") and count != 1:
            submission.outcome = "lost"
            submission.reason = f"stored {count} times"


def summarise(submissions, rows, turns, seconds):
    waits = {}
    for row in rows:
        if row["started_at"]:
            waits.setdefault(row["user"], []).append(waited_ms(row))
    users = {}
    for submission in submissions:
        user = users.setdefault(submission.user, {
            "accepted": 0, "completed": 0, "failed": 0, "refused": 0,
            "lost": 0})
        if submission.outcome != "refused":
            user["accepted"] += 1
        user[submission.outcome] += 1
    for name, user in users.items():
        waited = sorted(waits.get(name, [0]))
        user["turns"] = turns.get(name, 0)
        user["wait_ms_median"] = round(waited[len(waited) // 2], 1)
        user["wait_ms_max"] = round(waited[-1], 1)
    keys = ("accepted", "completed", "failed", "refused", "lost")
    return {
        "total": {key: sum(u[key] for u in users.values()) for key in keys},
        "users": users,
        "seconds": round(seconds, 2),
        "outcomes": [
            {"user": s.user, "file_name": s.file_name, "outcome": s.outcome,
             "submission_id": s.submission_id, "reason": s.reason}
            for s in submissions],
    }


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
    for submission in submissions:
        if submission.document:
            place = folder / submission.user
            place.mkdir(exist_ok=True)
            name = submission.file_name.replace("/", "_") + ".result.xml"
            (place / name).write_bytes(submission.document)
    (folder / RESULTS_MARK).write_text(
        json.dumps(summary, indent=2, ensure_ascii=False) + "\n")


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
    parser.add_argument("--delay-ms", type=int, default=0,
                        help="let the processing of each deposit take this "
                             "much longer, to watch the turns")
    parser.add_argument("--give-up-after", type=float, default=120,
                        metavar="SECONDS", help="without any news")
    parser.add_argument("--programs", type=Path,
                        default=ROOT / "build" / "release" / "bin",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def follow(engine, submissions, options):
    """Submits all; once each has an outcome, returns the engine's own list
    of them and the turns that each user has had."""
    by_user = {}
    for submission in submissions:
        by_user.setdefault(submission.user, []).append(submission)
    passwords = prepare_users(engine, by_user)
    before = max((row["id"] for row in engine.submissions(by_user)), default=0)
    turns_before = turns_taken(engine, by_user)
    depositors = [
        Depositor(Door(engine.address("http"), user, passwords[user]), theirs,
                  options.give_up_after)
        for user, theirs in by_user.items()]
    for depositor in depositors:
        depositor.start()
    with Progress(by_user) as progress:
        while any(depositor.is_alive() for depositor in depositors):
            progress.show()
            time.sleep(0.1)
    turns = {user: count - turns_before[user]
             for user, count in turns_taken(engine, by_user).items()}
    rows = [row for row in engine.submissions(by_user) if row["id"] > before]
    return rows, turns


def main():
    options = arguments()
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
    settings = {}
    if options.delay_ms:
        settings["processors.inject_delay_ms"] = options.delay_ms
    engine = Engine(options.programs, data, settings,
                    log=options.results / "depositd.log")
    started = time.monotonic()
    try:
        engine.start()
        print(f"depositd runs: http {engine.ready['http']}, "
              f"data {engine.ready['data']}")
        rows, turns = follow(engine, submissions, options)
        code = engine.stop()
    except (EngineFailed, CommandFailed) as problem:
        print(f"run: {problem}", file=sys.stderr)
        return 3
    finally:
        engine.kill()
    check_against_engine(submissions, rows)
    summary = summarise(submissions, rows, turns,
                        time.monotonic() - started)
    write_results(options.results, submissions, summary)
    print_outcomes(submissions)
    print_summary(summary, options.results)
    if code != 0:
        print(f"run: depositd ended with {code}", file=sys.stderr)
        return 3
    return 1 if summary["total"]["lost"] + summary["total"]["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
