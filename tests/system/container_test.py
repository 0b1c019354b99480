"""The container: its compose file holds together, and what it tells the engine
works with a real PostgreSQL that wants the password and a real Kafka that has
the broker's settings. The image is built by buildah and started, with
DEPOSITD_PACKAGE_ROOT (a Debian 12 as debootstrap makes it) and where the kernel
lets it."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import yaml

from deposit_door import Door
from engine import Engine
from harness import PROGRAMS, ROOT, SystemTest, a_deposit, main, wait_until
from kafka_tools import (NOT_INSTALLED, Server, deposit_record, outcomes,
                         produce, read_topic, services)

FOLDER = ROOT / "packaging/container"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
IMAGE_SETTINGS = FOLDER / "depositd.yaml"
# Where its listeners are and what it is called is a matter of the network.
OF_THE_NETWORK = re.compile("KAFKA_(NODE_ID|PROCESS_ROLES|.*LISTENER.*|"
                            "CONTROLLER_QUORUM_VOTERS|LOG_DIRS)")


def settings_of(command):
    """{key: value} of what stands behind --set."""
    if command[::2] != ["--set"] * (len(command) // 2):
        raise ValueError(f"not only settings: {command}")
    return dict(x.split("=", 1) for x in command[1::2])


class ComposeFile(unittest.TestCase):
    """Without anything that runs."""

    def test_what_is_named_is_there(self):
        known = COMPOSE["services"]
        for name, service in known.items():
            for other, how in service.get("depends_on", {}).items():
                self.assertIn(other, known, name)
                if how["condition"] == "service_healthy" \
                        and known[other]["image"] != "localhost/depositd":
                    self.assertIn("healthcheck", known[other], name)
            for volume in service.get("volumes", []):
                self.assertIn(volume.split(":")[0], COMPOSE["volumes"], name)
            for secret in service.get("secrets", []):
                self.assertIn(secret, COMPOSE["secrets"], name)
        self.assertIn("HEALTHCHECK", (FOLDER / "Containerfile").read_text())

    def test_images_of_others_have_versions(self):
        for name, service in COMPOSE["services"].items():
            self.assertRegex(service["image"],
                             r"^localhost/depositd$|:[\d.]+$", name)

    def test_nothing_is_open_to_other_machines(self):
        for name, service in COMPOSE["services"].items():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), (name, port))

    def test_what_is_durable_is_on_a_volume(self):
        kafka = COMPOSE["services"]["kafka"]
        self.assertEqual([f"kafka:{kafka['environment']['KAFKA_LOG_DIRS']}"],
                         kafka["volumes"])
        state = yaml.safe_load(IMAGE_SETTINGS.read_text())["data"]["folder"]
        self.assertEqual(COMPOSE["services"]["depositd"]["volumes"],
                         [f"state:{state}"])
        self.assertIn(f"VOLUME {state}\n",
                      (FOLDER / "Containerfile").read_text())


class Composed(SystemTest):
    """The engine as the compose file has it; the places are here."""

    PASSWORD = "s3cret of compose"

    def setUp(self):
        super().setUp()
        for service in ("kafka", "postgres"):
            tried = services("installed", service=service)
            if tried.returncode == NOT_INSTALLED:
                self.skipTest(tried.stderr.strip().upper())

    def server(self, service):
        out = Server(service)
        self.addCleanup(out.remove)
        return out

    def postgres(self):
        """One that wants the password, and whom."""
        server = self.server("postgres")
        server.start()
        asked = COMPOSE["services"]["postgres"]["environment"]
        user, name = asked["POSTGRES_USER"], asked["POSTGRES_DB"]
        access = Path(server.folder, "postgres/data/pg_hba.conf")
        access.write_text("host all all 127.0.0.1/32 scram-sha-256\n"
                          "local all all trust\n")
        subprocess.run(
            ["psql", server.address, "-Xqc",
             f"ALTER USER {user} PASSWORD '{self.PASSWORD}'",
             "-c", "SELECT pg_reload_conf()"], check=True,
            stdout=subprocess.DEVNULL)
        self.assertTrue(server.address.endswith(f"/{name}"))
        self.assertIn(f"//{user}@", server.address)
        return re.search(r"127.0.0.1:\d+", server.address)[0]

    def kafka(self):
        """One with the settings that have nothing to do with its network."""
        server = self.server("kafka")
        folder = Path(server.folder, "kafka")
        folder.mkdir()
        asked = COMPOSE["services"]["kafka"]["environment"]
        (folder / "more.properties").write_text("".join(
            f"{key[6:].lower().replace('_', '.')}={value}\n"
            for key, value in asked.items() if not OF_THE_NETWORK.match(key)))
        return server.start().address

    def test_it_takes_deposits_and_records_as_it_says(self):
        postgres, kafka = self.postgres(), self.kafka()
        secret = self.folder / "postgres-password"
        secret.write_text(self.PASSWORD + "\n")
        service = COMPOSE["services"]["depositd"]
        self.assertEqual(COMPOSE["secrets"]["postgres"]["file"],
                         f"./{secret.name}")
        told = settings_of(service["command"])
        told["store.url"] = told["store.url"].replace("@postgres/",
                                                      f"@{postgres}/")
        self.assertEqual(told["kafka.brokers"], "kafka:9092")
        told["kafka.brokers"] = kafka
        self.assertEqual(told["store.password_file"], "/run/secrets/postgres")
        told["store.password_file"] = str(secret)
        engine = InImage(PROGRAMS, self.folder / "data", told)
        self.addCleanup(engine.kill)
        engine.start()
        # What the service of the topics does.
        topics = COMPOSE["services"]["topics"]["entrypoint"]
        self.assertEqual(topics[0], "depositctl")
        wait_until(lambda: engine.ctl_result(*topics[1:]).returncode == 0)
        door = self.depositor(engine, "press")
        self.assertTrue(door.deposit("a.xml", a_deposit("a")).accepted)
        produce(kafka, "deposits.in", [
            deposit_record("ann", "b.xml", a_deposit("b").decode())])
        wait_until(lambda: {x["id"] for x in outcomes(
            read_topic(kafka, "deposits.out")).values()} == {"a.xml", "b.xml"})
        self.assertEqual(engine.stop(), 0)


class InImage(Engine):
    """As the image's entry point starts it; only places are others."""

    def command(self):
        return [str(self.programs / "depositd"), "--config",
                str(IMAGE_SETTINGS), "--data", str(self.data),
                *(word for key, value in self.settings.items()
                  for word in ("--set", f"{key}={value}"))]


