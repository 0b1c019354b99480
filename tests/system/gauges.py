"""Memory, descriptors and disk of engines over time, and whether they stay."""

import os
import statistics
import time
from pathlib import Path

import harness


def resident_mb(pid):
    """Memory that a process has now. Under a sanitizer, whose own is most of
    it, nothing: bounds of memory hold there without being tried."""
    if harness.SANITIZED:
        return 0.0
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def folder_mb(path):
    """What its files occupy; those that go meanwhile do not count."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total / 2**20


class Gauge:
    """Samples of one thing. Flat: from its second tenth on what is usual does
    not grow by more than a part and a slack for what is noise."""

    def __init__(self, part=0.1, slack=0.0):
        self.part = part
        self.slack = slack
        self.samples = []    # (second, value)

    def level(self, begin, end):
        """The median of a stretch; 0 and 1 are the ends of all."""
        last = self.samples[-1][0]
        return statistics.median(
            [v for s, v in self.samples if begin * last <= s <= end * last])

    def growth(self):
        """(usual at first, usual at last)"""
        return self.level(0.1, 0.4), self.level(0.7, 1)

    def is_flat(self):
        before, after = self.growth()
        return after <= before * (1 + self.part) + self.slack


class Gauges:
    def __init__(self):
        self.begun = time.monotonic()
        self.all = {}        # {subject: {name: Gauge}}

    def add(self, subject, name, value, part=0.1, slack=0.0):
        known = self.all.setdefault(subject, {})
        gauge = known.setdefault(name, Gauge(part, slack))
        gauge.samples.append((time.monotonic() - self.begun, value))

    def rising(self):
        """Sentences about what is not flat."""
        return [f"{subject} of {name} rose from {x.growth()[0]:.1f} to "
                f"{x.growth()[1]:.1f}"
                for subject, known in self.all.items()
                for name, x in known.items() if not x.is_flat()]

    def lines(self):
        return [f"{subject} {name}: {x.growth()[0]:.1f} -> "
                f"{x.growth()[1]:.1f} (most {max(v for _, v in x.samples):.1f}"
                f", {len(x.samples)} samples)"
                for subject, known in self.all.items()
                for name, x in known.items()]
