"""pynsq, unchanged, publishes and consumes; nsq_clients_test.py judges."""

import json
import sys

import nsq
import tornado.ioloop

given = json.loads(sys.argv[1])
options = {"tls_v1": given["tls"], "snappy": given["snappy"],
           "deflate": given["deflate"], "user_agent": "pynsq-test"}
if given["tls"]:
    options["tls_options"] = {"ca_certs": given["ca"]}
told = {"bodies": {}, "attempts": {}}
loop = tornado.ioloop.IOLoop.current


def finish():
    print(json.dumps(told), flush=True)
    loop().stop()


def handle(message):
    body = message.body.decode()
    told["attempts"].setdefault(body, []).append(message.attempts)
    if int(body) % 10 == 0 and message.attempts == 1:
        return False  # requeued by the client
    told["bodies"][body] = told["bodies"].get(body, 0) + 1
    if len(told["bodies"]) == given["messages"]:
        # After the last FIN has left.
        loop().call_later(0.5, finish)
    return True


def publish():
    if not writer.conns:
        loop().call_later(0.05, publish)
        return
    half = given["messages"] // 2
    for n in range(half):
        writer.pub(given["topic"], str(n).encode(), check)
    writer.mpub(given["topic"], [str(n).encode() for n in
                                 range(half, given["messages"])], check)


def check(_, answer):
    if answer != b"OK":
        print(f"publishing: {answer!r}", file=sys.stderr)
        sys.exit(1)


reader = nsq.Reader(
    message_handler=handle, nsqd_tcp_addresses=[given["tcp"]],
    topic=given["topic"], channel="ch", max_in_flight=10, requeue_delay=0,
    max_backoff_duration=0.1, **options)
writer = nsq.Writer([given["tcp"]], **options)
loop().call_later(0.1, publish)
nsq.run()
