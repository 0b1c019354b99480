"""Rows of the case table of batches and jobs through the real program: what a
manifest may be, and what becomes of its rows."""

import hashlib
import json

import harness
from harness import wait_until
from merritt_forms import MerrittTest
from merritt_samples import container, manifest, row


class MerrittManifests(MerrittTest):
    def test_M03_M05_M06_M07_manifests_of_all_kinds(self):
        self.prepared()
        job = self.one({"type": "object-manifest"}, [("o.checkm", manifest(
            "mrt-ingest-manifest", [self.source_row("in/a.txt", b"a"),
                                    self.source_row("b.txt", b"b")]))])
        self.assertEqual(job["type"], "manifest")
        self.assertEqual(self.stored(job).produced(),
                         {"in/a.txt": b"a", "b.txt": b"b"})
        inner = manifest("mrt-ingest-manifest",
                         [self.source_row("f.txt", b"f")])
        packed = container({"z.txt": b"z"})
        for word, content, kind, ending, files in (
                ("batch-manifest", inner, "manifest", "checkm",
                 {"f.txt": b"f"}),
                ("container-batch-manifest", packed, "container", "zip",
                 {"z.txt": b"z"}),
                ("single-file-batch-manifest", packed, "file", "zip",
                 {"0.zip": packed})):
            rows = [self.source_row(f"{i}.{ending}", content, "",
                                    f"{word}-{i}", "Lea", f"Title {i}", "2024")
                    for i in range(3)]
            jobs = self.done({"type": word},
                             [("b", manifest(f"mrt-{word}", rows))])
            with self.subTest(word):
                self.assertEqual([x["type"] for x in jobs], [kind] * 3)
                jobs.sort(key=lambda x: x["local_id"])
                self.assertEqual([x["local_id"] for x in jobs],
                                 [[f"{word}-{i}"] for i in range(3)])
                self.assertEqual(self.stored(jobs[0]).produced(), files)

    def test_M04_S03_a_missing_file_comes_later(self):
        engine = self.prepared()
        lost = row(f"http://{self.source.address}/lost.txt", b"x", "lost.txt")
        job = self.one({"type": "manifest"}, [
            ("o.checkm", manifest("mrt-ingest-manifest", [lost]))],
            state="failed")
        self.assertIn("/lost.txt", job["note"])
        self.source.add("lost.txt", b"x")
        engine.ctl("job", "requeue", str(job["id"]), "--to", "estimate")
        wait_until(lambda: engine.ask("job", "show", str(job["id"]))["state"]
                   == "completed")
        found = engine.ask("job", "show", str(job["id"]))
        self.assertEqual(found["retry_count"], 1)

    def test_M11_M12_digests_in_capitals(self):
        self.prepared()
        digest = hashlib.sha256(b"x").hexdigest().upper()
        url = self.source.add("x", b"x")
        inner = manifest("mrt-ingest-manifest",
                         [f"{url} | SHA256 | {digest} | 1 | | x.txt"])
        self.one({"type": "object-manifest"}, [("o.checkm", inner)])
        whole = hashlib.sha256(inner).hexdigest().upper()
        place = self.source.add("inner", inner)
        self.one({"type": "batch-manifest"}, [("b.checkm", manifest(
            "mrt-batch-manifest", [f"{place} | SHA256 | {whole} | "
                                   f"{len(inner)} | | inner.checkm"]))])

    # -- what is read, by the door, the shell and the stages alike

    def a_line(self):
        url = self.source.add("f.txt", b"f")
        digest = hashlib.md5(b"f").hexdigest()
        return url, f"{url} | md5 | {digest} | 1 | | f.txt"

    def test_M21_M24_M26_M28_good_manifests(self):
        self.prepared()
        _, line = self.a_line()

        def of(changed):
            return manifest("mrt-ingest-manifest", [changed])

        def without(start):
            return b"".join(x for x in of(line).splitlines(True)
                            if not x.startswith(start))
        whole = of(line)
        good = {
            "no declaration": without(b"#%checkm"),
            "no prefixes": without(b"#%prefix"),
            "no fields": without(b"#%fields"),
            "no last newline": whole.rstrip(b"\n"),
            "crlf": whole.replace(b"\n", b"\r\n"),
            "blank before": of("\n" + line),
            "blank after": of(line + "\n"),
            "capitals": of(line.replace("md5", "MD5")),
            "eof in capitals": whole.replace(b"#%eof", b"#%EOF"),
            "extra columns": of(line + " | text/plain | more | more"),
            "no name": of(line.removesuffix(" | f.txt")),
            "a date": of(line.replace("| 1 | |",
                                      "| 1 | 2024-01-02T03:04:05Z |")),
            "a comment": whole.replace(b"#%fields", b"# hello\n#%fields"),
            "old profile": whole.replace(b"ingest/manifest/mrt-ingest",
                                         b"mrt/mrt-ingest"),
        }
        for name, content in good.items():
            with self.subTest(name):
                status, said = self.check(content)
                self.assertEqual((status, said.get("ok")), (200, True), said)
                told = self.shell_check(content, "--json")
                self.assertEqual(told.returncode, 0, told.stderr)
                self.assertEqual(json.loads(told.stdout),
                                 {"ok": True, "rows": said["rows"]})
        job = self.one({"type": "object-manifest"}, [("o", good["no name"])])
        self.assertEqual(self.stored(job).produced(), {"f.txt": b"f"})

    def test_M22_to_M31_corrupt_manifests(self):
        self.prepared()
        url, line = self.a_line()

        def of(*lines):
            return manifest("mrt-ingest-manifest", lines)
        whole = of(line)
        bad = {
            "no profile": b"".join(x for x in whole.splitlines(True)
                                   if not x.startswith(b"#%profile")),
            "no eof": whole.replace(b"#%eof\n", b""),
            "blank after eof": whole + b"\n",
            "data after eof": whole + line.encode() + b"\n",
            "order": of(f"md5 | {url} | 1"),
            "algorithm": of(line.replace("md5", "md6")),
            "size": of(line.replace("| 1 |", "| one |")),
            "protocol": of(line.replace("http:", "htp:")),
            "date of the file": of(line.replace("| 1 | |", "| 1 | soon |")),
            "no url": of(line.replace(url, "")),
            "same name twice": of(line, line),
            "a folder that is a file": of(line, line + "/x"),
            "short digest": of(line.replace("| md5", "| sha-256")),
            "climbs": of(line.replace("| f.txt", "| ../f.txt")),
            "utf-16": whole.decode().encode("utf-16"),
        }
        for name, content in bad.items():
            with self.subTest(name):
                status, said = self.check(content)
                self.assertEqual((status, said.get("ok")), (422, False), said)
                self.assertIsInstance(said["line"], int)
                told = self.shell_check(content, "--json")
                self.assertEqual(told.returncode, 1)
                self.assertEqual(json.loads(told.stdout), said)
                self.assertIn(said["reason"], told.stderr)
                in_words = self.shell_check(content)
                self.assertEqual((in_words.returncode, in_words.stdout),
                                 (1, ""))
                self.assertEqual(in_words.stderr, told.stderr)
                job = self.one({"type": "object-manifest"},
                               [("o.checkm", content)], state="failed")
                refused = self.running.ctl_result("job", "requeue",
                                                  str(job["id"]))
                self.assertEqual(refused.returncode, 1)

    # -- rows

    def test_M30_names_that_differ(self):
        self.prepared()
        names = ("a/f.txt", "b/f.txt", "a/F.txt")
        job = self.one({"type": "object-manifest"}, [("o", manifest(
            "mrt-ingest-manifest",
            [self.source_row(x, x.encode()) for x in names]))])
        self.assertEqual(sorted(self.stored(job).produced()), sorted(names))

    def test_M32_to_M35_rows_that_are_not_what_they_should_be(self):
        self.prepared()
        inner = manifest("mrt-ingest-manifest",
                         [self.source_row("f.txt", b"f")])
        packed = container({"z.txt": b"z"})
        job = self.one({"type": "single-file-batch-manifest"}, [("b", manifest(
            "mrt-single-file-batch-manifest",
            [self.source_row("i.checkm", inner)]))])
        self.assertEqual(self.stored(job).produced(), {"i.checkm": inner})

        def states(word, rows, state):
            jobs = self.done({"type": word},
                             [("b", manifest(f"mrt-{word}", rows))],
                             state=state)
            return sorted(x["state"] for x in jobs)
        self.assertEqual(
            states("container-batch-manifest",
                   [self.source_row("x.zip.txt", packed),
                    self.source_row("y.zip", packed)], "failed"),
            ["completed", "failed"])
        self.assertEqual(
            states("batch-manifest", [self.source_row("x.checkm.txt", inner),
                                      self.source_row("y.checkm", inner)],
                   "completed"), ["completed"] * 2)
        rows = [self.source_row("x.checkm", inner, "ark:bad"),
                self.source_row("y.checkm", inner)]
        self.assertEqual(self.check(manifest("mrt-batch-manifest", rows))[0],
                         422)
        self.assertEqual(states("batch-manifest", rows, "failed"),
                         ["completed", "failed"])

    def test_M36_M37_R15_batches_that_cannot_be_split(self):
        self.prepared()
        empty = manifest("mrt-batch-manifest", [])
        for content in (empty, b"#" * 5_000_001):
            status, said, uuid = self.send({"type": "batch-manifest"},
                                           [("b.checkm", content)])
            self.assertEqual(status, 200, said)
            found = self.ended(self.running, uuid, "failed")
            self.assertEqual(found["jobs"]["total"], 0)
            subject = f"Ingest: FAIL -- Submission Queue Failed: {uuid};"
            wait_until(lambda x=subject: [
                mail for mail in self.mails.mails
                if str(mail["Subject"]) == x])

    def test_M38_one_dead_address_of_many(self):
        self.prepared()
        rows = [self.source_row(f"{i}.txt", b"%d" % i) for i in range(60)]
        rows[30] = row(f"http://{self.source.address}/dead", b"x", "x.txt")
        jobs = self.done({"type": "single-file-batch-manifest"}, [
            ("b", manifest("mrt-single-file-batch-manifest", rows))],
            state="failed")
        states = [x["state"] for x in jobs]
        self.assertEqual((states.count("completed"), states.count("failed")),
                         (59, 1))

    def test_M42_names_come_back_byte_by_byte(self):
        self.prepared()
        names = ["a b.txt", "a+b.txt", "100%.txt", "a%41.txt", "é.txt",
                 "日本語.txt", "שלום.txt", "مرحبا.txt", "a&b=c;d'e!.txt",
                 "a.b..c.txt", "\ufffd.txt", ".hidden", "in side/b c.txt"]
        expected = {x: x.encode() for x in names}
        rows = [self.source_row(x.replace("|", "%7c"), x.encode())
                for x in [*names, "a|b.txt"]]
        job = self.one({"type": "object-manifest"}, [
            ("o", manifest("mrt-ingest-manifest", rows))])
        self.assertEqual(self.stored(job).produced(),
                         {**expected, "a|b.txt": b"a|b.txt"})
        job = self.one({"type": "container"}, [("x.zip", container(expected))])
        self.assertEqual(self.stored(job).produced(), expected)

    def test_S09_S10_a_download_that_failed_is_requeued(self):
        engine = self.prepared()
        rows = [self.source_row("a.txt", b"a"),
                self.source_row("b.txt", b"b", path="b")]
        self.source.add("b", b"B")
        job = self.one({"type": "object-manifest"}, [
            ("o", manifest("mrt-ingest-manifest", rows))], state="failed")
        self.assertIn("/b", job["note"])
        self.assertEqual(job["last_successful_status"], "provisioning")
        self.source.add("b", b"b")
        engine.ctl("job", "requeue", str(job["id"]))
        wait_until(lambda: engine.ask("job", "show", str(job["id"]))["state"]
                   == "completed")


if __name__ == "__main__":
    harness.main()
