"""Runs programs that may be wrong in any way: that never end, or take whatever
they can get."""

import os
import resource
import signal
import subprocess
import threading
import time

MEMORY_MAX = 8 << 30
FILE_MAX = 2 << 30
# Who computes for ever is ended by processor time, which is the same beside
# others; who waits for ever by that of the wall, of which much may pass.
WALL_FACTOR = 12
STARTED = set()  # those that have not ended yet: each leads a group
STARTING = threading.Lock()


class Ended:
    """How a program did."""

    def __init__(self, failed, seconds, gave_up, wall):
        self.failed = failed    # not to come to an end is failing
        self.seconds = seconds  # of processors
        self.gave_up = gave_up  # whether it had to be ended
        self.wall = wall        # seconds


def run_bounded(command, folder, environment, seconds, wall=None):
    """`seconds`: of a processor; `wall`: of the wall, twelve times as many
    unless told."""
    process = started(
        [str(x) for x in command], cwd=folder, env=environment,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: limit_resources(seconds))
    begin = time.monotonic()
    end = begin + (wall or WALL_FACTOR * seconds)
    pause = 0.005
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        late = pid == 0 and time.monotonic() > end
        if pid == 0 and not late:
            time.sleep(pause)
            pause = min(0.1, pause * 1.5)
            continue
        # Nor what it has started.
        end_group(process.pid)
        if late:
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(late or process.returncode != 0,
                     used.ru_utime + used.ru_stime,
                     late or process.returncode in (-signal.SIGXCPU,
                                                    -signal.SIGKILL),
                     time.monotonic() - begin)


def run_told(command, folder, seconds):
    """What a program that is believed says, (its exit code, its errors)."""
    process = started(command, cwd=folder, text=True, stderr=subprocess.PIPE)
    try:
        said = process.communicate(timeout=seconds)[1]
    finally:
        end_group(process.pid)
    return process.returncode, said


def started(command, **more):
    with STARTING:
        out = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               start_new_session=True, **more)
        STARTED.add(out.pid)
        return out


def end_group(leader):
    STARTED.discard(leader)
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_all_started():
    """For who ends before them, and starts no more."""
    STARTING.acquire()
    for leader in list(STARTED):
        end_group(leader)


def limit_resources(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
