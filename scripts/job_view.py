"""What the main job shows: live progress per user, outcomes, a summary."""

import shutil
import sys
import time

FINISHED = ("completed", "partly", "failed")
BAR_WIDTH = 24
LINES_EVERY_S = 5
OUTCOMES_SHOWN_MAX = 60


def counts(submissions):
    out = {"posted": 0, "finished": 0, "failed": 0, "all": len(submissions)}
    for submission in submissions:
        if submission.outcome != "waiting":
            out["posted"] += 1
        if submission.outcome in FINISHED:
            out["finished"] += 1
        if submission.outcome in ("partly", "failed", "refused", "lost"):
            out["failed"] += 1
    return out


def row_of(user, submissions, width):
    now = counts(submissions)
    done = round(BAR_WIDTH * now["finished"] / now["all"])
    posted = round(BAR_WIDTH * now["posted"] / now["all"])
    bar = ("#" * done).ljust(posted, "-").ljust(BAR_WIDTH)
    return (f"  {user:<{width}} [{bar}] {now['posted']:>6} in "
            f"{now['finished']:>6} done {now['failed']:>5} bad")


class Progress:
    """One table, refreshed in place on a terminal; else a line now and then."""

    def __init__(self, by_user, out=sys.stdout):
        self.by_user = by_user
        self.out = out
        self.live = out.isatty()
        self.width = max(len(user) for user in by_user)
        self.lines_shown = 0
        self.last_line = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.last_line = 0
        self.show()

    def show(self):
        if self.live:
            self.show_table()
        elif time.monotonic() - self.last_line > LINES_EVERY_S:
            self.last_line = time.monotonic()
            self.show_lines()

    def show_lines(self):
        for user, submissions in self.by_user.items():
            print(row_of(user, submissions, self.width), file=self.out)
        self.out.flush()

    def show_table(self):
        size = shutil.get_terminal_size()
        users = list(self.by_user)[:max(1, size.lines - 3)]
        if self.lines_shown:
            self.out.write(f"\x1b[{self.lines_shown}A")
        for user in users:
            row = row_of(user, self.by_user[user], self.width)
            self.out.write(f"\x1b[2K{row[:size.columns - 1]}\n")
        self.lines_shown = len(users)
        self.out.flush()


def print_outcomes(submissions):
    """One line each, for the first so many; the bad ones always."""
    print("\noutcomes")
    left = OUTCOMES_SHOWN_MAX
    hidden = 0
    for s in submissions:
        if s.outcome == "completed" and left <= 0:
            hidden += 1
            continue
        left -= 1
        reason = f": {s.reason}" if s.reason else ""
        print(f"  {s.submission_id:>8} {s.user:<10} {s.outcome:<9} "
              f"{s.file_name}{reason}")
    if hidden:
        print(f"  ... and {hidden} more completed (all in summary.json)")


def shown(value):
    return "-" if value is None else value


def print_summary(summary, results):
    columns = ("accepted", "completed", "partly", "failed", "refused",
               "lost", "turns", "wait_ms_median", "wait_ms_max")
    width = max(len(user) for user in summary["users"])
    print("\n" + f"{'user':<{width}} "
          + " ".join(f"{column:>{max(9, len(column))}}" for column in columns))
    for user, values in summary["users"].items():
        print(f"{user:<{width}} " + " ".join(
            f"{shown(values[column]):>{max(9, len(column))}}"
            for column in columns))
    total = summary["total"]
    print(f"\n{total['accepted']} accepted, {total['completed']} completed, "
          f"{total['partly']} in part, {total['failed']} failed (each with "
          f"its reason), {total['refused']} refused, {total['lost']} lost, in "
          f"{summary['seconds']} s")
    print(f"results: {results}")
