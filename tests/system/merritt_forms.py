"""What tests of what is submitted to Merritt's door have: any form, and what
became of it down to the bytes that are stored."""

import http.client
import http.server
import json
import secrets
import subprocess
from pathlib import Path

import harness
from loopback_server import Answer, LoopbackServer
from merritt_samples import Handler, Source, row
from pipelines import PASSWORD, PipelineTest
from poster_door import authorization

OBJECT_MARK = "0=ocfl_object_1.1"


class Object:
    """The newest version of one stored object: {path: content}."""

    def __init__(self, folder):
        inventory = json.loads((folder / "inventory.json").read_text())
        head = inventory["versions"][inventory["head"]]
        self.id = inventory["id"]
        self.version = int(inventory["head"][1:])
        self.files = {
            path: (folder / inventory["manifest"][digest][0]).read_bytes()
            for digest, paths in head["state"].items() for path in paths}

    def produced(self):
        """What the depositor gave, without the folder that it is in."""
        return {path.removeprefix("producer/"): content
                for path, content in self.files.items()
                if path.startswith("producer/")}


def objects(root):
    found = [Object(mark.parent) for mark in Path(root).rglob(OBJECT_MARK)
             if "extensions" not in mark.parent.relative_to(root).parts]
    return {x.id: x for x in found}


def form(fields, files):
    """(content type, body) of a multipart form with any number of files."""
    mark = "form-" + secrets.token_hex(16)
    out = b""
    for name, value in fields:
        out += (f'--{mark}\r\nContent-Disposition: form-data; name="{name}"'
                f"\r\n\r\n{value}\r\n").encode()
    for name, content in files:
        out += (f'--{mark}\r\nContent-Disposition: form-data; name="file"; '
                f'filename="{name}"\r\n\r\n').encode() + content + b"\r\n"
    return (f"multipart/form-data; boundary={mark}",
            out + f"--{mark}--\r\n".encode())


class MerrittTest(PipelineTest):
    def prepared(self, settings=None):
        engine = super().prepared(settings)
        engine.ctl("pipeline", "set", "merritt.download", "--attempts-max", "1")
        self.running = engine
        return engine

    def ask_door(self, method, path, body=None, headers=None):
        """(status, document, BID)."""
        door = http.client.HTTPConnection(*self.running.address("http"),
                                          timeout=60)
        try:
            door.request(method, path, body, {
                "Authorization": authorization("lea", PASSWORD),
                **(headers or {})})
            answer = door.getresponse()
            return (answer.status, json.loads(answer.read()),
                    answer.getheader("BID"))
        finally:
            door.close()

    def send(self, fields, files=(), path="submit"):
        kind, body = form([("profile", "books"), *fields.items()], files)
        return self.ask_door("POST", "/poster/" + path, body,
                             {"Content-Type": kind})

    def done(self, fields, files=(), path="submit", state="completed"):
        """The jobs of a batch that ends in this state."""
        status, said, uuid = self.send(fields, files, path)
        self.assertEqual(status, 200, said)
        self.ended(self.running, uuid, state)
        return self.jobs(self.running, uuid)

    def one(self, fields, files=(), path="submit", state="completed"):
        job, = self.done(fields, files, path, state)
        return job

    def stored(self, job):
        return objects(self.running.data / "objects")[job["identifier"]]

    def check(self, content):
        status, said, _ = self.ask_door("POST", "/poster/check", content)
        return status, said

    def shell_check(self, content, *more):
        """What the shell says of a manifest, without an engine."""
        file = self.folder / "to-check.checkm"
        file.write_bytes(content)
        return subprocess.run(
            [harness.PROGRAMS / "depositctl", "manifest", "check", file,
             *more], capture_output=True, text=True, timeout=60)

    def source_row(self, name, content, *more, path=None):
        """A row of a manifest whose file the source has from now on."""
        return row(self.source.add(path or secrets.token_hex(4), content),
                   content, name, *more)


class Hook(LoopbackServer):
    """Takes callbacks and keeps them."""

    def __init__(self):
        super().__init__(Taker)
        self.calls = []
        self.answer = 200


class Taker(Answer):
    def do_POST(self):
        self.server.calls.append((self.path, self.headers, self.body()))
        self.say(self.server.answer)


class Unsized(Source):
    """Never says how long a file is."""

    def __init__(self):
        http.server.ThreadingHTTPServer.__init__(
            self, ("127.0.0.1", 0), UnsizedHandler)
        self.files = {}
        self.slow = set()


class UnsizedHandler(Handler):
    protocol_version = "HTTP/1.0"

    def answer(self):
        content = self.server.files.get(self.path)
        self.send_response(200 if content is not None else 404)
        self.end_headers()
        return content or b""
