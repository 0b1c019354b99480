"""Stages of pipelines on nodes that have joined an engine: one working folder,
one count of workers, and nodes that are killed with jobs in hand."""

import os
import re
from pathlib import Path

import harness
from harness import a_deposit, wait_until
from merritt_samples import object_manifest, text
from pipelines import PipelineTest
from remote_test import Node
from stored_objects import stored_objects

JOBS = 12
OF_NODES = ("download", "process", "store", "record")
# One program for each item: the first run hangs and tells who it is.
HANGS_ONCE = """
echo $$ >> {folder}/runs
test $(wc -l < {folder}/runs) -gt 1 || exec sleep 600
"""


class StageNodes(PipelineTest):
    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.objects = self.folder / "objects"

    def pipelines(self, text_of, name="merritt"):
        folder = self.folder / "pipelines"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yaml").write_text(text_of)
        return {"pipelines.folder": str(folder)}

    def merritt_on(self, nodes):
        """The shipped pipeline, with some stages for these nodes alone."""
        shipped = (Path(__file__).resolve().parents[2] / "config" / "pipelines"
                   / "merritt.yaml").read_text()
        for stage in OF_NODES:
            shipped, count = re.subn(
                f"(?m)^  {stage}:$",
                f"  {stage}:\n    nodes: [{', '.join(nodes)}]", shipped)
            self.assertEqual(count, 1, stage)
        return self.pipelines(shipped)

    def settings(self):
        return {**super().settings(), "work.folder": str(self.work),
                "storage.local.path": str(self.objects)}

    def prepared_with(self, more):
        settings = {**self.settings(), **more}
        self.settings = lambda: settings
        return self.prepared()

    def node(self, engine, name, **settings):
        node = Node(harness.PROGRAMS, self.folder, name, engine.ready["node"],
                    {"work.folder": str(self.work),
                     "storage.local.path": str(self.objects),
                     "fetch.allow": self.source.address, **settings})
        self.addCleanup(node.kill)
        return node

    def slots(self, engine, name):
        return [x for x in engine.ask("sp", "list")["slots"]
                if x["node"] == name]

    def queues(self, engine, name):
        return {x["queue"] for x in self.slots(engine, name)}

    def busy(self, engine, name):
        return [x for x in self.slots(engine, name) if x["state"] == "busy"]

    def a_slow_batch(self, engine):
        manifests = {}
        for i in range(JOBS):
            files = {"one.txt": text("one", 400), "two.txt": text("two", 40)}
            manifests[f"{i}.checkm"] = object_manifest(self.source, str(i),
                                                       files)
            self.source.slow.add(f"/{i}/one.txt")
        return self.submit(engine, "all.checkm", "batch-manifest",
                           self.batch_of(manifests))

    # -----------------------------------------------------------------------

    def test_a_node_begins_no_storage_where_its_disk_is_not_mounted(self):
        engine = self.prepared_with(self.merritt_on(["n1"]))
        disk = self.objects.with_name("not-mounted")
        self.objects.rename(disk)
        self.objects.mkdir()
        node = self.node(engine, "n1").start()
        self.assertRegex(node.log(),
                         "node_runs_no_stages .* is its disk mounted")
        self.assertEqual(list(self.objects.iterdir()), [])
        self.assertNotIn("merritt.store", self.queues(engine, "n1"))
        node.kill()
        wait_until(lambda: not self.slots(engine, "n1"))
        self.objects.rmdir()
        disk.rename(self.objects)
        node.start()
        wait_until(lambda: "merritt.store" in self.queues(engine, "n1"))

    def test_a_killed_node_loses_and_repeats_nothing(self):
        engine = self.prepared_with(self.merritt_on(["n1", "n2"]))
        first = self.node(engine, "n1").start()
        second = self.node(engine, "n2").start()
        for name in ("n1", "n2"):
            wait_until(lambda: "merritt.store" in self.queues(engine, name))
        self.assertNotIn("merritt.store", self.queues(engine, None))
        uuid = self.a_slow_batch(engine)
        for victim in (first, second):
            wait_until(lambda: self.busy(engine, victim.name))
            shown = engine.ask("pipeline", "show", "merritt")
            for stage in shown["stages"]:
                # One process alone has its buffer, too.
                self.assertLessEqual(
                    stage["in_process"],
                    stage["workers"] * (1 + stage["buffer"]), stage)
            victim.kill()
            wait_until(lambda: not self.slots(engine, victim.name))
            victim.start()
        found = self.ended(engine, uuid, timeout=200)
        self.assertEqual(found["jobs"]["completed"], JOBS)
        jobs = self.jobs(engine, uuid)
        self.assertEqual(len({job["identifier"] for job in jobs}), JOBS)
        stored = stored_objects(self.objects)
        self.assertEqual(set(stored), {job["identifier"] for job in jobs})
        self.assertEqual({x["version"] for x in stored.values()}, {"v1"})
        self.assertEqual(len(self.reports(uuid)), 1)

    def test_a_node_with_another_folder_runs_none_of_its_stages(self):
        engine = self.prepared_with(self.merritt_on(["n1"]))
        node = self.node(engine, "n1", **{
            "work.folder": str(self.folder / "elsewhere")}).start()
        wait_until(lambda: "work_folder_not_shared" in node.log())
        uuid = self.a_slow_batch(engine)
        job = wait_until(lambda: next(
            (x for x in self.jobs(engine, uuid)
             if x["state"] == "downloading"), None), timeout=60)
        why = engine.ask("job", "why", str(job["id"]))
        self.assertIn("no_processor_on_node",
                      [x["reason"] for x in why["reasons"]])
        shown = engine.ask("pipeline", "show", "merritt")
        self.assertEqual({x["name"] for x in shown["stages"]
                          if x["reason"] == "no_processor_on_node"},
                         set(OF_NODES))
        self.assertEqual(self.queues(engine, "n1") & {
            f"merritt.{name}" for name in OF_NODES}, set())
        node.kill()
        wait_until(lambda: engine.ask("sp", "list")["nodes"] == [])
        self.node(engine, "n1").start()
        self.ended(engine, uuid, timeout=120)

    def test_a_processor_runs_only_on_the_nodes_that_it_names(self):
        engine = self.start(self.no_pipelines())
        door = self.depositor(engine, "press")
        engine.ctl("sp", "stop", "metadata")
        engine.ctl("sp", "add", "far", "--types", "metadata", "--nodes", "n1")
        self.assertTrue(door.deposit("a", a_deposit("a")).accepted)
        number = str(door.poll("a").submission_id)
        wait_until(lambda: engine.ask("submission", "why", number)["reason"]
                   == "no_processor_on_node")
        self.node(engine, "n2").start()
        wait_until(lambda: self.queues(engine, "n2"))
        self.assertNotIn("metadata", self.queues(engine, "n2"))
        self.assertEqual(engine.ask("submission", "why", number)["reason"],
                         "no_processor_on_node")
        engine.ctl("sp", "set", "far", "--nodes", "n1,n2")
        self.outcome(door, "a")
        self.assertIn("metadata", self.queues(engine, "n2"))
        engine.ctl("sp", "set", "far", "--nodes", "any")
        wait_until(lambda: any(x["processor"] == "far" and x["node"] is None
                               for x in engine.ask("sp", "list")["slots"]))

    def test_a_program_of_a_killed_node_ends_with_it(self):
        script = HANGS_ONCE.format(folder=self.folder).strip().replace(
            "\n", "; ")
        self.merritt_on(["n1"])  # of the collection, at first
        engine = self.prepared_with(self.pipelines(
            "order: [check]\nstages:\n  check:\n    handler: exec\n"
            f"    command: [/bin/sh, -c, '{script}']\n"
            "    nodes: [n1, n2]\n", "p"))
        engine.ctl("collection", "set", "books", "--pipeline", "p")
        node = self.node(engine, "n1").start()
        uuid = self.submit(engine, "a.txt", "file", b"a\n")
        runs = self.folder / "runs"
        pid = int(wait_until(lambda: runs.exists() and runs.read_text(),
                             timeout=60))
        wait_until(lambda: self.busy(engine, "n1"))
        os.kill(pid, 0)
        node.kill()
        wait_until(lambda: gone(pid), timeout=10)
        self.node(engine, "n2").start()
        self.ended(engine, uuid)
        self.assertEqual(len(runs.read_text().split()), 2)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # Nobody but the system may be left to ask how it ended.
    state = open(f"/proc/{pid}/stat", encoding="ascii").read().split()[2]
    return state == "Z"


if __name__ == "__main__":
    harness.main()
