"""A source tree as the checks see it: paths (from the root) and their text."""

import re
from pathlib import Path

FOLDERS = ("messages", "actors", "adapters", "config", "tests", "benchmarks",
           "docs", "scripts", "cmake", "packaging", ".ci")
FILES = ("CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md",
         "CONTRIBUTING.md", "VERSION", ".clang-format", ".gitignore")
CPP = (".cpp", ".hpp", ".c", ".h")
PACKED = (".xz", ".png")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def read_tree(root):
    """{path: text} of everything that is ours below a folder."""
    root = Path(root)
    paths = [root / name for name in FILES]
    for folder in FOLDERS:
        paths += (root / folder).rglob("*")
    tree = {}
    for path in sorted(paths):
        if path.is_file() and "__pycache__" not in path.parts \
                and path.suffix not in PACKED:
            name = path.relative_to(root).as_posix()
            tree[name] = path.read_text(encoding="utf-8", errors="replace")
    return tree


def cpp_files(tree):
    return {p: text for p, text in tree.items() if p.endswith(CPP)}


def includes(text):
    """[(is ours, spelled path, line)] of a C++ source."""
    return [(m.group(1) == '"', m.group(2), text.count("\n", 0, m.start()) + 1)
            for m in INCLUDE.finditer(text)]
