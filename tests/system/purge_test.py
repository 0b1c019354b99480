"""A queue of a million messages is purged: the client is told so when it is
true, and everybody else is served meanwhile."""

import http.client
import json
import threading

import harness
from harness import SystemTest

MESSAGES = 100_000 if harness.SANITIZED else 1_000_000
BATCH = 1_000


class Client:
    """One connection to the EmoDB door."""

    def __init__(self, engine):
        self.connection = http.client.HTTPConnection(engine.ready["http"],
                                                     timeout=120)

    def ask(self, method, path, body=None):
        """Status and document; what is sent as a body is JSON already."""
        self.connection.request(method, "/queue/1" + path, body,
                                {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())


class Purge(SystemTest):
    def setUp(self):
        super().setUp()
        self.instance = self.start({"processors.count": 0,
                                    "emodb.anonymous": "true"})
        self.client = Client(self.instance)
        self.addCleanup(self.client.connection.close)

    def test_of_a_million_is_answered_and_holds_up_nobody(self):
        batch = json.dumps(["m" * 100] * BATCH)
        for _ in range(MESSAGES // BATCH):
            status, _ = self.client.ask("POST", "/big/sendbatch", batch)
            self.assertEqual(status, 200)
        purged = threading.Event()
        others = []

        def send():
            client = Client(self.instance)
            while not purged.is_set():
                others.append(client.ask("POST", "/other/send", '"x"')[0])
            client.connection.close()
        other = threading.Thread(target=send)
        other.start()
        try:
            answer = self.client.ask("DELETE", "/big")
        finally:
            purged.set()
            other.join()
        self.assertEqual(answer, (200, {"success": True}))
        self.assertEqual(self.client.ask("GET", "/big/size"), (200, 0))
        self.assertEqual(set(others), {200})
        self.assertGreater(len(others), 10)
        self.instance.kill()
        self.instance.start()
        self.client = Client(self.instance)
        self.assertEqual(self.client.ask("GET", "/big/size"), (200, 0))
        self.assertEqual(self.client.ask("GET", "/other/size"),
                         (200, len(others)))


if __name__ == "__main__":
    harness.main()
