"""Rows of the case table of batches and jobs through the real program: single
files, containers, identifiers and versions, sizes, callbacks."""

import base64
import bz2
import gzip
import hashlib
import hmac
import io
import json
import shutil
import tarfile

import harness
from harness import wait_until
from merritt_forms import Hook, MerrittTest, Unsized, objects
from merritt_samples import container, manifest


def tar(files, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return out.getvalue()


class MerrittFiles(MerrittTest):
    def test_M01_M02_a_single_file(self):
        self.prepared()
        job = self.one({"type": "file", "title": "A note", "creator": "Lea",
                        "date": "2024"}, [("note.txt", b"a note\n")])
        self.assertEqual(job["type"], "file")
        found = self.stored(job)
        self.assertEqual(found.produced(), {"note.txt": b"a note\n"})
        # The seventh system file, mrt-manifest.txt, lists what is stored.
        self.assertEqual(
            sorted(x for x in found.files if x.startswith("system/")),
            [f"system/mrt-{x}" for x in ("dc.xml", "erc.txt", "ingest.txt",
                                         "membership.txt", "mom.txt",
                                         "owner.txt")])
        self.assertIn(job["identifier"],
                      found.files["system/mrt-erc.txt"].decode())
        status, said, _ = self.ask_door("GET", f"/poster/jobs/{job['uuid']}")
        self.assertEqual((status, said), (200, job))
        self.assertNotIn(" error ", self.running.log())

    def test_M08_M09_containers_of_all_kinds(self):
        self.prepared()
        files = {"a.txt": b"a\n", "in/b.txt": b"b\n"}
        packed = {"x.zip": container(files), "x.tar": tar(files, "w"),
                  "x.tar.gz": tar(files, "w:gz"), "x.tgz": tar(files, "w:gz")}
        for name, content in packed.items():
            with self.subTest(name):
                job = self.one({"type": "container"}, [(name, content)])
                self.assertEqual(job["type"], "container")
                self.assertEqual(self.stored(job).produced(), files)
        job = self.one({"type": "file"}, [("x.zip", packed["x.zip"])])
        self.assertEqual(self.stored(job).produced(),
                         {"x.zip": packed["x.zip"]})
        for name, content in (("one.txt.gz", gzip.compress(b"one\n")),
                              ("one.txt.bz2", bz2.compress(b"one\n"))):
            job = self.one({"type": "container"}, [(name, content)])
            self.assertEqual(self.stored(job).produced(),
                             {"one.txt": b"one\n"})
        self.one({"type": "container"}, [("x.rar", b"no")], state="failed")

    def test_M10_a_digest_in_the_form(self):
        self.prepared()
        for given, state in ((b"right", "completed"), (b"wrong", "failed")):
            job = self.one({
                "type": "file", "digestType": "MD5",
                "digestValue": hashlib.md5(given).hexdigest().upper()},
                [("x", b"right")], state=state)
        self.assertIn(job["last_successful_status"], ("", "pending"))
        refused = self.running.ctl_result("job", "requeue", str(job["id"]))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("submit again", refused.stderr)

    def test_M39_M40_names_in_containers(self):
        self.prepared()
        for name in ("../out.txt", "/abs.txt", "in/../../out.txt"):
            with self.subTest(name):
                self.one({"type": "container"},
                         [("x.zip", container({name: b"x"}))], state="failed")
        raw = container({"na?ve.txt": b"x"}).replace(b"na?ve", b"na\xefve")
        job = self.one({"type": "container"}, [("x.zip", raw)])
        self.assertEqual(list(self.stored(job).produced()), ["naïve.txt"])

    def test_M41_a_container_with_a_manifest(self):
        self.prepared()
        files = {"a.txt": b"a\n", "b.txt": b"b\n"}

        def listed(names, size=None, digest=None):
            lines = []
            for name in names:
                content = files.get(name, b"?")
                lines.append(" | ".join([
                    name, "sha-256",
                    digest or hashlib.sha256(content).hexdigest(),
                    str(size or len(content)), "", "text/plain"]))
            return manifest("mrt-object-manifest", lines).replace(
                b"ingest/manifest/", b"store/manifest/")
        self.one({"type": "container"}, [("x.zip", container(
            {**files, "mrt-manifest.txt": listed(files)}))])
        for wrong in (listed([*files, "c.txt"]), listed(["a.txt"]),
                      listed(files, size=7), listed(files, digest="0" * 64)):
            job = self.one({"type": "container"}, [
                ("x.zip", container({**files, "mrt-manifest.txt": wrong}))],
                state="failed")
            self.assertEqual(job["last_successful_status"], "downloading")

    def test_M43_embargos(self):
        self.prepared()
        for value, state in (("NONE", "completed"), ("2030-01-01", "completed"),
                             ("2030-01-01T00:00:00Z", "completed"),
                             ("2030-01-01T00:00Z", "completed"),
                             ("soon", "failed")):
            with self.subTest(value):
                self.one({"type": "container"}, [("x.zip", container({
                    "a.txt": b"a", "mrt-embargo.txt":
                        f"embargoEndDate: {value}\n".encode()}))], state=state)

    def test_M44_M45_several_files_and_no_type(self):
        self.prepared()
        jobs = self.done({"type": "file"}, [("a.txt", b"1"), ("a.txt", b"2")])
        self.assertEqual(len(jobs), 2)
        inner = manifest("mrt-ingest-manifest",
                         [self.source_row("f.txt", b"f")])
        batch = manifest("mrt-batch-manifest",
                         [self.source_row("m.checkm", inner)])
        for name, content, kind in (
                ("x.zip", container({"a": b"a"}), "container"),
                ("x.tar", tar({"a": b"a"}, "w"), "container"),
                ("m.checkm", inner, "manifest"),
                ("b.checkm", batch, "manifest"),
                ("plain.txt", b"x", "file")):
            with self.subTest(name):
                self.assertEqual(self.one({}, [(name, content)])["type"], kind)

    def test_M13_to_M16_local_ids(self):
        self.prepared()
        job = self.one({"type": "file", "localIdentifier": "a;a;a;b;b"},
                       [("x.txt", b"x")])
        self.assertEqual(job["local_id"], ["a", "b"])
        ark = "ark:/99999/fk4given14"
        packed = container({"x.txt": b"x", "mrt-erc.txt":
                            f"who: Lea\nwhat: X\nwhen: 2024\nwhere: {ark}\n"
                            .encode()})
        job = self.one({"type": "container", "localIdentifier": "m14"},
                       [("x.zip", packed)])
        self.assertEqual(job["identifier"], ark)
        self.assertEqual(job["local_id"][0], "m14")
        erc = container({"x.txt": b"x", "mrt-erc.txt":
                         b"who: Lea\nwhat: X\nwhen: 2024\nwhere: erc15\n"})
        job = self.one(
            {"type": "container-batch-manifest", "localIdentifier": "form16"},
            [("b", manifest("mrt-container-batch-manifest", [
                self.source_row("x.zip", erc, "", "row15;row15b")]))])
        self.assertEqual(job["local_id"], ["row15", "row15b", "erc15"])

    def test_M17_M20_M46_versions(self):
        self.prepared()
        ark = "ark:/99999/fk4seventeen"
        first = self.one({"type": "file", "localIdentifier": "l17"},
                         [("a.txt", b"1")], f"submit/{ark}")
        self.assertEqual(first["identifier"], ark)
        packed = container({"b.txt": b"2", "mrt-delete.txt": b"a.txt\n"})
        second = self.one({"type": "container"}, [("x.zip", packed)],
                          f"update/{ark}")
        found = self.stored(second)
        self.assertEqual((found.id, found.version), (ark, 2))
        self.assertIn("b.txt", found.produced())
        self.assertNotIn("a.txt", found.produced())
        self.assertEqual(second["local_id"], ["l17"])
        other = self.one({"type": "file", "localIdentifier": "l17",
                          "object": "ark:/99999/fk4other"},
                         [("c.txt", b"3")], state="failed")
        self.assertIn("l17", other["note"])
        again = self.one({"type": "file", "localIdentifier": "l17"},
                         [("d.txt", b"4")])
        self.assertEqual(again["identifier"], ark)
        self.assertEqual(self.stored(again).version, 3)

    def test_identifiers_that_objects_have_are_passed_over(self):
        """As where depositors have named those that would be given next."""
        engine = self.prepared()
        self.one({"type": "file"}, [("first", b"x")])
        engine.stop()
        given, before = engine.data / "minter", self.folder / "minter-before"
        shutil.copytree(given, before)
        engine.start()
        self.done({"type": "file"}, [(name, b"x") for name in "abc"])
        engine.stop()
        shutil.rmtree(given)
        shutil.copytree(before, given)
        engine.start()
        job = self.one({"type": "file"}, [("last", b"x")])
        self.assertEqual(job["attempt"], 0, job)
        self.assertEqual(
            [x["versions"] for x in engine.ask("object", "list")["objects"]],
            [1] * 5)

    def test_M19_many_at_once_with_one_local_id(self):
        self.prepared()
        batches = [self.send({"type": "file", "localIdentifier": "same"},
                             [(f"{i}.txt", b"%d" % i)])[2] for i in range(20)]
        for uuid in batches:
            self.ended(self.running, uuid)
        found = {self.jobs(self.running, x)[0]["identifier"] for x in batches}
        self.assertEqual(len(found), 1)
        self.assertEqual(
            objects(self.running.data / "objects")[found.pop()].version, 20)

    def test_S13_versions_come_as_they_were_sent(self):
        engine = self.prepared()
        engine.ctl("pipeline", "pause", "merritt.process")
        batches = [self.send({"type": "file", "localIdentifier": "same",
                              "title": str(i)},
                             [("a.txt", b"%d" % i)])[2] for i in range(8)]
        wait_until(lambda: all(
            [x["state"] for x in self.jobs(engine, uuid)] == ["processing"]
            for uuid in batches))
        engine.kill()
        engine.start()
        engine.ctl("pipeline", "unpause", "merritt.process")
        for uuid in batches:
            self.ended(engine, uuid)
        ark = self.jobs(engine, batches[0])[0]["identifier"]
        self.assertEqual(
            [x["title"] for x in engine.ask("object", "show", ark)["versions"]],
            [str(i) for i in range(8)])

    def test_S01_S02_S11_sizes(self):
        unsized = self.serve(Unsized())
        engine = self.prepared(
            {"fetch.allow": f"{self.source.address},{unsized.address}"})
        engine.ctl("pipeline", "pause", "merritt.provision")
        batches = [
            self.send({"type": "object-manifest"}, [("o", manifest(
                "mrt-ingest-manifest", [f"{url} | | | | | {name}"]))])[2]
            for url, name in ((unsized.add("u.txt", b"u"), "u.txt"),
                              (self.source.add("e.txt", b""), "e.txt"))]

        def provisioning(uuid):
            found = self.jobs(engine, uuid)
            return (found if found and found[0]["state"] == "provisioning"
                    else None)
        for uuid, expected in zip(batches, ((-1, 15), (0, 5))):
            job, = wait_until(lambda x=uuid: provisioning(x))
            self.assertEqual((job["space_needed"], job["priority"]), expected)
        engine.ctl("pipeline", "unpause", "merritt.provision")
        for uuid in batches:
            self.ended(engine, uuid)
        job, = self.jobs(engine, batches[0])
        self.assertEqual(job["space_needed"], 1)

    def test_R22_to_R26_callbacks(self):
        hook = self.serve(Hook())
        engine = self.prepared(
            {"fetch.allow": f"{self.source.address},{hook.address}"})
        engine.ctl("collection", "set", "books", "--callback",
                   f"http://who:secret@{hook.address}/back",
                   "--callback-key-stdin", text="the key\n")
        job = self.one({"type": "file", "localIdentifier": "l1;l2"},
                       [("a.txt", b"a")])
        path, headers, body = wait_until(lambda: hook.calls)[0]
        self.assertEqual(path, f"/back/mc/{job['uuid']}")
        self.assertEqual(headers["Authorization"], "Basic "
                         + base64.b64encode(b"who:secret").decode())
        self.assertEqual(headers["Content-Type"], "application/json")
        moment, digest = headers["X-Depositd-Signature"].split(",")
        self.assertEqual(
            digest, "v1=" + hmac.new(
                b"the key", moment.removeprefix("t=").encode() + b"." + body,
                hashlib.sha256).hexdigest())
        state = json.loads(body)["job:jobState"]
        self.assertEqual(
            [state["job:" + x] for x in ("jobStatus", "jobID", "primaryID",
                                         "localID")],
            ["COMPLETED", job["uuid"], job["identifier"], "l1;l2"])
        self.assertNotIn("who:secret", engine.log())

        failed = self.one({"type": "container"}, [("x.zip", b"no")],
                          state="failed")
        path, _, body = wait_until(lambda: hook.calls[1:])[0]
        self.assertEqual(path, f"/back/mc/{failed['uuid']}")
        self.assertEqual(json.loads(body)["job:jobState"]["job:jobStatus"],
                         "FAILED")

        hook.answer = 404
        job = self.one({"type": "file"}, [("b.txt", b"b")], state="failed")
        self.assertEqual(job["last_successful_status"], "recording")
        self.assertTrue(job["needs_review"])
        hook.answer = 200
        engine.ctl("job", "requeue", str(job["id"]))
        wait_until(lambda: engine.ask("job", "show", str(job["id"]))["state"]
                   == "completed")


if __name__ == "__main__":
    harness.main()
