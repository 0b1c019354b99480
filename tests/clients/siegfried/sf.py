"""siegfried as `sf -json FILE...`, from its library: for where there is no sf.

Prints what sf prints, one document, and ends with 0 also where a file could not
be read: its entry has the error.
"""

import json
import sys

import pygfried


def main(arguments):
    if arguments[:1] != ["-json"]:
        print("usage: sf -json FILE...", file=sys.stderr)
        return 2
    files = arguments[1:]
    if not files:
        print(json.dumps({"siegfried": pygfried.version(), "files": []}))
        return 0
    document = pygfried.identify_many(files)
    print(json.dumps(document))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
