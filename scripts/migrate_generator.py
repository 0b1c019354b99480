#!/usr/bin/env python3
"""A system that is asked by a program: prints its next records, one JSON object
per line, as a source of kind `exec` wants them.

    migrate_generator.py NAME COUNT [BATCH_MAX] [DELAY_S]

There are COUNT records, numbered from 1. DEPOSITD_CURSOR is the number of the
last one that was read, DEPOSITD_LIMIT how many may be printed; more than
BATCH_MAX never are. DELAY_S: what asking this system takes.
"""

import os
import sys
import time

OWNERS = 7  # users to whom records belong, in turn


def record_id(name, number):
    """Keys of 16 characters as long as the name has 6."""
    return f"{name}-{number:09}"


def main():
    name, count = sys.argv[1], int(sys.argv[2])
    limit = int(os.environ["DEPOSITD_LIMIT"])
    if len(sys.argv) > 3:
        limit = min(limit, int(sys.argv[3]))
    if len(sys.argv) > 4:
        time.sleep(float(sys.argv[4]))
    first = int(os.environ["DEPOSITD_CURSOR"] or "0") + 1
    lines = [f'{{"id":"{record_id(name, n)}","number":{n},'
             f'"owner":"owner-{n % OWNERS}"}}\n'
             for n in range(first, min(first + limit, count + 1))]
    sys.stdout.write("".join(lines))


if __name__ == "__main__":
    main()
