"""Which deposits to submit, and for whom, out of files and folders."""

import re
from pathlib import Path

# Users for deposits that no folder assigns to anybody.
SPREAD = ["amelie", "boris", "chidi", "dalia"]
TEMPLATE = ".template.xml"
COPY_NUMBER = b"@N@"


class NoDeposits(Exception):
    """There is nothing to submit, or nowhere to leave the results."""


def user_name(folder):
    """A folder's name as a user name."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", folder).strip(".") or "user"


def assigned(sources):
    """(user or None, path) of every deposit file."""
    for source in sources:
        if source.is_file():
            yield None, source
        elif source.is_dir():
            for path in sorted(source.rglob("*.xml")):
                inside = path.relative_to(source).parts
                user = user_name(inside[0]) if len(inside) > 1 else None
                yield user, path
        else:
            raise NoDeposits(f"{source} is neither a file nor a folder")


def copies_of(path, count):
    """(file name, content) of every deposit that a file stands for."""
    content = path.read_bytes()
    if not path.name.endswith(TEMPLATE):
        return [(path.name, content)]
    stem = path.name[:-len(TEMPLATE)]
    return [(f"{stem}-{n:05}.xml",
             content.replace(COPY_NUMBER, str(n).encode()))
            for n in range(1, count + 1)]


def collect(sources, copies):
    """[(user, file name, content)], no file name twice for one user."""
    out = []
    taken = set()
    spread = 0
    for user, path in assigned([Path(source) for source in sources]):
        if user is None:
            user = SPREAD[spread % len(SPREAD)]
            spread += 1
        for name, content in copies_of(path, copies):
            unique = name
            number = 2
            while (user, unique) in taken:
                unique = f"{Path(name).stem}-{number}{Path(name).suffix}"
                number += 1
            taken.add((user, unique))
            out.append((user, unique, content))
    if not out:
        places = ", ".join(str(source) for source in sources)
        raise NoDeposits(f"no deposit (*.xml) in {places}")
    return out
