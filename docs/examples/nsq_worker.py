#!/usr/bin/env python3
"""A worker on NSQ's door, with pynsq: takes messages of a topic's channel and
lets a program do each.

    nsq_worker.py 127.0.0.1:4150 jobs encoder -- ./work

The program gets the body on standard input and the attempt in $ATTEMPT. Exit 0:
done; 75: try again later; anything else: given up, and what it wrote to
standard error is logged. While it works the message is kept by TOUCH, so it may
take its time. Works against nsqd as well.
"""

import argparse
import asyncio
import os
import sys

import nsq
import tornado.ioloop

TRY_AGAIN = 75  # EX_TEMPFAIL of sysexits.h


async def keep(message, every):
    """Until it is cancelled; the server must not think that we have died."""
    while True:
        await asyncio.sleep(every)
        message.touch()


async def work(message, given):
    keeping = asyncio.ensure_future(keep(message, given.touch))
    try:
        process = await asyncio.create_subprocess_exec(
            *given.program, stdin=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "ATTEMPT": str(message.attempts)})
        _, said = await process.communicate(message.body)
    finally:
        keeping.cancel()
    if process.returncode == 0:
        message.finish()
    elif process.returncode == TRY_AGAIN:
        # No backoff: one message's trouble does not slow the others.
        message.requeue(delay=given.retry_delay, backoff=False)
    else:
        print(f"given up: {said.decode(errors='replace').strip()}",
              file=sys.stderr, flush=True)
        message.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("address", help="HOST:PORT of the door")
    parser.add_argument("topic")
    parser.add_argument("channel")
    parser.add_argument("--at-once", type=int, default=4, metavar="N")
    parser.add_argument("--touch", type=float, default=1, metavar="SECONDS")
    parser.add_argument("--retry-delay", type=int, default=1,
                        metavar="SECONDS")
    parser.add_argument("--secret", help="a key, where one is asked for")
    parser.add_argument("program", nargs="+")
    given = parser.parse_args()

    def handle(message):
        message.enable_async()
        tornado.ioloop.IOLoop.current().add_callback(work, message, given)

    nsq.Reader(message_handler=handle, nsqd_tcp_addresses=[given.address],
               topic=given.topic, channel=given.channel,
               max_in_flight=given.at_once, max_tries=0,
               auth_secret=given.secret)
    nsq.run()


if __name__ == "__main__":
    main()
