"""Which folder may include what: config -> {actors, adapters} -> messages.

Every check takes a tree and returns complaints; an empty list is a pass.
"""

import re

from tree import cpp_files, includes

# Adapters that build on another one: (who, on whom).
ADAPTERS_MAY_USE = {
    # Doors over HTTP.
    ("crossref", "http"),
    ("operations", "http"),
    ("emodb", "http"),
    # Whatever keeps or names content.
    ("segments", "files"),
    ("blobs", "files"),
    ("sqlite", "files"),
    ("postgres", "files"),
    ("memory", "files"),
    ("drop", "files"),
    ("emodb", "files"),
}

# Rules know values only. What they may include of the vocabulary ...
RULES_MAY_USE = {
    "messages/values/types.hpp", "messages/values/events.hpp", "messages/values/rows.hpp",
    "messages/values/control.hpp", "messages/values/errors.hpp", "messages/values/scheduling.hpp",
    "messages/values/codec.hpp", "messages/commands.hpp", "messages/values/names.hpp",
    "messages/values/sharding.hpp", "messages/values/test_points.hpp",
}
# ... what of CAF may reach them through it (errors are values) ...
RULES_MAY_SEE_OF_CAF = {
    "caf/error.hpp", "caf/expected.hpp", "caf/make_message.hpp",
    "caf/message.hpp", "caf/type_id.hpp", "caf/fwd.hpp",
}
# ... and what of the outside world may not: clocks, chance, I/O, threads.
WORLD = re.compile(
    r"^(chrono|ctime|time\.h|random|thread|mutex|shared_mutex|atomic|future|"
    r"condition_variable|fstream|iostream|cstdio|stdio\.h|filesystem|"
    r"unistd\.h|fcntl\.h|sys/.*|netinet/.*|arpa/.*|spdlog/.*|sqlite3\.h|"
    r"microhttpd\.h|libxml/.*|curl/.*|openssl/.*|sodium.*|nlohmann/.*)$")

# Libraries that touch the world stay behind ports.
BEHIND_PORTS = re.compile(
    r"^(sqlite3\.h|microhttpd\.h|libxml/.*|curl/.*|openssl/.*|"
    r"yaml-cpp/.*|CLI/.*|histedit\.h|prometheus/.*|libpq-fe\.h|"
    r"librdkafka/.*)$")


def folder_of(path):
    """messages, actors/rules, actors, adapters/NAME, config, tests, ..."""
    parts = path.split("/")
    if parts[:2] == ["actors", "rules"]:
        return "actors/rules"
    if parts[0] == "adapters" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def may_include(user, used):
    """Whether a file of one folder may include a header of another."""
    if user == used:
        return True
    if user == "actors":
        return used in ("messages", "actors/rules")
    if user == "actors/rules":
        return used == "messages"
    if user.startswith("adapters/"):
        mine, other = user.split("/")[1], used.split("/")[-1]
        return used == "messages" or (used.startswith("adapters/")
                                      and (mine, other) in ADAPTERS_MAY_USE)
    if user in ("config", "benchmarks"):
        return used not in ("tests", "benchmarks")
    return user == "tests" and used != "benchmarks"


def check_direction(tree):
    out = []
    for path, text in cpp_files(tree).items():
        for ours, name, line in includes(text):
            if not ours:
                continue
            if name not in tree:
                out.append(f"{path}:{line}: {name} is not spelled from the "
                           "root, or does not exist")
            elif not may_include(folder_of(path), folder_of(name)):
                out.append(f"{path}:{line}: {folder_of(path)} must not "
                           f"include {name}")
    return out


def check_rules_are_pure(tree):
    """No actors, clock, chance or I/O, not even through another header."""
    out = []
    for path, text in cpp_files(tree).items():
        if folder_of(path) != "actors/rules":
            continue
        for ours, name, line in includes(text):
            where = f"{path}:{line}"
            if ours and name.startswith("messages/"):
                if name not in RULES_MAY_USE:
                    out.append(f"{where}: rules know values, not {name}")
                for reached in sorted(reach(tree, name)):
                    if (reached.startswith("caf/")
                            and reached not in RULES_MAY_SEE_OF_CAF):
                        out.append(f"{where}: {name} brings {reached}")
            elif not ours and name.startswith("caf/"):
                out.append(f"{where}: rules know nothing of CAF ({name})")
            elif not ours and WORLD.match(name):
                out.append(f"{where}: rules touch no world ({name})")
    return out


def reach(tree, header):
    """Foreign headers that one of ours includes, directly or not."""
    foreign, seen, queue = set(), set(), [header]
    while queue:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        for ours, name, _ in includes(tree.get(current, "")):
            if ours:
                queue.append(name)
            else:
                foreign.add(name)
    return foreign


def check_libraries_stay_behind_ports(tree):
    out = []
    for path, text in cpp_files(tree).items():
        if folder_of(path) in ("messages", "actors", "actors/rules"):
            out += [f"{path}:{line}: {name} belongs into an adapter"
                    for ours, name, line in includes(text)
                    if not ours and BEHIND_PORTS.match(name)]
    return out


def check_cmake_lists_every_source(tree):
    """A source that no CMakeLists.txt names is dead, or never compiled."""
    out = []
    for path in tree:
        if not path.endswith((".cpp", ".c")):
            continue
        parts = path.split("/")
        lists = ["/".join(parts[:i] + ["CMakeLists.txt"])
                 for i in range(len(parts))]
        named = any(
            re.search(r"(?<![\w./-])" + re.escape("/".join(parts[i:]))
                      + r"(?![\w.-])", tree.get(cmake, ""))
            for i, cmake in enumerate(lists))
        if not named:
            out.append(f"{path}: no CMakeLists.txt names it")
    return out


def check_every_folder_is_a_library(tree):
    out = []
    for path, text in tree.items():
        folder = path.rsplit("/", 1)[0]
        if (not path.endswith("/CMakeLists.txt")
                or not re.match(r"messages$|actors(/rules)?$|adapters/\w+$",
                                folder)):
            continue
        count = len(re.findall(r"^depositd_library\(", text, re.MULTILINE))
        if count == 0:
            out.append(f"{path}: no library")
    return out


CHECKS = [check_direction, check_rules_are_pure,
          check_libraries_stay_behind_ports, check_cmake_lists_every_source,
          check_every_folder_is_a_library]
