"""One depositd process and the shell beside it, for scripts and tests."""

import json
import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from pathlib import Path

LOOPBACK = {
    "http.listen": "127.0.0.1:0",
    "admin.listen": "127.0.0.1:0",
    "node.listen": "127.0.0.1:0",
}


PAGE = 10_000  # the most that one answer lists


class EngineFailed(Exception):
    """depositd ended, or said nothing, before it was ready."""

    def __init__(self, code, log):
        super().__init__(f"depositd is not ready (exit {code}): {log[-2000:]}")
        self.code = code
        self.log = log


class CommandFailed(Exception):
    """depositctl ended with an exit code other than 0."""

    def __init__(self, arguments, code, reason):
        super().__init__(f"depositctl {' '.join(arguments)}: {code} {reason}")
        self.code = code
        self.reason = reason


class Engine:
    """A depositd on a data folder; every port is free and named by it."""

    def __init__(self, programs, data, settings=None, environment=None,
                 wrapper=(), log=None, shell=()):
        """`shell`: options of every depositctl."""
        self.programs = Path(programs)
        self.data = Path(data)
        self.settings = {**LOOPBACK, **(settings or {})}
        self.environment = environment or {}
        self.wrapper = list(wrapper)
        self.shell = list(shell)
        self.log_path = Path(log) if log else self.data.with_suffix(".log")
        self.process = None
        self.ready = {}

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()

    # -- life ---------------------------------------------------------------

    def command(self):
        line = [*self.wrapper, str(self.programs / "depositd"),
                "--data", str(self.data)]
        for key, value in self.settings.items():
            line += ["--set", f"{key}={value}"]
        # Any of the tests may be run with it.
        if os.environ.get("DEPOSITD_TEST_ACTOR_LOOP"):
            line += ["--set", "threads.one_loop=true"]
        if shards := os.environ.get("DEPOSITD_TEST_SHARDS"):
            if not {"store.kind", "shards.count"} & set(self.settings):
                line += ["--set", f"shards.count={shards}"]
        return line

    def start(self, timeout=60):
        """Waits for the ready line; raises EngineFailed without one."""
        self.data.parent.mkdir(parents=True, exist_ok=True)
        self.log_start = (self.log_path.stat().st_size
                          if self.log_path.exists() else 0)
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=log,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **self.environment})
        line = self._first_line(timeout)
        if not line.startswith("ready "):
            self.kill_if_silent(line)
            raise EngineFailed(self.process.returncode, line + self.log())
        self.ready = dict(re.findall(r"(\w+)=(\S+)", line))
        return self

    def kill_if_silent(self, line):
        if line == "" and self.process.poll() is None:
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.kill()

    def _first_line(self, timeout):
        deadline = time.monotonic() + timeout
        seen = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in seen and time.monotonic() < deadline:
                if selector.select(max(0, deadline - time.monotonic())):
                    part = os.read(self.process.stdout.fileno(), 4096)
                    if not part:
                        break
                    seen += part
        return seen.decode(errors="replace").split("\n")[0]

    def kill(self):
        """kill -9; safe to call at any time."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait()
            self.process.stdout.close()

    def ask_to_stop(self):
        """SIGTERM."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self, timeout=60):
        """Returns the exit code."""
        self.ask_to_stop()
        try:
            return self.process.wait(timeout)
        finally:
            self.kill()

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def log(self):
        """What this process has written to standard error."""
        with open(self.log_path, "rb") as log:
            log.seek(self.log_start)
            return log.read().decode(errors="replace")

    # -- doors --------------------------------------------------------------

    def address(self, door):
        """(host, port) of http, admin or node."""
        host, port = self.ready[door].rsplit(":", 1)
        return host, int(port)

    def ctl_result(self, *arguments, text=None, timeout=60):
        """Runs depositctl; returns the finished process."""
        return subprocess.run(
            [str(self.programs / "depositctl"), "--connect",
             self.ready["node"], *self.shell, *arguments],
            input=text, stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True, text=True, timeout=timeout)

    def ctl(self, *arguments, text=None, timeout=60):
        """Runs depositctl; returns what it printed."""
        result = self.ctl_result(*arguments, text=text, timeout=timeout)
        if result.returncode != 0:
            raise CommandFailed(arguments, result.returncode,
                                result.stderr.strip())
        return result.stdout

    def ask(self, *arguments, timeout=60):
        """Runs depositctl --json; returns the document."""
        return json.loads(self.ctl(*arguments, "--json", timeout=timeout))

    def ask_all(self, commands, timeout=60):
        """The documents of so many commands, of one depositctl: starting it
        costs more than what it does."""
        lines = [f"{shlex.join(command)} --json" for command in commands]
        printed = self.script(lines, timeout) if lines else ""
        found = [json.loads(line) for line in printed.splitlines()]
        if len(found) != len(lines):
            raise CommandFailed(lines, 0, f"answered {len(found)} documents")
        return found

    def script(self, lines, timeout=60):
        """Runs one depositctl that reads commands, and what they read from
        standard input, line by line; returns what it printed."""
        return self.ctl(text="".join(f"{line}\n" for line in lines),
                        timeout=timeout)

    def rows(self, *arguments, timeout=60):
        """The whole list of a command that lists something, page by page."""
        out = []
        after = []
        while True:
            document = self.ask(*arguments, *after, timeout=timeout)
            out += next(v for v in document.values() if isinstance(v, list))
            if "next" not in document:
                return out
            after = ["--after", document["next"]]

    def submissions(self, users=()):
        """Every submission, finished ones too, of these users or of all."""
        command = ["submission", "list", "--limit", str(PAGE)]
        if not users:
            return self.rows(*command)
        return [row for user in users
                for row in self.rows(*command, "--user", user)]

    def add_user(self, name, password, *more):
        self.ctl("user", "add", name, "--password-stdin", *more,
                 text=password + "\n")
