"""A queue of SQS as another client sees it: curl signs the requests."""

import json
import subprocess
from urllib.parse import urlsplit

ACCESS_KEY = "depositd-test"  # of scripts/service_sqs
SECRET_KEY = "only/for+tests"
BATCH_MAX = 10  # of SQS


class SqsFailed(Exception):
    """The server refused; the text is what it said."""


class SqsQueue:
    """A queue of its own on the private server; `url` is what sources want."""

    def __init__(self, address, name):
        """`address`: http://127.0.0.1:PORT."""
        self.address = address
        made = self.call("CreateQueue", QueueName=name)
        self.url = address + urlsplit(made["QueueUrl"]).path

    def call(self, action, **fields):
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--fail-with-body", "--user",
             f"{ACCESS_KEY}:{SECRET_KEY}", "--aws-sigv4",
             "aws:amz:us-east-1:sqs", "-H",
             "Content-Type: application/x-amz-json-1.0", "-H",
             f"X-Amz-Target: AmazonSQS.{action}", "--data-binary", "@-",
             self.address + "/"],
            input=json.dumps(fields).encode(), capture_output=True,
            check=False, timeout=120)
        if done.returncode != 0:
            raise SqsFailed((done.stderr + done.stdout).decode(
                errors="replace").strip())
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def send(self, bodies):
        """Texts; returns the ids of their messages."""
        out = []
        bodies = list(bodies)
        for first in range(0, len(bodies), BATCH_MAX):
            found = self.call(
                "SendMessageBatch", QueueUrl=self.url,
                Entries=[{"Id": str(i), "MessageBody": body} for i, body
                         in enumerate(bodies[first:first + BATCH_MAX])])
            if found.get("Failed"):
                raise SqsFailed(str(found["Failed"]))
            out += [x["MessageId"] for x in
                    sorted(found["Successful"], key=lambda x: int(x["Id"]))]
        return out

    def left(self):
        """Messages that it has, those that somebody has received too."""
        found = self.call("GetQueueAttributes", QueueUrl=self.url,
                          AttributeNames=["All"])["Attributes"]
        return sum(int(found[f"ApproximateNumberOfMessages{what}"])
                   for what in ("", "NotVisible", "Delayed"))


def key_files(folder):
    """The account's options for a source."""
    out = {}
    for option, text in (("access_key_file", ACCESS_KEY),
                         ("secret_key_file", SECRET_KEY)):
        path = folder / option
        path.write_text(text + "\n")
        path.chmod(0o600)
        out[option] = path
    return out
