"""gnsq, unchanged, publishes and consumes; nsq_clients_test.py judges."""

import gevent.monkey
gevent.monkey.patch_all()

# pylint: disable=wrong-import-position
import json
import sys

import gevent
import gnsq

given = json.loads(sys.argv[1])
options = {"tls_v1": given["tls"], "snappy": given["snappy"],
           "deflate": given["deflate"], "user_agent": "gnsq-test"}
if given["tls"]:
    options["tls_options"] = {"ca_certs": given["ca"]}
told = {"bodies": {}, "attempts": {}}
half = given["messages"] // 2

# Its producers take the OK of an agreed layer for the answer to a publish and
# fail, at nsqd too; so they go without.
producer = gnsq.Producer(given["tcp"])
producer.start()
for n in range(half):
    producer.publish(given["topic"], str(n).encode())
producer.multipublish(given["topic"], [str(n).encode() for n in
                                       range(half, given["messages"])])

consumer = gnsq.Consumer(given["topic"], "ch", given["tcp"],
                         max_in_flight=10, requeue_delay=100,
                         max_backoff_duration=0, **options)


@consumer.on_message.connect
def handle(_, message):
    body = message.body.decode()
    told["attempts"].setdefault(body, []).append(message.attempts)
    if int(body) % 10 == 0 and message.attempts == 1:
        raise gnsq.errors.NSQRequeueMessage()
    told["bodies"][body] = told["bodies"].get(body, 0) + 1


consumer.start(block=False)
while len(told["bodies"]) < given["messages"]:
    gevent.sleep(0.05)
gevent.sleep(0.5)  # after the last FIN has left
consumer.close()
producer.close()
print(json.dumps(told), flush=True)
