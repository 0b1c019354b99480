"""A private Kafka, and what the ordinary tool kcat reads from and writes to it,
for scripts and tests."""

import json
import os
import re
import select
import shutil
import subprocess
import tempfile
from pathlib import Path

SERVICES = Path(__file__).resolve().parent / "services"
NOT_INSTALLED = 3

# Sizes first, so that keys and values may be any bytes.
RECORD_FORMAT = r"%p %o %K %S %h\n%k%s\n"


class NoKafka(Exception):
    """The machine cannot run one; the text says why, in capitals."""


class KafkaFailed(Exception):
    """Something that should have worked did not."""


def services(action, *more, folder=None, service="kafka", timeout=420,
             wrapper=()):
    """`wrapper`: words before the command."""
    place = ["--folder", str(folder)] if folder else []
    return subprocess.run([*wrapper, str(SERVICES), action, *place, *more,
                           service],
                          capture_output=True, text=True, check=False,
                          timeout=timeout)


class Server:
    """Kafka or PostgreSQL in a folder of its own; `address` is what the
    engine is told. `wrapper`: words before commands that start and end it."""

    def __init__(self, service="kafka", wrapper=()):
        self.service = service
        self.wrapper = wrapper
        self.folder = tempfile.mkdtemp(prefix=f"depositd-{service}-")
        Path(self.folder).chmod(0o755)
        self.address = ""

    def start(self):
        """On the port that it had, if it had one."""
        port = re.search(r":(\d+)(/|$)", self.address)
        more = ("--port", port.group(1)) if port else ()
        started = services("start", "--until", str(os.getpid()), *more,
                           folder=self.folder, service=self.service,
                           wrapper=self.wrapper)
        if started.returncode == NOT_INSTALLED:
            raise NoKafka(started.stderr.strip())
        if started.returncode != 0:
            raise KafkaFailed(started.stderr)
        self.address = started.stdout.strip()
        return self

    def stop(self):
        services("stop", folder=self.folder, service=self.service,
                 wrapper=self.wrapper)

    def kill(self):
        services("kill", folder=self.folder, service=self.service,
                 wrapper=self.wrapper)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Record:
    """One record as kcat shows it."""

    def __init__(self, partition, offset, key, value, headers):
        self.partition = partition
        self.offset = offset
        self.key = key
        self.value = value
        self.headers = headers

    def header(self, name):
        """Its value, as far as it has no comma."""
        found = re.search(rf"(?:^|,){re.escape(name)}=([^,]*)", self.headers)
        return found.group(1) if found else None

    def document(self):
        return json.loads(self.value)


def split_records(output):
    """What kcat prints in RECORD_FORMAT, as far as it is whole, and the rest
    of it."""
    records, at = [], 0
    while (end := output.find(b"\n", at)) >= 0:
        partition, offset, key_size, size, headers = \
            output[at:end].split(b" ", 4)
        key_end = end + 1 + max(0, int(key_size))
        value_end = key_end + max(0, int(size))
        if value_end >= len(output):
            break
        records.append(Record(
            int(partition), int(offset), output[end + 1:key_end],
            output[key_end:value_end], headers.decode(errors="replace")))
        at = value_end + 1
    return records, output[at:]


def parse_records(output):
    """The same for what is all there."""
    records, rest = split_records(output)
    if rest:
        raise KafkaFailed(f"kcat ended within a record: {rest[:200]}")
    return records


def consumer_command(brokers, topic, *more):
    """kcat, which shows a topic from its beginning."""
    return ["kcat", "-C", "-b", brokers, "-t", topic, "-o", "beginning", "-q",
            "-X", "allow.auto.create.topics=false", "-f", RECORD_FORMAT,
            *more]


class Tail:
    """A topic that exists, read as its records come."""

    def __init__(self, brokers, topic):
        self.process = subprocess.Popen(
            consumer_command(brokers, topic, "-u"), stdout=subprocess.PIPE)
        self.rest = b""

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def records(self, patience):
        """What has come since the last call; waits so many seconds for more
        if that is nothing."""
        out = self.process.stdout
        while select.select([out], [], [], patience)[0]:
            part = os.read(out.fileno(), 1 << 20)
            if not part:
                raise KafkaFailed("kcat has ended")
            self.rest += part
            patience = 0
        records, self.rest = split_records(self.rest)
        return records


def read_topic(brokers, topic, timeout=120):
    """Every record that the topic has now."""
    done = subprocess.run(
        consumer_command(brokers, topic, "-e", "-X", "fetch.wait.max.ms=50"),
        capture_output=True, check=False, timeout=timeout)
    if done.returncode != 0:
        raise KafkaFailed(done.stderr.decode(errors="replace"))
    return parse_records(done.stdout)


def producer_command(brokers, topic, *more):
    """kcat, which reads one record per line: the key, a tab, the value. It
    keeps trying for five minutes while brokers are away."""
    return ["kcat", "-P", "-b", brokers, "-t", topic, "-K", "\t", "-X",
            "enable.idempotence=true", "-X", "message.timeout.ms=300000",
            "-X", "reconnect.backoff.max.ms=1000", *more]


def deposit_record(user, name, payload, **more):
    """The line for `producer_command` that is a deposit."""
    document = {"id": name, "user": user, "type": "doMDUpload",
                "payload": payload, **more}
    return f"{user}\t{json.dumps(document)}\n".encode()


def produce(brokers, topic, lines, *more, timeout=300):
    """`more` are words for kcat."""
    done = subprocess.run(producer_command(brokers, topic, *more),
                          input=b"".join(lines), capture_output=True,
                          check=False, timeout=timeout)
    if done.returncode != 0:
        raise KafkaFailed(done.stderr.decode(errors="replace"))


def outcomes(records):
    """By event id; a repetition that differs is an error."""
    out = {}
    for record in records:
        event = record.document()
        known = out.setdefault(event["event_id"], event)
        if known != event:
            other = {key: (known.get(key), event.get(key))
                     for key in known.keys() | event.keys()
                     if known.get(key) != event.get(key)}
            raise KafkaFailed(f"{event['event_id']} was repeated with other "
                              f"{other}")
        if record.header("event-id") != event["event_id"]:
            raise KafkaFailed(f"the header of {event} is {record.headers}")
        if record.key.decode() != event["user"]:
            raise KafkaFailed(f"the key of {event} is {record.key}")
    return out
