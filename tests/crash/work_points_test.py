"""The engine kills itself around what it writes of batches and jobs: splitting,
moves, reports, orders. Each point is passed on one store that outlives them
all; afterwards every job has come to its end once, and nothing is told twice
but the report that was on its way."""

import contextlib

import harness
import poster_door
from armed import arm, await_death, crash_programs
from merritt_samples import damaged, object_manifest, text
from pipelines import PipelineTest
from points import WORK, WORK_ORDERS
from stored_objects import stored_objects

JOBS = 5


class WorkPoints(PipelineTest):
    def engine(self, settings=None, data="data", **more):
        engine = super().engine(settings, data, **more)
        engine.programs = crash_programs(self.folder)
        return engine

    def die(self, engine, point, act):
        """Dies at the point while `act` is under way; runs again afterwards."""
        engine.kill()
        arm(engine, point)
        engine.start()
        out = act()
        await_death(self, engine, point)
        arm(engine, None)
        engine.start()
        return out

    def files(self, number):
        return {"one.txt": text(f"one {number}", 40),
                "two.txt": text(f"two {number}", 9)}

    def new_batch(self, engine, known):
        """Of the batches, the one that was not there before."""
        new, = {x["uuid"] for x in engine.rows("batch", "list")} - known
        return new

    def check_walk(self, engine, uuid):
        found = self.ended(engine, uuid)
        self.assertEqual(found["jobs"]["total"], JOBS)
        self.assertEqual(found["jobs"]["completed"], JOBS)
        jobs = self.jobs(engine, uuid)
        identifiers = {job["identifier"] for job in jobs}
        self.assertEqual(len(identifiers), JOBS)
        stored = stored_objects(engine.data / "objects")
        self.assertLessEqual(identifiers, set(stored))
        self.assertEqual({stored[x]["version"] for x in identifiers}, {"v1"})
        harness.wait_until(lambda: self.reports(uuid))
        self.assertEqual(
            len({str(mail["Message-ID"]) for mail in self.reports(uuid)}), 1)
        self.assertLessEqual(len(self.reports(uuid)), 2)
        return identifiers

    def test_a_batch_walks_through_every_point(self):
        engine = self.prepared()
        known, stored = set(), set()
        for number, point in enumerate(WORK):
            with self.subTest(str(point)):
                files = self.files(number)
                whole = self.batch_of({
                    f"{number}-{i}.checkm":
                        object_manifest(self.source, f"{number}-{i}", files)
                    for i in range(JOBS)})

                def submit(whole=whole, number=number):
                    # It may die before the answer is out.
                    with contextlib.suppress(poster_door.Refused):
                        return self.submit(engine, f"{number}.checkm",
                                           "batch-manifest", whole)
                    return None

                told = self.die(engine, point, submit)
                uuid = self.new_batch(engine, known)
                if told is not None:
                    self.assertEqual(told, uuid)
                known.add(uuid)
                stored |= self.check_walk(engine, uuid)
                print(f"{point}: {len(stored)} objects", flush=True)
        self.assertEqual(set(stored_objects(engine.data / "objects")), stored)

    # -- orders ---------------------------------------------------------------

    def failed(self, engine, number):
        """A batch with one job that has failed, whose source is mended then."""
        files = self.files(number)
        name = f"{number}-b"
        uuid = self.submit(
            engine, f"{number}.checkm", "batch-manifest", self.batch_of({
                f"{number}-a.checkm":
                    object_manifest(self.source, f"{number}-a", files),
                f"{name}.checkm": damaged(self.source, name, files)}))
        self.ended(engine, uuid, "failed")
        harness.wait_until(lambda: self.reports(uuid))
        self.source.add(f"{name}/two.txt", files["two.txt"])
        bad, = [x for x in self.jobs(engine, uuid) if x["state"] == "failed"]
        return uuid, str(bad["id"])

    def order(self, engine, point, *words):
        """Nobody hears what became of it."""
        result = self.die(engine, point, lambda: engine.ctl_result(*words))
        self.assertNotEqual(result.returncode, 0, words)

    def requeue(self, engine, point, number):
        uuid, job = self.failed(engine, number)
        self.order(engine, point, "job", "requeue", job)
        if engine.ask("job", "show", job)["state"] == "failed":
            engine.ctl("job", "requeue", job)
        harness.wait_until(
            lambda: self.batch(engine, uuid)["jobs"]["completed"] == 2)
        self.assertEqual(engine.ask("job", "show", job)["retry_count"], 1)

    def report_again(self, engine, point, number):
        uuid, job = self.failed(engine, number)
        engine.ctl("job", "requeue", job)
        harness.wait_until(
            lambda: self.batch(engine, uuid)["jobs"]["completed"] == 2)
        self.order(engine, point, "batch", "update-report", uuid)
        if self.batch(engine, uuid)["state"] == "failed":
            engine.ctl("batch", "update-report", uuid)
        self.ended(engine, uuid)

    def delete(self, engine, point, number):
        uuid, job = self.failed(engine, number)
        self.order(engine, point, "batch", "delete", uuid, "--yes")
        if self.batch(engine, uuid)["state"] != "deleted":
            engine.ctl("batch", "delete", uuid, "--yes")
        found = self.ended(engine, uuid, "deleted")
        self.assertEqual(found["jobs"]["deleted"], 1)
        self.assertEqual(found["jobs"]["failed"], 0)
        self.assertEqual(engine.ask("job", "show", job)["state"], "deleted")

    def forget(self, engine, point, number):
        uuid = self.submit(engine, f"{number}.txt", "file", b"gone\n")
        self.ended(engine, uuid)
        self.order(engine, point, "batch", "cleanup")
        engine.ctl("batch", "cleanup")
        self.assertNotIn(uuid,
                         [x["uuid"] for x in engine.rows("batch", "list")])

    def test_orders_are_done_or_not_given(self):
        engine = self.prepared()
        engine.ctl("pipeline", "set", "merritt.download", "--attempts-max", "1")
        for number, point in enumerate(WORK_ORDERS):
            with self.subTest(str(point)):
                getattr(self, point.doing)(engine, point, number)
                print(f"{point}: {point.doing}", flush=True)


if __name__ == "__main__":
    harness.main()
