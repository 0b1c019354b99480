"""depositbench against the real engine: every phase of every door counts what
it should, and an error answer ends it at once with the engine's words."""

import json
import os
import shlex
import signal
import subprocess
import time
import urllib.request

import harness
from harness import PROGRAMS, SystemTest
from nsq_server import DOORS

KEYS_OF_ALL = {"phase", "door", "items", "items_per_second", "p50_ms",
               "p99_ms", "client_cpu_us_per_item", "server_cpu_us_per_item"}


class Depositbench(SystemTest):
    def bench(self, instance, door, *arguments, timeout=120):
        """The finished process."""
        port = {"native": "node", "nsq": "nsq"}.get(door, "http")
        return subprocess.run(
            [str(PROGRAMS / "depositbench"), *arguments, "--door", door,
             "--connect", instance.ready[port], "--server-pid",
             str(instance.process.pid), "--json"],
            capture_output=True, text=True, timeout=timeout)

    def figures(self, *arguments):
        """One document for each line, by phase; a failure fails the test."""
        done = self.bench(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        for one in found:
            self.assertLessEqual(KEYS_OF_ALL, set(one))
            self.assertEqual(one["door"], arguments[1])
        return found

    def phases(self, found):
        return [one["phase"] for one in found]

    def senders(self, count, secret_of):
        path = self.folder / "senders"
        path.write_text("".join(f"bench-{i} {secret_of(f'bench-{i}')}\n"
                                for i in range(count)))
        return str(path)

    def key(self, instance, name):
        return instance.ask("key", "add", name, "--role",
                            "queue_standard")["key"]

    def test_native_door_runs_its_phases_and_leaves_nothing(self):
        instance = self.start()
        found = self.figures(instance, "native", "P1", "P1s", "P2", "P2b",
                             "P4", "--items", "4000")
        self.assertEqual(self.phases(found),
                         ["P1", "P1s", "P2", "P2", "P2b", "P4"])
        self.assertEqual([one["prefetch"] for one in found
                          if one["phase"] == "P2"], [1, 10])
        for one in found:
            self.assertGreaterEqual(one["items"], 4000)
            self.assertGreater(one["server_cpu_us_per_item"], 0)
        self.assertLess(found[-1]["first_user_items"], 100)
        for queue in instance.rows("queue", "list"):
            self.assertEqual(queue["ready"] + queue["in_flight"], 0, queue)

    def test_p3_behind_a_backlog_leaves_nothing(self):
        instance = self.start()
        found = self.figures(instance, "native", "P3", "--items", "4000",
                             "--backlog", "3000")
        self.assertEqual(self.phases(found), ["P3"])
        self.assertEqual(found[0]["backlog"], 3000)
        self.assertGreaterEqual(found[0]["items"], 4000)
        for queue in instance.rows("queue", "list"):
            self.assertEqual(queue["ready"] + queue["in_flight"], 0, queue)

    def test_emodb_door_runs_its_phases_with_a_key_for_each_user(self):
        instance = self.start()
        keys = self.senders(100, lambda name: self.key(instance, name))
        found = self.figures(instance, "emodb", "P1", "P1s", "P2", "P2b",
                             "P4", "--items", "4000", "--connections", "16",
                             "--workers", "8", "--keys", keys)
        self.assertEqual(self.phases(found),
                         ["P1", "P1s", "P2", "P2b", "P4"])
        self.assertLess(found[-1]["first_user_items"], 100)
        for queue in instance.rows("queue", "list"):
            self.assertEqual(queue["ready"] + queue["in_flight"], 0, queue)

    def test_nsq_door_runs_its_phases_and_leaves_nothing(self):
        instance = self.start(DOORS)
        found = self.figures(instance, "nsq", "P1", "P1s", "P2", "P3",
                             "--items", "4000", "--rate", "500")
        self.assertEqual(self.phases(found),
                         ["P1", "P1s", "P2", "P3", "P3-open"])
        self.assertEqual(found[1]["connections"], 16)
        self.assertEqual(found[2]["prefetch"], 100)
        for one in found[:4]:
            self.assertGreaterEqual(one["items"], 4000)
        self.assertGreater(found[4]["p50_ms"], 0)
        for topic in self.topics(instance):
            for channel in topic["channels"]:
                self.assertEqual(channel["depth"], 0, channel)

    def topics(self, instance):
        with urllib.request.urlopen(
                f"http://{instance.ready['nsq_http']}/stats?format=json",
                timeout=30) as answer:
            found = json.load(answer)["topics"]
        self.assertEqual(len(found), 4)
        return found

    def test_open_loop_keeps_its_rate_and_tells_latencies(self):
        instance = self.start({"emodb.anonymous": "true"})
        for door in ("native", "emodb"):
            found = self.figures(instance, door, "P3", "--items", "20000",
                                 "--rate", "500")
            self.assertEqual(self.phases(found), ["P3", "P3-open"])
            # Ten seconds' worth, or less where the machine cannot follow.
            self.assertLess(found[1]["items"], 5500)
            self.assertGreater(found[1]["items"], 500)
            self.assertGreater(found[1]["p50_ms"], 0)
            self.assertGreaterEqual(found[1]["p99_ms"], found[1]["p50_ms"])

    def test_crossref_door_waits_for_results(self):
        instance = self.start()
        logins = self.senders(3, lambda name: "password-of-" + name)
        for i in range(3):
            instance.add_user(f"bench-{i}", f"password-of-bench-{i}")
        found = self.figures(instance, "crossref", "P1s", "P3", "--items",
                             "64", "--rate", "20", "--keys", logins)
        self.assertEqual(self.phases(found), ["P1s", "P3", "P3-open"])
        rows = instance.submissions([f"bench-{i}" for i in range(3)])
        self.assertGreaterEqual(len(rows), 128)
        self.assertEqual({(row["status"], row["failed"]) for row in rows},
                         {("completed", False)})

    def test_restart_counts_until_everything_is_back(self):
        instance = self.start({"node.listen": "127.0.0.1:0"})
        port = instance.ready["node"]
        again = shlex.join(instance.command()).replace(
            "node.listen=127.0.0.1:0", "node.listen=" + port)
        again += " 2>/dev/null"  # or the test would wait for its end
        [found] = self.figures(instance, "native", "restart", "--items",
                               "20000", "--restart-command", again)
        try:
            self.assertGreater(found["items_per_second"], 0)
            self.assertGreater(found["bytes_per_item"], 0)
            self.assertEqual(
                instance.ask("queue", "size", "bench.restart")["size"], 20000)
        finally:
            os.kill(int(found["server_pid"]), signal.SIGTERM)

    def test_disk_tells_the_largest_size_of_the_folder(self):
        instance = self.start()
        [found] = self.figures(instance, "native", "disk", "--items", "20000",
                               "--rate", "500", "--data", str(instance.data))
        self.assertGreaterEqual(found["items"], 20000)
        self.assertGreater(found["disk_bytes_max"], 0)

    def assert_ends_at_once(self, done, began, text):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(text, done.stderr)
        self.assertLess(time.monotonic() - began, 60)

    def test_an_error_answer_ends_it_at_once_with_its_text(self):
        instance = self.start(DOORS)
        for door, arguments, text in (
                ("native", ["P1s", "--queue", "NO"], "not a queue name"),
                ("native", ["P2", "--queue", "NO"], "not a queue name"),
                ("emodb", ["P1"], "403 {\"reason\":\"not authorized\"}"),
                ("emodb", ["P3", "--key", "nonsense-of-a-key"], "403 "),
                ("emodb", ["disk"], "has no phase disk"),
                ("nsq", ["P1s", "--queue", "$"], "E_BAD_TOPIC"),
                ("nsq", ["P4"], "has no phase P4"),
                ("crossref", ["P1s"], "needs --keys")):
            began = time.monotonic()
            self.assert_ends_at_once(self.bench(instance, door, *arguments),
                                     began, text)

    def test_an_engine_that_goes_away_ends_it(self):
        instance = self.start({"emodb.anonymous": "true"})
        address = instance.ready["http"]
        running = subprocess.Popen(
            [str(PROGRAMS / "depositbench"), "P1s", "--door", "emodb",
             "--connect", address, "--items", "100000000"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        while not any(queue["name"] == "bench.p1s" and queue["ready"] > 0
                      for queue in instance.rows("queue", "list")):
            time.sleep(0.05)
        instance.kill()
        _, said = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 1)
        # Which of them the client sees first is the kernel's choice.
        self.assertRegex(said, "closed the connection|Connection reset|"
                               "Broken pipe|Connection refused")


if __name__ == "__main__":
    harness.main()
