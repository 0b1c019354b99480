"""A private Kafka, and what the ordinary tool kcat reads from and writes to it,
for scripts and tests."""

import json
import os
import re
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


def parse_records(output):
    """What kcat prints in RECORD_FORMAT."""
    records, at = [], 0
    while at < len(output):
        end = output.index(b"\n", at)
        partition, offset, key_size, size, headers = \
            output[at:end].split(b" ", 4)
        key_end = end + 1 + max(0, int(key_size))
        value_end = key_end + max(0, int(size))
        records.append(Record(
            int(partition), int(offset), output[end + 1:key_end],
            output[key_end:value_end], headers.decode(errors="replace")))
        at = value_end + 1
    return records


def read_topic(brokers, topic, timeout=120):
    """Every record that the topic has now."""
    done = subprocess.run(
        ["kcat", "-C", "-b", brokers, "-t", topic, "-o", "beginning", "-e",
         "-q", "-X", "allow.auto.create.topics=false", "-f", RECORD_FORMAT],
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
