"""The rules of docs/STYLE.md that a machine can hold.

Every check takes a tree and returns complaints; an empty list is a pass.
"""

import re

from tree import CPP, cpp_files

COLUMNS_MAX = 80
FILE_LINES_MAX = 400      # the budget is 300; over that, a name is missing
TEST_LINES_MAX = 600      # one behaviour after another; longer hides some
FUNCTION_LINES_MAX = 80   # the budget is 60

LEFT_OVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.}~])/(work|home|root|Users)/")
TEMPORARY_PATH = re.compile(r"(?<![\w.}~])/tmp(/|\b)")
# A registry's own hosts; its name inside an XML namespace or schema location
# (www.) is part of the data format.
REGISTRY_HOST = re.compile(
    r"(doi|api|test|data|apps|queue)\.cross" r"ref\.org"
    r"|mds\.(test\.)?data" r"cite\.org|(dx\.)?doi\.org/ra\b", re.IGNORECASE)


def lines_of(tree, endings=None):
    for path, text in tree.items():
        if endings is None or path.endswith(endings):
            for number, line in enumerate(text.split("\n"), 1):
                yield path, number, line


def check_white_space(tree):
    out = []
    for path, number, line in lines_of(tree):
        if path.endswith((".xml", ".go", "go.mod")):  # gofmt wants tabs
            continue
        if "\t" in line:
            out.append(f"{path}:{number}: tab")
        if line != line.rstrip():
            out.append(f"{path}:{number}: blanks at the end")
    return out


def check_columns(tree):
    return [f"{path}:{number}: {len(line)} columns"
            for path, number, line in lines_of(tree, CPP + (".py",))
            if len(line) > COLUMNS_MAX and "clang-format off" not in line
            and not re.search(r"https?://\S{40}", line)]


def check_left_overs(tree):
    return [f"{path}:{number}: {LEFT_OVER.search(line).group()}"
            for path, number, line in lines_of(tree)
            if LEFT_OVER.search(line) and not path.endswith(".xml")]


def check_no_machine_paths(tree):
    out = []
    for path, number, line in lines_of(tree):
        bad = MACHINE_PATH.search(line)
        if not bad and not path.startswith(("tests/", "docs/", "benchmarks/")):
            bad = TEMPORARY_PATH.search(line)
        if bad and not line.startswith("#!") and "${TMPDIR:-" not in line:
            out.append(f"{path}:{number}: path of one machine: {bad.group()}")
    return out


def check_no_registry_hosts(tree):
    return [f"{path}:{number}: {REGISTRY_HOST.search(line).group()}"
            for path, number, line in lines_of(tree)
            if REGISTRY_HOST.search(line)]


def check_file_length(tree):
    out = []
    for path, text in tree.items():
        count = text.count("\n")
        if path.endswith(CPP + (".py",)):
            most = FILE_LINES_MAX
            if path.startswith("tests/"):
                most = TEST_LINES_MAX
            if count > most:
                out.append(f"{path}: {count} lines")
    return out


def functions(text):
    """[(first line, line count)] of function bodies, by clang-format's
    layout: a definition starts in column 0 and ends with a brace there."""
    out, start = [], None
    no_function = re.compile(
        r"^(namespace|class|struct|enum|union|extern|using|template\b.*>$|"
        r"public:|private:|protected:|[})/#]|$)")
    for number, line in enumerate(text.split("\n"), 1):
        if start is None:
            if line[:1].strip() and not no_function.match(line):
                start = number
        if start is not None and line.rstrip().endswith(";") \
                and line[:1].strip() and not line.startswith("}"):
            start = None
        elif start is not None and line.startswith("}"):
            out.append((start, number - start + 1))
            start = None
    return out


def check_function_length(tree):
    return [f"{path}:{start}: function of {count} lines"
            for path, text in cpp_files(tree).items()
            for start, count in functions(text)
            if count > FUNCTION_LINES_MAX]


def check_headers_are_guarded(tree):
    return [f"{path}: no #pragma once" for path, text in tree.items()
            if path.endswith(".hpp") and "#pragma once" not in text]


def check_tests_do_not_sleep(tree):
    """A test waits for a signal. A line may say why it cannot: `sleeps:`."""
    sleep = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\s*\(")
    return [f"{path}:{number}: sleeps"
            for path, number, line in lines_of(tree, CPP)
            if path.startswith("tests/") and sleep.search(line)
            and "sleeps:" not in line]


def check_every_error_is_tested(tree):
    """Each enumerator of `ec` appears in a test."""
    found = re.search(r"enum class ec[^{]*\{(.*?)\};",
                      tree.get("messages/values/errors.hpp", ""), re.DOTALL)
    if not found:
        return []
    body = re.sub(r"//.*", "", found.group(1))
    names = re.findall(r"\b([a-z_]\w*)\s*(?:=[^,]*)?(?:,|$)", body.strip())
    tests = "".join(t for p, t in tree.items()
                    if p.startswith("tests/") and p.endswith(CPP))
    return [f"messages/values/errors.hpp: no test mentions ec::{name}"
            for name in names if f"ec::{name}" not in tests]


CHECKS = [check_white_space, check_columns, check_left_overs,
          check_no_machine_paths, check_no_registry_hosts, check_file_length,
          check_function_length, check_headers_are_guarded,
          check_tests_do_not_sleep, check_every_error_is_tested]
