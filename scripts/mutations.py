"""Single mistakes that can be made in a C++ source, as text: what programmers
get wrong. Each is written beside what it stands for, behind a switch, so that
one object has many of them (scripts/mutate); what does not compile is found out
by who tries it."""

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

# Whole statements.
CALL = re.compile(
    r"^(?=\w|\*|\(|\+\+|--)(?!return\b|if\b|for\b|while\b|else\b|case\b"
    r"|using\b|delete\b|throw\b|auto\b|const\b)"
    r"[\w.:>\-\[\]*()+]+(\(.*\)| = .*| [+\-|&]= .*);$")
CONDITION = re.compile(
    r"^((?:\} )?(?:else )?(?:if|while) \((?:[^;]*; )?)(?!.*;)(.*)(\)(?: \{)?)$")
LOOP = re.compile(r"^(for \([^;]*; )([^;]*)(; )([^;]*)(\)(?: \{)?)$")
VALUE = re.compile(r"^((?:static )?(?:const )?[\w:<>,]+[*&]? \w+ = )(.*)(;)$")
DECLARATION = re.compile(r"^(const |static )*[\w:<>, ]+[*&]? [*&]?\w+[({;]")
EARLY_END = re.compile(r"^return(;| \{\};| false;| true;| nullptr;)$")
BLOCK = re.compile(r"^(\} )?(else|if|for|while|do|switch|case|default|try"
                   r"|catch)\b")
HEAD = re.compile(r"^(\} )?(else|(else )?(if|while|for|switch) \(.*\))$")

IGNORED = re.compile(r"^(#|//|namespace|using|template|static_assert|case )"
                     r"|\blog(ged)?\b|\blog_|spdlog|\baudit\b|\bcrash_point\b"
                     r"|\bseeded_bug\b|\bassert\(|\breserve\(|_message_type")


def without_texts(line):
    """The same length, with quotes for texts and characters, and less for
    comments."""
    quote = lambda found: '"' * len(found.group())
    line = re.sub(r'"(\\.|[^"\\])*"', quote, line)
    line = re.sub(r"(?<!\d)'(\\.|[^'\\])'", quote, line)
    return re.sub(r"\s*//.*", "", line)


def is_whole(code):
    return code.count("(") == code.count(")") \
        and code.count("{") == code.count("}")


def is_over(code):
    return code[-1] in ";{}:" or (code.count("(") == code.count(")")
                                  and bool(HEAD.match(code)))


class Statement:
    """One, or the head of one, whatever number of lines it takes."""

    def __init__(self, first, indent):
        self.first = first  # line, from 1
        self.last = first
        self.indent = indent
        self.text = ""
        self.code = ""

    def add(self, number, text, code):
        blank = " " if self.text else ""
        self.last = number
        self.text += blank + text
        self.code += blank + code


def statements(source):
    now = None
    for number, line in enumerate(source.split("\n"), 1):
        code = without_texts(line)
        text = line[:len(code)].strip()
        code = code.strip()
        if not code or code.startswith("#"):
            continue
        if now is None:
            now = Statement(number, len(line) - len(line.lstrip()))
        now.add(number, text, code)
        if is_over(now.code):
            yield now
            now = None


class Mutation:
    """One statement of one file that says something else."""

    def __init__(self, path, kind, statement, after):
        self.path = path
        self.number = statement.first
        self.last = statement.last
        self.kind = kind
        self.before = statement.text
        self.after = after

    def switched(self, switch):
        return switched(self.before, self.after, switch)

    def __str__(self):
        return (f"{self.path}:{self.number}: {self.kind}\n"
                f"  - {self.before}\n  + {self.after}")


def switched(before, after, switch):
    """Both, of which the switch chooses one; None if that cannot be said."""
    for form, chosen in ((CONDITION, (2,)), (LOOP, (2, 4)), (VALUE, (2,))):
        was, now = form.match(before), form.match(after)
        if not was:
            continue
        if not now or any(a != b for i, (a, b) in enumerate(
                zip(was.groups(), now.groups()), 1) if i not in chosen):
            return None
        cast = "static_cast<bool>" if form is CONDITION else ""
        if cast and re.match(r"(const )?auto\b", was.group(2)):
            return None
        return "".join(
            a if a == b else f"({switch} ? {cast}({b}) : {cast}({a}))"
            for a, b in zip(was.groups(), now.groups()))
    if not before.endswith(";") or not is_whole(without_texts(before)):
        return None
    if before.startswith("return"):
        return f"{{ if ({switch}) {{ {after} }} else {{ {before} }} }}"
    if not re.match(r"[\w*(]|\+\+|--", before) \
            or DECLARATION.match(before):
        return None
    return f"{{ if ({switch}) {{ {after} }} else {{ {before} }} }}"


def says_one_thing(condition):
    """Its contrary is made by an exchange already."""
    return not re.search(r"&&|\|\|", condition) and bool(
        re.search(r" [!=]= ", condition)
        or re.match(r"!(?=[\w(*])", condition))


def last_ones(found):
    """Those that end a function, without which it would have no end: what a
    compiler makes of that is no mistake of anybody's."""
    out, openers, before = set(), [], None
    for x in found:
        if x.code.startswith("}") and openers:
            openers.pop()
        if x.code.startswith("return") and openers \
                and not BLOCK.match(openers[-1]) \
                and not (before and HEAD.match(before)):
            out.add(x.first)
        if x.code.endswith("{"):
            openers.append(x.code)
        before = x.code
    return out


def of_statement(text, code):
    """(kind, what it says then)"""
    for kind, pattern, instead in EXCHANGES:
        for found in re.finditer(pattern, code):
            yield kind, text[:found.start()] + instead + text[found.end():]
    if CALL.match(code):
        yield "not done", ";"
    if EARLY_END.match(code):
        yield "not ended", ";"
    found = CONDITION.match(code)
    if found:
        begin, end = found.span(2)
        if not says_one_thing(code[begin:end]):
            yield "contrary", f"{text[:begin]}!({text[begin:end]}){text[end:]}"
        yield "always", f"{text[:begin]}true{text[end:]}"
        yield "never", f"{text[:begin]}false{text[end:]}"


def of_source(path, source):
    """Every mutation of a file, inside of functions as it seems."""
    out, seen = [], set()
    found = list(statements(source))
    last = last_ones(found)
    for x in found:
        if x.indent < 2 or IGNORED.search(x.code):
            continue
        for kind, after in of_statement(x.text, x.code):
            if kind == "not ended" and x.first in last:
                continue
            if after != x.text and (x.first, after) not in seen \
                    and switched(x.text, after, "true"):
                seen.add((x.first, after))
                out.append(Mutation(path, kind, x, after))
    return out
