"""The tests are tested: every mistake that the sources can be told to make is
caught by some simulated life. First by the one that caught it when somebody
looked (bug_seeds.txt); where that has become another life, or with
DEPOSITD_BUG_SEEDS=N (`scripts/test --all`), it is looked for in N lives, and
how many that took is printed."""

import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIMULATION = os.environ["DEPOSITD_SIMULATION"]
LOOK = os.environ.get("DEPOSITD_BUG_SEEDS")
KNOWN = dict(line.split() for line in (
    Path(__file__).parent / "bug_seeds.txt").read_text().splitlines())
BUG = re.compile(r'\bseeded_bug\(\s*"(\w+)"\)')
LEAST = 12
# Knobs without which a life has nothing that the mistake could be made in. They
# save time only: a mistake without a line here is looked for in all lives.
NEEDS = {
    "answered_from_the_past": "questions",
    "away_taken_for_lost": "blobs",
    "batches_not_counted": "moves,several",
    "backlog_given_up": "channels",
    "cancelled_before_commit": "cancels",
    "claim_cut_short": "renewals",
    "claimed_beyond_the_cap": "synchronous",
    "contact_not_spread": "accounts,notifying",
    "copy_forgotten": "channels",
    "deleted_what_came_since": "checks",
    "deleted_without_consent": "deletions",
    "deletion_marked_too_early": "deletions",
    "deletion_order_forgotten": "deletions",
    "dropped_unpublished": "records,broker_outages,tight_disk",
    "due_twice_in_a_span": "checks",
    "epochs_given_again": "backups",
    "fed_by_hand_passed_over": "by_hand",
    "files_dropped": "files",
    "forgotten_at_once": "ages",
    "forgotten_too_early": "questions",
    "kept_for_ever": "ages",
    "kept_reviews_forgotten": "reviews",
    "lease_end_ignored": "several",
    "letters_not_sent_back": "letters",
    "lost_answer_sent_again": "several",
    "more_partitions_unread": "grown_topics",
    "moved_items_taken_twice": "moves,several",
    "moved_items_turned_round": "moves,several",
    "notification_let_go": "notifying",
    "numbers_given_again": "backups",
    "operators_setting_undone": "restarts",
    "orders_meet": "deletions",
    "outbox_emptied_unsent": "moves,several",
    "outcome_not_said_again": "node",
    "parked_item_woken": "wakes",
    "position_ahead": "sources",
    "processor_not_made": "restarts",
    "reconciler_given_up": "checks",
    "review_given_up": "reviews",
    "room_made_twice": "sources",
    "shadow_not_promoted": "equals",
    "stages_not_spread": "pipeline_changes",
    "state_goes_back": "pipeline_changes",
    "submitter_not_checked": "pipeline_changes",
    "unkept_file_passed_over": "blobs,records",
    "untold_at_recovery": "notifying",
}


def bugs_of_sources():
    out = set()
    for folder in ("actors", "adapters", "config"):
        for path in (ROOT / folder).rglob("*.cpp"):
            out |= set(BUG.findall(path.read_text()))
    return sorted(out)


class Bugs(unittest.TestCase):
    def test_there_are_enough(self):
        self.assertGreaterEqual(len(bugs_of_sources()), LEAST)

    def test_what_they_need_is_said_of_those_that_there_are(self):
        self.assertEqual(set(NEEDS) - set(bugs_of_sources()), set())

    def test_none_is_in_a_header(self):
        """Only sources that say it are compiled again with the mistakes."""
        for folder in ("actors", "adapters", "config", "messages"):
            for path in (ROOT / folder).rglob("*.hpp"):
                if path.name != "test_points.hpp":
                    self.assertNotIn("test_points.hpp", path.read_text(), path)

    def test_seeds_are_of_those_that_there_are(self):
        self.assertEqual(set(KNOWN) - set(bugs_of_sources()), set())

    def test_each_is_caught(self):
        for bug in bugs_of_sources():
            with self.subTest(bug):
                if not LOOK and bug in KNOWN:
                    done = lives(bug, "--seeds", "1", "--first", KNOWN[bug])
                    if done.returncode == 0:
                        continue
                    print(f"{bug}: not in {KNOWN[bug]} any more", flush=True)
                done = lives(bug, "--seeds", LOOK or "10000")
                print(done.stdout.strip(), flush=True)
                self.assertEqual(done.returncode, 0, done.stderr[-500:])


def lives(bug, *words):
    return subprocess.run(
        [SIMULATION, "--bug", bug, "--shrink", "0",
         "--with", NEEDS.get(bug, ""), *words],
        capture_output=True, text=True, check=False)


if __name__ == "__main__":
    unittest.main()
