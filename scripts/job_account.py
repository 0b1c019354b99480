"""What the engine says of the main job's deposits, and what it adds up to."""

import json
import secrets
from datetime import datetime

from job_view import FINISHED


def prepare_users(engine, users):
    """Passwords for this run, and those users who are of an earlier one."""
    known = {row["user"] for row in engine.rows("user", "list")}
    passwords = {user: secrets.token_urlsafe(16) for user in users}
    engine.script(
        line for user, password in passwords.items()
        for line in (f"user {'password' if user in known else 'add'} {user} "
                     "--password-stdin", password))
    return passwords, known & passwords.keys()


def turns_taken(engine, users):
    """How many turns of the ring each user has had, by the engine's count,
    which ends a while after a user's last item: then without the user."""
    if not users:
        return {}
    shown = engine.script(f"user show {user} --json" for user in users)
    out = {}
    for user in map(json.loads, shown.splitlines()):
        if user["queues"]:
            out[user["user"]] = sum(place["turns_taken"]
                                    for place in user["queues"])
    return out


def waited_ms(row, opened):
    """From when it could have been served: handed in, and the queue open."""
    started, received = (datetime.fromisoformat(row[key])
                         for key in ("started_at", "received_at"))
    return max(0, (started - max(received, opened)).total_seconds() * 1000)


def check_against_engine(submissions, rows):
    """What was accepted must be in the engine's list exactly once."""
    stored = {}
    for row in rows:
        key = (row["user"], row["file_name"])
        stored[key] = stored.get(key, 0) + 1
    for submission in submissions:
        count = stored.get((submission.user, submission.file_name), 0)
        if submission.outcome in FINISHED and count != 1:
            submission.outcome = "lost"
            submission.reason = f"stored {count} times"


def summarise(submissions, rows, turns, opened, seconds):
    waits = {}
    for row in rows:
        if row["started_at"]:
            waits.setdefault(row["user"], []).append(
                waited_ms(row, opened))
    users = {}
    for submission in submissions:
        user = users.setdefault(submission.user, {
            "accepted": 0, "completed": 0, "partly": 0, "failed": 0,
            "refused": 0, "lost": 0})
        if submission.outcome != "refused":
            user["accepted"] += 1
        user[submission.outcome] += 1
    for name, user in users.items():
        waited = sorted(waits.get(name, [0]))
        user["turns"] = turns.get(name)
        user["wait_ms_median"] = round(waited[len(waited) // 2], 1)
        user["wait_ms_max"] = round(waited[-1], 1)
    keys = ("accepted", "completed", "partly", "failed", "refused", "lost")
    return {
        "total": {key: sum(u[key] for u in users.values()) for key in keys},
        "users": users,
        "seconds": round(seconds, 2),
        "outcomes": [
            {"user": s.user, "file_name": s.file_name, "outcome": s.outcome,
             "submission_id": s.submission_id, "reason": s.reason}
            for s in submissions],
    }
