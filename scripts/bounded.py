"""Runs programs that may be wrong in any way: that never end, or take whatever
they can get."""

import os
import resource
import signal
import subprocess
import time

MEMORY_MAX = 8 << 30
FILE_MAX = 2 << 30
# Who computes for ever is ended by processor time, which is the same beside
# others; who waits for ever by that of the wall, of which much may pass.
WALL_FACTOR = 12


class Ended:
    """How a program did."""

    def __init__(self, failed, seconds, gave_up):
        self.failed = failed    # not to come to an end is failing
        self.seconds = seconds  # of processors
        self.gave_up = gave_up  # whether it had to be ended


def run_bounded(command, folder, environment, seconds):
    """`seconds`: of a processor."""
    process = subprocess.Popen(
        [str(x) for x in command], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=lambda: limit_resources(seconds))
    end = time.monotonic() + WALL_FACTOR * seconds
    pause = 0.005
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        late = pid == 0 and time.monotonic() > end
        if pid == 0 and not late:
            time.sleep(pause)
            pause = min(0.1, pause * 1.5)
            continue
        # Nor what it has started.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if late:
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(late or process.returncode != 0,
                     used.ru_utime + used.ru_stime,
                     late or process.returncode in (-signal.SIGXCPU,
                                                    -signal.SIGKILL))


def limit_resources(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
