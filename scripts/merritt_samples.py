"""Samples for the pipeline `merritt`, and the web server that their manifests
lead to: everything is made here, nothing is fetched from elsewhere."""

import hashlib
import http.server
import io
import threading
import time
import zipfile

REGISTRY = "http://uc3.cdlib.org/registry/ingest/manifest/"
SLOW_PARTS = 8
SLOW_PAUSE_S = 0.4


class Sample:
    """One submission: the form, and what becomes of each of its jobs, by the
    local id of the object."""

    def __init__(self, file_name, kind, content, title, expected):
        self.file_name = file_name
        self.kind = kind
        self.content = content
        self.title = title
        self.expected = expected
        self.batch = ""  # once it is handed in


class Source(http.server.ThreadingHTTPServer):
    """Serves files out of memory; what is slow comes in parts."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        """Who fetches may go at any time."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.slow = set()

    @property
    def address(self):
        return f"127.0.0.1:{self.server_port}"

    def add(self, path, content, slow=False):
        self.files["/" + path] = content
        if slow:
            self.slow.add("/" + path)
        return f"http://{self.address}/{path}"

    def serve(self):
        """Until `shutdown`, on a thread of its own."""
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        content = self.server.files.get(self.path)
        self.send_response(200 if content is not None else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        return content or b""

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        content = self.answer()
        slow = self.path in self.server.slow
        size = len(content) // SLOW_PARTS + 1 if slow else len(content) + 1
        for start in range(0, len(content), size):
            if slow:
                time.sleep(SLOW_PAUSE_S)
            self.wfile.write(content[start:start + size])
            self.wfile.flush()

    def log_message(self, *_):
        pass


# -- manifests ----------------------------------------------------------------


def manifest(profile, rows):
    lines = ["#%checkm_0.7", f"#%profile | {REGISTRY}{profile}",
             "#%prefix | mrt: | http://merritt.cdlib.org/terms#",
             "#%prefix | nfo: | "
             "http://www.semanticdesktop.org/ontologies/2007/03/22/nfo#",
             "#%fields | nfo:fileUrl | nfo:hashAlgorithm | nfo:hashValue | "
             "nfo:fileSize | nfo:fileLastModified | nfo:fileName"]
    return "\n".join([*lines, *rows, "#%eof"]).encode() + b"\n"


def row(url, content, name, *more):
    digest = hashlib.sha256(content).hexdigest()
    return " | ".join([url, "sha-256", digest, str(len(content)), "", name,
                       *more])


def text(title, lines):
    return "".join(f"{title}, line {i}\n" for i in range(lines)).encode()


def object_manifest(source, name, files):
    """Rows for {file name: content}, which the source has from now on."""
    rows = [row(source.add(f"{name}/{file}", content), content, file)
            for file, content in files.items()]
    return manifest("mrt-ingest-manifest", rows)


def damaged(source, name, files):
    """The same, but the last file is not what its digest says."""
    out = object_manifest(source, name, files)
    source.add(f"{name}/{list(files)[-1]}", b"something else\n")
    return out


def container(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def batch_of_manifests(source):
    """Three objects: one as it should be, one with a slow file, and one with a
    file that is not what its digest says."""
    atlas = object_manifest(source, "atlas", {
        "plates/north.txt": text("North", 2_000),
        "plates/south.txt": text("South", 1_000)})
    ledger = object_manifest(source, "ledger", {
        "1871.txt": text("1871", 400), "1872.txt": text("1872", 60_000)})
    source.slow.add("/ledger/1872.txt")
    letters = damaged(source, "letters", {
        "first.txt": text("First", 50), "second.txt": text("Second", 50)})
    rows = [
        row(source.add(f"{name}.checkm", content), content, f"{name}.checkm",
            "", f"sample-{name}", "Lea", name.capitalize(), "2024")
        for name, content in (("atlas", atlas), ("ledger", ledger),
                              ("letters", letters))]
    return manifest("mrt-batch-manifest", rows)


def samples(source):
    """What is handed in, in its order."""
    source.add("lost/here.txt", text("Here", 10))
    lost = manifest("mrt-ingest-manifest", [
        row(f"http://{source.address}/lost/here.txt", text("Here", 10),
            "here.txt"),
        row(f"http://{source.address}/lost/gone.txt", b"gone", "gone.txt")])
    return [
        Sample("three.checkm", "batch-manifest", batch_of_manifests(source),
               "Three manifests", {"sample-atlas": "completed",
                                   "sample-ledger": "completed",
                                   "sample-letters": "failed"}),
        Sample("lost.checkm", "object-manifest", lost,
               "A manifest with a missing file", {"sample-lost": "failed"}),
        Sample("photos.zip", "container", container({
            "photos/harbour.txt": text("Harbour", 300),
            "photos/market.txt": text("Market", 300),
            "mrt-erc.txt": b"who: Lea\nwhat: Photos\nwhen: 2023\n"}),
            "A container", {"sample-photos": "completed"}),
        Sample("note.txt", "file", text("Note", 20), "A single file",
               {"sample-note": "completed"}),
    ]