class Image(SystemTest):
    NAME = "localhost/depositd-test"

    def skip(self, why):
        print(f"SKIPPED: {why}", flush=True)
        self.skipTest(why)

    def setUp(self):
        root = os.environ.get("DEPOSITD_PACKAGE_ROOT")
        if not root:
            self.skip("DEPOSITD_PACKAGE_ROOT names no folder with a Debian 12")
        for needed in ("buildah", "debootstrap", "dpkg-buildpackage"):
            if not shutil.which(needed):
                self.skip(f"{needed} is missing (scripts/setup --all)")
        super().setUp()
        self.root = Path(root)
        if not self.root.exists():
            self.run_words("debootstrap", "--variant=minbase", "bookworm",
                           self.root)

    def run_words(self, *words, **more):
        done = subprocess.run([str(x) for x in words], text=True, check=False,
                              capture_output=True, timeout=900, **more)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr[-3000:]}")
        return done.stdout.strip()

    def test_it_is_built_and_starts(self):
        self.run_words(ROOT / "scripts/container", "--root", self.root,
                       self.NAME, env={**os.environ, "DEPOSITD_BUILD":
                                       str(PROGRAMS.parent)})
        self.addCleanup(self.run_words, "buildah", "rmi", "--force", self.NAME)
        inside = self.run_words("buildah", "from", self.NAME)
        self.addCleanup(self.run_words, "buildah", "rm", inside)
        tried = subprocess.run(["buildah", "run", "--isolation", "chroot",
                                inside, "true"], capture_output=True,
                               text=True, check=False)
        if tried.returncode:
            self.skip(f"the kernel lets no container run: {tried.stderr}")
        told = self.run_words("buildah", "inspect", "--format",
                              "{{.OCIv1.Config.Entrypoint}} "
                              "{{.OCIv1.Config.User}}", inside)
        self.assertEqual(told, "[depositd --config /etc/depositd/depositd.yaml"
                         "] depositd")
        # In this machine's network, so every port is a free one.
        engine = Running(inside, self.folder / "log")
        self.addCleanup(engine.kill)
        engine.start(timeout=120)
        words = ["buildah", "run", "--isolation", "chroot", inside,
                 "depositctl", "--connect", engine.ready["node"]]
        self.run_words(*words, "user", "add", "press", "--password-stdin",
                       input="secret\n")
        host, port = engine.address("http")
        door = Door((host.replace("0.0.0.0", "127.0.0.1"), port), "press",
                    "secret")
        self.assertTrue(door.deposit("a.xml", a_deposit("a")).accepted)
        self.outcome(door, "a.xml")
        self.assertIn("a.xml", self.run_words(*words, "submission", "list"))
        self.assertEqual(engine.stop(), 0)


class Running(Engine):
    """What the image's entry point starts, in a container of it."""

    def __init__(self, container, log):
        super().__init__("", Path("/var/lib/depositd"), {
            "http.listen": "0.0.0.0:0"}, log=log)
        self.container = container

    def start(self, timeout=60):
        self.data = self.log_path
        return super().start(timeout)

    def command(self):
        return ["buildah", "run", "--isolation", "chroot", self.container,
                "depositd", "--config", "/etc/depositd/depositd.yaml",
                *(word for key, value in self.settings.items()
                  for word in ("--set", f"{key}={value}"))]


if __name__ == "__main__":
    main()
