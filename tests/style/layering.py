"""Which folder may include what: config -> {actors, adapters} -> messages.

Every check takes a tree and returns complaints; an empty list is a pass.
"""

import re

from tree import cpp_files, includes

# The rooms of actors: each may include those before it, none behind it.
ROOMS = ["rules", "journal", "queue", "work", "users", "shard", "projection",
         "processors", "engine", "cluster", "records", "sources",
         "operators"]

# Adapters that build on others: folder, and the folders that it may include.
ADAPTERS_MAY_USE = {
    "adapters/archives": {"adapters/stores/files"},
    "adapters/bagit": {"adapters/archives", "adapters/digests",
                       "adapters/stores/files"},
    "adapters/doors/accounts": {"adapters/doors/http", "adapters/doors/kit"},
    "adapters/doors/crossref": {"adapters/doors/accounts",
                                "adapters/doors/http", "adapters/doors/kit",
                                "adapters/processing/crossref"},
    "adapters/doors/deposits": {"adapters/doors/accounts",
                                "adapters/doors/http", "adapters/doors/kit",
                                "adapters/processing/crossref",
                                "adapters/stores/files"},
    "adapters/doors/drop": {"adapters/stores/files"},
    "adapters/doors/emodb": {"adapters/doors/http", "adapters/doors/kit"},
    "adapters/doors/http": {"adapters/doors/kit"},
    "adapters/doors/kit": {"adapters/stores/files"},
    "adapters/doors/nsq": {"adapters/doors/kit", "adapters/fetching"},
    "adapters/doors/nsq/http": {"adapters/doors/http", "adapters/doors/kit",
                                "adapters/doors/nsq",
                                "adapters/doors/nsq/lookup"},
    "adapters/doors/nsq/lookup": {"adapters/doors/kit"},
    "adapters/doors/operations": {"adapters/doors/http",
                                  "adapters/doors/kit"},
    "adapters/doors/poster": {"adapters/doors/accounts", "adapters/doors/http",
                              "adapters/doors/kit", "adapters/fetching",
                              "adapters/processing/merritt"},
    "adapters/fetching": {"adapters/digests", "adapters/doors/kit",
                          "adapters/stores/files"},
    "adapters/logs/kafka": {"adapters/doors/http", "adapters/doors/kit",
                            "adapters/doors/poster"},
    "adapters/node": {"adapters/doors/kit"},
    "adapters/node/gate": {"adapters/doors/kit"},
    "adapters/shell": {"adapters/node/gate"},
    "adapters/minters": {"adapters/fetching", "adapters/stores/sqlite"},
    "adapters/processing/aptrust": {"adapters/processing/stages",
                                    "adapters/stores/files"},
    "adapters/processing/aptrust/deleting": {
        "adapters/processing/aptrust", "adapters/processing/aptrust/consent",
        "adapters/processing/aptrust/orders",
        "adapters/processing/merritt", "adapters/processing/stages"},
    "adapters/processing/aptrust/fixity": {
        "adapters/digests", "adapters/processing/aptrust",
        "adapters/processing/aptrust/orders", "adapters/processing/merritt",
        "adapters/processing/stages"},
    "adapters/processing/aptrust/ingest": {"adapters/bagit",
                                           "adapters/digests",
                                           "adapters/formats",
                                           "adapters/processing/aptrust",
                                           "adapters/processing/exec",
                                           "adapters/processing/merritt",
                                           "adapters/processing/stages",
                                           "adapters/stores/files"},
    "adapters/processing/aptrust/orders": {
        "adapters/processing/aptrust", "adapters/processing/aptrust/deleting",
        "adapters/processing/aptrust/fixity",
        "adapters/processing/aptrust/restoring",
        "adapters/processing/merritt", "adapters/processing/stages"},
    "adapters/processing/aptrust/restoring": {
        "adapters/bagit", "adapters/processing/aptrust",
        "adapters/processing/aptrust/orders", "adapters/processing/merritt",
        "adapters/processing/stages", "adapters/stores/files"},
    "adapters/processing/crossref": {"adapters/processing/stages"},
    "adapters/processing/exec": {"adapters/processing/stages",
                                 "adapters/stores/files"},
    "adapters/notifying": {"adapters/fetching"},
    "adapters/processing/merritt": {"adapters/archives", "adapters/digests",
                                    "adapters/fetching",
                                    "adapters/processing/crossref",
                                    "adapters/processing/stages",
                                    "adapters/stores/files"},
    "adapters/sources": {"adapters/sources/kafka", "adapters/sources/local",
                         "adapters/sources/records", "adapters/sources/sql",
                         "adapters/sources/web"},
    "adapters/sources/gauges": {"adapters/fetching",
                                "adapters/sources/records",
                                "adapters/sources/sql"},
    "adapters/sources/kafka": {"adapters/logs/kafka",
                               "adapters/sources/records"},
    "adapters/sources/local": {"adapters/processing/exec",
                               "adapters/sources/records",
                               "adapters/stores/files"},
    "adapters/sources/records": {"adapters/doors/kit", "adapters/logs/kafka",
                                 "adapters/stores/files"},
    "adapters/sources/sql": {"adapters/doors/kit", "adapters/sources/records",
                             "adapters/stores/files",
                             "adapters/stores/postgres"},
    "adapters/sources/web": {"adapters/doors/kit", "adapters/fetching",
                             "adapters/sources/records", "adapters/stores/s3"},
    "adapters/stores/blobs": {"adapters/stores/files"},
    "adapters/stores/memory": {"adapters/stores/files"},
    "adapters/stores/objects": {"adapters/digests", "adapters/stores/files"},
    "adapters/stores/postgres": {"adapters/stores/files",
                                 "adapters/stores/rows"},
    "adapters/stores/receiving": {"adapters/stores/files",
                                  "adapters/stores/s3"},
    "adapters/stores/restoration": {"adapters/stores/files",
                                    "adapters/stores/s3"},
    "adapters/stores/s3": {"adapters/digests", "adapters/fetching",
                           "adapters/stores/files",
                           "adapters/stores/objects"},
    "adapters/stores/segments": {"adapters/stores/files"},
    "adapters/stores/sqlite": {"adapters/stores/files",
                               "adapters/stores/rows"},
    "adapters/tracing": {"adapters/fetching"},
}

