"""The crash points of the sources, and what a run has to do to pass them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POINT = re.compile(r'\bcrash_point\("(\w+)"\)')


@dataclass
class Point:
    """Where to die, and at which passing; what makes the engine pass it."""

    name: str
    passing: int = 1
    doing: str = "load"  # load, start, backup, filling, records, and below

    def __str__(self):
        return f"{self.name}:{self.passing}"


# Any store.
COMMON = [
    Point("accept_decided", 5),
    Point("append_before", 1), Point("append_before", 17),
    Point("append_after", 2), Point("append_after", 23),
    Point("append_answered", 9), Point("append_answered", 31),
    Point("hand_out_decided", 6),
    Point("outcome_ready", 4),
    Point("settle_decided", 7),
    Point("control_decided", 2),
    Point("slice_before", 2), Point("slice_after", 2),
    Point("recovery_read", 1, "start"),
    Point("recovery_released", 1, "start"),
    Point("drop_before", 1, "filling"), Point("drop_after", 3, "filling"),
    Point("backup_tables", 1, "backup"), Point("backup_journal", 1, "backup"),
]

EMBEDDED = COMMON + [
    Point("group_unflushed", 11),
    Point("slice_checkpointed", 2),
    Point("segment_taken", 2, "filling"),
    Point("blob_unflushed", 1, "filling"),
    Point("blob_unnamed", 2, "filling"),
    Point("blob_named", 2, "filling"),
]

POSTGRES = [p for p in COMMON if p.doing != "backup"] + [
    Point("postgres_committed", 13),
    Point("extent_begun", 2, "filling"),
]

# Of deposits that their door works on itself.
AT_ONCE = [Point("accept_decided", 1, "at_once"),
           Point("at_once_processed", 1, "at_once")]

KAFKA = [
    Point("intake_polled", 1, "records"),
    Point("ingest_decided", 1, "records"),
    Point("intake_refused", 1, "records"),
    Point("intake_committed", 1, "records"),
    Point("publisher_read", 1, "records"),
    Point("publisher_produced", 1, "records"),
    Point("publisher_marked", 1, "records"),
]

# Of two engines on one database. Which one dies, and why shards move: `stop`
# the one that is told to stop, `give` the one that another engine joins, `join`
# the one that joins, `alone` the only one.
HAND_OVER = [
    Point("shard_drained", 1, "give"), Point("shard_drained", 2, "stop"),
    Point("shard_settled", 1, "stop"),
    Point("shard_closed", 1, "stop"), Point("shard_closed", 2, "give"),
    Point("lease_returned", 1, "stop"),
    Point("lease_taken", 1, "join"), Point("shard_opened", 2, "alone"),
    Point("shard_brought_up", 1, "join"),
]

# Of batches and jobs: five jobs walk through the pipeline, which are two steps
# of their batch and 45 of theirs.
WORK = [
    Point("batch_step_decided", 1, "walk"),
    Point("batch_step_decided", 2, "walk"),
    Point("jobs_created", 1, "walk"),
    Point("job_step_decided", 1, "walk"), Point("job_step_decided", 8, "walk"),
    Point("job_step_decided", 22, "walk"),
    Point("job_step_decided", 39, "walk"),
    Point("report_decided", 1, "walk"),
    Point("append_before", 8, "walk"), Point("append_after", 8, "walk"),
]

# What an operator asks for, by the method of the test that does it.
WORK_ORDERS = [
    Point("job_ordered", 1, "requeue"),
    Point("batch_ordered", 1, "report_again"),
    Point("job_swept", 1, "delete"), Point("batch_ordered", 1, "delete"),
    Point("batches_forgotten", 1, "forget"),
]

# Of a bag that goes through APTrust's nine stages: what is handed back first is
# its batch. Lists of files are made by three stages.
BAGS = [Point("outcome_ready", number, "ingest") for number in range(2, 11)] + [
    Point("list_unnamed", 1, "ingest"), Point("list_unnamed", 2, "ingest"),
    Point("list_unnamed", 3, "ingest"), Point("file_unstaged", 3, "ingest"),
    Point("version_unflushed", 1, "ingest"),
    Point("object_unnamed", 1, "ingest"),
    Point("bag_put", 1, "ingest"), Point("bag_recorded", 1, "ingest"),
    Point("bag_files_told", 1, "ingest"), Point("bag_taken_away", 1, "ingest"),
]

# Of orders about what is stored, by the method of the test that gives them.
BAG_ORDERS = [
    Point("given_back", 1, "restore"), Point("giving_told", 1, "restore"),
    Point("outcome_ready", 2, "restore"),
    Point("fixity_read", 1, "compare"), Point("fixity_told", 1, "compare"),
    Point("outcome_ready", 2, "compare"),
    Point("deletion_queued", 1, "delete"), Point("copy_removed", 1, "delete"),
    Point("deletion_told", 1, "delete"), Point("object_forgotten", 1, "delete"),
    Point("outcome_ready", 2, "delete"),
]

COLD = [Point("restoration_queued", 1, "recall"),
        Point("outcome_ready", 2, "recall")]


def points_of_sources():
    """Every name that a source passes, with the file."""
    out = {}
    for folder in ("actors", "adapters", "config"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            for name in POINT.findall(path.read_text()):
                out.setdefault(name, str(path.relative_to(ROOT)))
    return out
