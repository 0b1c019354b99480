"""What the life of `work.py` has besides since there is more to have:
operators, topics and channels, batches with their jobs and objects."""

import http.client
import shutil
from pathlib import Path

import poster_door
from harness import wait_until
from look import PASSWORDS, steady
from work import SETTINGS, Work

CHANNEL = ("news", "mail")
NEWS = [f"news {n}".encode() for n in range(5)]
# A stage that needs no file of another one.
HELD_AT = "merritt.estimate"
# A store that publishes its outcomes keeps them for Kafka, which may be away.
NO_BROKER = "127.0.0.1:9"
PIPELINES = Path(__file__).resolve().parents[2] / "config/pipelines"
MOMENTARY = {"messages", "requeued", "timed_out", "bytes"}


def further_settings(store, folder):
    """Of an engine that has what is here. Engines that share shards would need
    storage that they share, so only one that is alone has pipelines."""
    place = Path(folder) / "pipelines"
    place.mkdir(exist_ok=True)
    if store == "embedded":
        shutil.copy(PIPELINES / "merritt.yaml", place)
    return {**SETTINGS, "pipelines.folder": str(place),
            "kafka.brokers": NO_BROKER, "nsq.http.listen": "127.0.0.1:0"}


def look_further(engine):
    out = {
        "operators": engine.rows("operator", "list"),
        "tokens": engine.rows("operator", "token", "list"),
        "topics": engine.rows("topic", "list"),
        "channels": engine.rows("channel", "list"),
        "batches": engine.rows("batch", "list"),
        "jobs": engine.rows("job", "list"),
        "objects": engine.rows("object", "list"),
    }
    return without(steady(out), MOMENTARY)


def without(shown, names):
    if isinstance(shown, dict):
        return {key: without(value, names) for key, value in shown.items()
                if key not in names}
    if isinstance(shown, list):
        return [without(value, names) for value in shown]
    return shown


class FurtherWork(Work):
    def operators_settings(self):
        super().operators_settings()
        self.operators()
        self.topics()
        if "merritt" in self.engine.ctl("pipeline", "list"):
            self.batches()

    def operators(self):
        ctl = self.engine.ctl
        ctl("operator", "add", "anna", "--role", "operate", "--users",
            "boris,chidi", "--password-stdin", text="secret of anna\n")
        ctl("operator", "add", "robot", "--role", "look")
        ctl("operator", "token", "add", "robot", "--token-name", "night",
            "--token-stdin", text="a-token-of-the-robot-thirty-two-long\n")

    def topics(self):
        self.engine.ctl("channel", "create", *CHANNEL)
        self.engine.ctl("channel", "pause", *CHANNEL)
        line = http.client.HTTPConnection(*self.engine.address("nsq_http"),
                                          timeout=60)
        try:
            for body in NEWS:
                line.request("POST", f"/pub?topic={CHANNEL[0]}", body)
                answer = line.getresponse()
                if answer.read() != b"OK":
                    raise ValueError(f"/pub: {answer.status}")
        finally:
            line.close()

    def batches(self):
        self.engine.ctl("collection", "add", "books", "--owner", "amelie")
        done = self.submit("done")
        wait_until(lambda: self.engine.ask("batch", "show", done)["state"]
                   == "completed", pause=0.2)
        self.engine.ctl("pipeline", "pause", HELD_AT)
        self.submit("held")
        wait_until(lambda: self.engine.rows("job", "list", "--state",
                                            "estimating"))

    def submit(self, name):
        return poster_door.submit(
            self.engine.address("http"), "amelie", PASSWORDS["amelie"],
            {"profile": "books", "type": "file", "localIdentifier": name},
            f"{name}.txt", f"what is {name}\n".encode())