# Rules know values only. What they may include of the vocabulary ...
RULES_MAY_USE = "messages/values/"
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
    r"llhttp/.*|libxml/.*|curl/.*|openssl/.*|sodium.*|nlohmann/.*)$")

# Libraries that touch the world stay behind ports.
BEHIND_PORTS = re.compile(
    r"^(sqlite3\.h|llhttp/.*|libxml/.*|curl/.*|openssl/.*|"
    r"yaml-cpp/.*|archive.*\.h|CLI/.*|histedit\.h|prometheus/.*|libpq-fe\.h|"
    r"sql(ext)?\.h|"
    r"librdkafka/.*)$")


def folder_of(path):
    """messages, actors/ROOM, adapters/KIND/NAME, config, tests, ..."""
    parts = path.split("/")
    if parts[0] == "actors" and len(parts) > 2:
        return "/".join(parts[:2])
    if parts[0] == "adapters" and len(parts) > 2:
        return "/".join(parts[:-1])
    return parts[0]


def is_room_below(user, used):
    """Whether a room of actors stands behind another in the order."""
    rooms = [folder.split("/")[-1] for folder in (user, used)]
    if not used.startswith("actors/") or any(r not in ROOMS for r in rooms):
        return False
    return ROOMS.index(rooms[1]) < ROOMS.index(rooms[0])


def may_include(user, used):
    """Whether a file of one folder may include a header of another."""
    if user == used:
        return True
    if user.startswith("actors/"):
        return used == "messages" or is_room_below(user, used)
    if user.startswith("adapters/"):
        return (used == "messages"
                or used in ADAPTERS_MAY_USE.get(user, set()))
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
                if not name.startswith(RULES_MAY_USE):
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
        if path.split("/")[0] in ("messages", "actors"):
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
    """A folder with sources has a target of its own, or is part of the one
    above it."""
    out = []
    for path, text in tree.items():
        folder = path.rsplit("/", 1)[0]
        if (path.endswith("/CMakeLists.txt")
                and folder.split("/")[0] in ("messages", "actors", "adapters")
                and "add_subdirectory(" not in text
                and not re.search(r"^depositd_library\(", text,
                                  re.MULTILINE)):
            out.append(f"{path}: no library")
    return out


def check_rooms_are_in_order(tree):
    """No room is left out of the order, and the order has no room that is
    gone."""
    found = {path.split("/")[1] for path in cpp_files(tree)
             if re.match(r"actors/[^/]+/", path)}
    return ([f"actors/{room}: not in the order of rooms"
             for room in sorted(found - set(ROOMS))]
            + [f"actors/{room}: has no sources"
               for room in ROOMS if room not in found])


CHECKS = [check_direction, check_rules_are_pure,
          check_libraries_stay_behind_ports, check_cmake_lists_every_source,
          check_every_folder_is_a_library, check_rooms_are_in_order]
