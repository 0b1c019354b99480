"""Engines that kill themselves at a point."""

from pathlib import Path

import harness
from harness import wait_until

# A point that is not passed by then is a failure.
PATIENCE = 120
KILLED = -9


def crash_programs(folder):
    """A folder where depositd is the one with crash points."""
    out = Path(folder) / "programs"
    if out.exists():
        return out
    out.mkdir()
    (out / "depositd").symlink_to(harness.PROGRAMS / "depositd-crash")
    (out / "depositctl").symlink_to(harness.PROGRAMS / "depositctl")
    return out


def arm(engine, point):
    """From its next start; None: it dies nowhere."""
    engine.environment = {
        key: value for key, value in engine.environment.items()
        if key != "DEPOSITD_CRASH_POINT"}
    if point is not None:
        engine.environment["DEPOSITD_CRASH_POINT"] = str(point)


def await_death(test, engine, point):
    wait_until(lambda: not engine.alive(), PATIENCE)
    test.assertEqual(engine.process.returncode, KILLED, point)
    engine.kill()


class Held:
    """Whoever passes the point stands still there, from `begin()` on, until
    the engine is killed."""

    def __init__(self, folder, engine, point):
        self.file = Path(folder) / f"hold-{point}"
        engine.environment["DEPOSITD_HOLD_POINT"] = point
        engine.environment["DEPOSITD_HOLD_FILE"] = str(self.file)

    def begin(self):
        self.file.touch()

    def end(self):
        self.file.unlink()
