"""What documents say of the code and of each other, as far as a machine can
tell.

Every check takes a tree and returns complaints; an empty list is a pass.
"""

import posixpath
import re

EVENTS = "messages/values/events.hpp"
RECORDS = "docs/formats/journal-records.md"
DECISIONS = "docs/decisions/"
PICTURES = "docs/pictures"  # not in the tree, which is text
HISTORIES = ("CHANGELOG.md", "docs/FOUND.md")


def check_every_event_has_its_line(tree):
    """Kinds of journal events are their places in the variant."""
    found = re.search(r"using event =\s*std::variant<(.*?)>;",
                      tree.get(EVENTS, ""), re.DOTALL)
    if not found:
        return []
    events = re.findall(r"\w+", found.group(1))
    lines = re.findall(r"^\| (\d+) \| `(\w+)` \|", tree.get(RECORDS, ""),
                       re.MULTILINE)
    wanted = [(str(kind), name) for kind, name in enumerate(events)]
    return ([f"{RECORDS}: no line | {kind} | `{name}` |"
             for kind, name in wanted if (kind, name) not in lines]
            + [f"{RECORDS}: kind {kind} is not {name}"
               for kind, name in lines if (kind, name) not in wanted])


def check_decisions_have_plain_headings(tree):
    """The number stands in the name of the file, and only there."""
    return [f"{path}:1: the heading of a decision is its words alone"
            for path, text in tree.items() if path.startswith(DECISIONS)
            and not re.match(r"# [^\d\W]", text)]


def check_decisions_are_there(tree):
    """Whoever names a decision finds it."""
    known = {path[len(DECISIONS):len(DECISIONS) + 4]
             for path in tree if path.startswith(DECISIONS)}
    named = re.compile(r"decisions/(\d{4})(-[\w-]+\.md)?"
                       r"|\((\d{4})-[\w-]+\.md\)|\((00\d\d)\)")
    out = []
    for path, text in tree.items():
        if path.startswith("tests/style/"):
            continue
        for match in named.finditer(text):
            number = match.group(1) or match.group(3) or match.group(4)
            whole = DECISIONS + number + (match.group(2) or "")
            if number not in known or match.group(2) and whole not in tree:
                line = text.count("\n", 0, match.start()) + 1
                out.append(f"{path}:{line}: there is no decision "
                           f"{match.group()}")
    return out


NAMED_FILE = re.compile(
    r"`((?:actors|adapters|benchmarks|cmake|config|docs|messages|packaging"
    r"|scripts|tests)/[\w/.-]+|[\w/]+\.[ch]pp)`")


def check_named_files_are_there(tree):
    """What documents call a file or a folder is one, and where they say.

    Decisions tell of their own time, and so do lists of what was found."""
    known = set(tree)
    for path in tree:
        parts = path.split("/")
        known.update("/".join(parts[i:j]) for i in range(len(parts))
                     for j in range(i + 1, len(parts) + 1))
    out = []
    for path, text in tree.items():
        if not path.endswith(".md") or path in HISTORIES \
                or path.startswith(DECISIONS):
            continue
        for match in NAMED_FILE.finditer(text):
            name = match.group(1).rstrip("/")
            if "NAME" in name or name.startswith((DECISIONS, PICTURES)):
                continue
            if not known & {name, name + ".cpp", name + ".hpp"}:
                line = text.count("\n", 0, match.start()) + 1
                out.append(f"{path}:{line}: there is no {name}")
    return out


def check_tables_are_whole(tree):
    """Text stands neither in the midst of a table nor against one: where two
    changes were merged line by line, rows land in what others wrote."""
    out = []
    for path, text in tree.items():
        if not path.endswith(".md"):
            continue
        before = ""
        for number, line in enumerate(text.split("\n"), 1):
            if before and line and (
                    before.startswith("|") != line.startswith("|")):
                out.append(f"{path}:{number}: a table begins and ends with an "
                           "empty line")
            before = line
    return out


BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def anchors_of(text):
    """What a link may have behind "#": headings, as they are shown."""
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", BLOCK.sub("", text),
                                    re.MULTILINE)}


def check_links_lead_somewhere(tree):
    """Links between documents, and to headings in them. Pictures are not in
    the tree, nor is what has no ending: folders."""
    out = []
    for path, text in tree.items():
        if not path.endswith(".md"):
            continue
        shown = BLOCK.sub(lambda x: "\n" * x.group().count("\n"), text)
        shown = re.sub(r"`[^`\n]*`", "", shown)
        for match in re.finditer(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)",
                                 shown):
            name, anchor = match.groups()
            to = posixpath.normpath(posixpath.join(
                posixpath.dirname(path), name)) if name else path
            if to.startswith(PICTURES) or "." not in posixpath.basename(to):
                continue
            if to not in tree or (
                    anchor and anchor not in anchors_of(tree[to])):
                line = shown.count("\n", 0, match.start()) + 1
                out.append(f"{path}:{line}: nothing is at {match.group()[1:]}")
    return out


CHECKS = [check_every_event_has_its_line, check_decisions_have_plain_headings,
          check_decisions_are_there, check_named_files_are_there,
          check_tables_are_whole, check_links_lead_somewhere]
