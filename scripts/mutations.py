"""Single mistakes that can be made in a C++ source, as text: what programmers
get wrong. Most change what the program does; what does not compile, or is the
same to the compiler, is found out by who tries them (scripts/mutate)."""

import re

# (name, pattern, replacement). A pattern meets code only: texts and comments
# are blanked before it looks.
EXCHANGES = [
    ("other bound", r"(?<![<\-=:])<(?![<=:])(?= )", "<="),
    ("other bound", r" <= ", " < "),
    ("other bound", r"(?<![\->]) > ", " >= "),
    ("other bound", r" >= ", " > "),
    ("contrary", r" == ", " != "),
    ("contrary", r" != ", " == "),
    ("other word", r" && ", " || "),
    ("other word", r" \|\| ", " && "),
    ("contrary", r"(?<=[( ])!(?=[\w(*])", ""),
    ("contrary", r"\btrue\b", "false"),
    ("contrary", r"\bfalse\b", "true"),
    ("other sum", r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
    ("other sum", r"(?<=[\w)\]]) - (?=[\w(])", " + "),
    ("other sum", r" \+= ", " -= "),
    ("other sum", r" -= ", " += "),
    ("not added", r" \+= ", " = "),
    ("one more", r"(?<=[ (\[{])1(?=[;,)\]} ])", "2"),
    ("one more", r"(?<=[ (\[{])0(?=[;,)\]} ])", "1"),
    ("other way", r"\+\+(?=\w)", "--"),
    ("other way", r"--(?=\w)", "++"),
    ("other end", r"\bstd::min\b", "std::max"),
    ("other end", r"\bstd::max\b", "std::min"),
    ("other end", r"\.front\(\)", ".back()"),
    ("other end", r"\.back\(\)", ".front()"),
    ("other end", r"\blower_bound\b", "upper_bound"),
    ("other end", r"\bupper_bound\b", "lower_bound"),
    ("goes on", r"\bbreak;", "continue;"),
    ("goes on", r"\bcontinue;", "break;"),
]

# Whole lines.
STATEMENT = re.compile(
    r"^\s+(?!return\b|if\b|for\b|while\b|else\b|case\b|using\b|delete\b|throw\b"
    r"|auto\b|const\b)[\w.:>\-\[\]*()+]+(\(.*\)| = .*| [+\-|&]= .*);$")
CONDITION = re.compile(
    r"^(\s+)(\} else )?if \((?!auto|const auto|.*;)(.*)\)( \{)?$")
EARLY_END = re.compile(r"^\s+return(;| \{\};| false;| true;| nullptr;)$")

IGNORED = re.compile(r"^\s*(#|//|namespace|using|template|static_assert|\})"
                     r"|\blog(ged)?\b|\blog_|spdlog|\baudit\b|\bcrash_point\b"
                     r"|\bseeded_bug\b|\bassert\(|\breserve\(|_message_type")


def without_texts(line):
    """The same length, with blanks for texts, characters and comments."""
    blank = lambda found: " " * len(found.group())
    line = re.sub(r'"(\\.|[^"\\])*"', blank, line)
    line = re.sub(r"(?<!\d)'(\\.|[^'\\])'", blank, line)
    return re.sub(r"//.*", blank, line)


class Mutation:
    """One line of one file that says something else."""

    def __init__(self, path, number, kind, before, after):
        self.path = path
        self.number = number  # from 1
        self.kind = kind
        self.before = before
        self.after = after

    def text(self, source):
        lines = source.split("\n")
        assert lines[self.number - 1] == self.before
        lines[self.number - 1] = self.after
        return "\n".join(lines)

    def __str__(self):
        return (f"{self.path}:{self.number}: {self.kind}\n"
                f"  - {self.before.strip()}\n  + {self.after.strip()}")


def of_line(line):
    """(kind, line after it)"""
    code = without_texts(line)
    for kind, pattern, instead in EXCHANGES:
        for found in re.finditer(pattern, code):
            yield kind, line[:found.start()] + instead + line[found.end():]
    if STATEMENT.match(code):
        indent = len(line) - len(line.lstrip())
        yield "not done", line[:indent] + ";"
    if EARLY_END.match(code):
        indent = len(line) - len(line.lstrip())
        yield "not ended", line[:indent] + ";"
    found = CONDITION.match(code)
    if found and found.group(3).count("(") == found.group(3).count(")"):
        begin, end = found.start(3), found.end(3)
        yield "contrary", f"{line[:begin]}!({line[begin:end]}){line[end:]}"
        yield "always", f"{line[:begin]}true{line[end:]}"
        yield "never", f"{line[:begin]}false{line[end:]}"


def of_source(path, source):
    """Every mutation of a file, inside of functions as it seems."""
    out, seen = [], set()
    for number, line in enumerate(source.split("\n"), 1):
        if not line.startswith("  ") or IGNORED.search(without_texts(line)):
            continue
        for kind, after in of_line(line):
            if after != line and (number, after) not in seen:
                seen.add((number, after))
                out.append(Mutation(path, number, kind, line, after))
    return out
