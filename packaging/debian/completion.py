"""Prints a completion for bash of a program, out of what --help says of it and
of its commands: completion.py PROGRAM"""

import re
import subprocess
import sys
from pathlib import Path

COMMAND = re.compile(r"^  ([a-z][a-z0-9-]*)(?=\s{2,}|$)")
OPTION = re.compile(r"^  (?:-\w,)?(--[a-z][a-z0-9-]*)")


def parts(program, words):
    """(commands, options) below these words."""
    said = subprocess.run([program, *words, "--help"], check=True, text=True,
                          capture_output=True).stdout
    commands, options = [], []
    section = ""
    for line in said.splitlines():
        if line and not line.startswith(" "):
            section = line.rstrip(":")
        elif section == "Subcommands" and (found := COMMAND.match(line)):
            commands.append(found[1])
        elif found := OPTION.match(line):
            options.append(found[1])
    return commands, options


def table(program, words=()):
    """A line of the case for these words, and for all below them."""
    commands, options = parts(program, words)
    yield (" ".join(words), " ".join(commands + options))
    for one in commands:
        if one != "watch":  # which takes a command again
            yield from table(program, (*words, one))


def main():
    program = sys.argv[1]
    name = Path(program).name
    print(f"""# bash completion of {name}
_{name}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    case $word in
      -*) ;;
      *) [[ $word =~ ^[a-z][a-z0-9-]*$ ]] && words="$words${{words:+ }}$word" ;;
    esac
  done
  local next=""
  while :; do
    case $words in""")
    for words, there in table(program):
        print(f'      "{words}") next="{there}"; break ;;')
    print(f"""    esac
    # What stands last is no command but a value.
    [[ $words == *" "* ]] && words=${{words% *}} || words=""
  done
  mapfile -t COMPREPLY < <(compgen -W "$next" -- "$current")
}}
complete -o default -F _{name} {name}""")


if __name__ == "__main__":
    main()
