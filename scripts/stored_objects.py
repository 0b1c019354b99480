"""What is in a storage folder, read as any OCFL tool would."""

import json
import os
from pathlib import Path

OBJECT_MARK = "0=ocfl_object_1.1"


def stored_objects(root):
    """{identifier: {version, files, bytes}} of an OCFL storage root. What is
    under `extensions` is no object: it is being made or removed. Folders may
    go while they are looked through: os.walk() passes those over."""
    out = {}
    for name, _, inside in os.walk(root):
        folder = Path(name)
        if (OBJECT_MARK not in inside
                or "extensions" in folder.relative_to(root).parts):
            continue
        try:
            found = described(folder)
        except FileNotFoundError:
            continue  # removed since
        out[found.pop("id")] = found
    return out


def described(folder):
    inventory = json.loads((folder / "inventory.json").read_text())
    head = inventory["versions"][inventory["head"]]
    digests = {digest: paths[0]
               for digest, paths in inventory["manifest"].items()}
    files = {path: (folder / digests[digest]).stat().st_size
             for digest, paths in head["state"].items()
             for path in paths}
    return {"id": inventory["id"],
            "version": inventory["head"],
            "files": len(files),
            "bytes": sum(files.values()),
            "paths": sorted(files)}
