"""Runs a process under the preload shim of tests/support/unflushed, and makes
its data folder after kill -9 what a power cut would have left."""

import os
import shutil
from pathlib import Path


class PowerCut:
    """The shim's environment for one data folder, and the undoing of names.

    `deaf`: flushes of paths that contain one of these (with colons between
    them) do nothing. `leak`: per cent of
    unflushed writes of which some reaches the disk all the same. `slow_ms`: how
    long a flush takes, so that a kill finds what was answered before its end.
    `bad`: the first file with one of these in its path is lost by the disk.
    """

    def __init__(self, library, data, beside, deaf="", leak=0,
                 slow_ms=0, bad=""):
        self.data = Path(os.path.realpath(data))
        self.log = Path(beside) / "names.log"
        self.trash = Path(beside) / "trash"
        self.trash.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "LD_PRELOAD": str(library),
            "DEPOSITD_UNFLUSHED_ROOT": str(self.data),
            "DEPOSITD_UNFLUSHED_LOG": str(self.log),
            "DEPOSITD_UNFLUSHED_TRASH": str(self.trash),
            "DEPOSITD_UNFLUSHED_DEAF": deaf,
            "DEPOSITD_UNFLUSHED_LEAK": str(leak),
            "DEPOSITD_UNFLUSHED_SLOW": str(slow_ms),
            "DEPOSITD_UNFLUSHED_BAD": bad,
        }

    def deafen(self, deaf):
        """From the next start on."""
        self.environment["DEPOSITD_UNFLUSHED_DEAF"] = deaf

    def settle(self):
        """After the kill: undoes what no flush of its folder made durable.
        Returns what was undone."""
        undone = [undo(*record) for record in reversed(self.unflushed())]
        self.log.unlink(missing_ok=True)
        shutil.rmtree(self.trash)
        self.trash.mkdir()
        return [text for text in undone if text]

    def unflushed(self):
        """Records (what, path, other) of names not flushed, oldest first."""
        if not self.log.exists():
            return []
        waiting = []
        for line in self.log.read_text().splitlines():
            what, path, other = (line.split("\t") + ["", ""])[:3]
            if what == "flush":
                waiting = [r for r in waiting
                           if os.path.dirname(name_changed(r)) != path]
            elif what == "flush_all":
                deaf = [part for part in path.split(":") if part]
                waiting = [r for r in waiting
                           if any(part in os.path.dirname(name_changed(r))
                                  for part in deaf)]
            else:
                waiting.append((what, path, other))
        return waiting


def name_changed(record):
    """A rename counts where the new name is."""
    what, path, other = record
    return other if what == "rename" else path


def undo(what, path, other):
    if what == "create" and os.path.exists(path):
        os.remove(path)
        return f"created {path}"
    if what == "rename" and os.path.exists(other) and not os.path.exists(path):
        os.rename(other, path)
        return f"renamed {path} to {other}"
    # A folder that is gone stays so, with all that was in it.
    if (what == "remove" and os.path.exists(other)
            and not os.path.exists(path)
            and os.path.exists(os.path.dirname(path))):
        os.rename(other, path)
        return f"removed {path}"
    return ""
