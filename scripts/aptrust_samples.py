"""Tarred bags as institutions send them: right ones, and such that are wrong in
one way, each with the verdict that it has to get."""

import hashlib
import io
import tarfile

PROFILE = ("https://raw.githubusercontent.com/APTrust/preservation-services/"
           "master/profiles/aptrust-v2.2.json")
OTHER_PROFILE = "https://example.org/profiles/nobody-knows-it.json"


def digest(content, algorithm="sha256"):
    return hashlib.new(algorithm, content).hexdigest()


def tar_of(files):
    """{path: bytes} as a tar file, in this order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            entry.mode = 0o644
            entry.mtime = 1_700_000_000
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


class Bag:
    """What goes into a bag; change it before it is packed to spoil it."""

    def __init__(self, name, payload, institution="test.edu",
                 title="A collection", profile=PROFILE):
        self.name = name
        self.payload = dict(payload)
        self.institution = institution
        self.title = title
        self.profile = profile
        self.manifest = {f"data/{path}": content
                         for path, content in self.payload.items()}

    def tag_files(self):
        size = sum(len(content) for content in self.payload.values())
        return {
            "bagit.txt": b"BagIt-Version: 1.0\n"
                         b"Tag-File-Character-Encoding: UTF-8\n",
            "bag-info.txt": (
                f"Source-Organization: {self.institution}\n"
                "Bagging-Date: 2024-03-01\n"
                f"BagIt-Profile-Identifier: {self.profile}\n"
                f"Payload-Oxum: {size}.{len(self.payload)}\n").encode(),
            "aptrust-info.txt": (
                f"Title: {self.title}\n"
                "Description: Made for a trial\n"
                "Access: Institution\n"
                "Storage-Option: Standard\n").encode()}

    def files(self):
        out = self.tag_files()
        for algorithm in ("md5", "sha256"):
            lines = [f"{digest(content, algorithm)}  {path}\n"
                     for path, content in self.manifest.items()]
            out[f"manifest-{algorithm}.txt"] = "".join(lines).encode()
        tags = dict(out)
        for algorithm in ("md5", "sha256"):
            lines = [f"{digest(content, algorithm)}  {path}\n"
                     for path, content in tags.items()]
            out[f"tagmanifest-{algorithm}.txt"] = "".join(lines).encode()
        out.update({f"data/{path}": content
                    for path, content in self.payload.items()})
        return out

    def packed(self):
        return tar_of({f"{self.name}/{path}": content
                       for path, content in self.files().items()})

    def identifier(self):
        return f"{self.institution}/{self.name}"


def payload(seed, count=4, size=2_000):
    """Files of different kinds, the same for the same seed."""
    out = {"readme.txt": f"Bag number {seed}.\n".encode(),
           "table.csv": b"year,count\n" + b"".join(
               f"{1900 + i},{i * seed}\n".encode() for i in range(50)),
           "page.xml": b'<?xml version="1.0"?><page><title>One</title></page>'}
    for i in range(count):
        block = hashlib.sha256(f"{seed}/{i}".encode()).digest()
        out[f"scans/image-{i:03}.bin"] = (block * (size // 32 + 1))[:size]
    return out


def wrong_digest(name, **more):
    """A file that is not what its manifests say."""
    bag = Bag(name, payload(11), title="A turned bit", **more)
    bag.payload["readme.txt"] = b"Bag number 1!.\n"
    return bag


def missing_file(name, **more):
    bag = Bag(name, payload(12), title="A lost file", **more)
    del bag.payload["table.csv"]
    return bag


def extra_file(name, **more):
    bag = Bag(name, payload(13), title="A stranger", **more)
    bag.payload["stranger.txt"] = b"In no manifest.\n"
    return bag


def unknown_profile(name, **more):
    return Bag(name, payload(14), title="Rules of somebody",
               profile=OTHER_PROFILE, **more)


class Sample:
    """A bag on its way, and how it has to end."""

    def __init__(self, bag, state, why=""):
        self.bag = bag
        self.state = state
        self.why = why  # what the note of a failure has to tell

    @property
    def file_name(self):
        return f"{self.bag.name}.tar"


def samples(institution="test.edu"):
    """Of each verdict at least one."""
    more = {"institution": institution}
    return [
        Sample(Bag("photos", payload(1), title="Photos of Ghent", **more),
               "completed"),
        Sample(Bag("maps", payload(2, count=12), title="Maps", **more),
               "completed"),
        Sample(Bag("many", payload(3, count=300, size=500),
                   title="Many small files", **more), "completed"),
        Sample(wrong_digest("turned", **more), "failed", "readme.txt"),
        Sample(missing_file("lost", **more), "failed", "table.csv"),
        Sample(extra_file("stranger", **more), "failed", "stranger.txt"),
        Sample(unknown_profile("rules", **more), "failed", "profile"),
    ]
