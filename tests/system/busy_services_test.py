"""Services that are there and take nothing for a while: a minter that answers
500, a depositor's server that says when it wants to be called again."""

import time

import harness
from harness import wait_until
from loopback_server import Answer, LoopbackServer
from pipelines import PipelineTest, impatient_pipelines

REST_S = 12


class Service(LoopbackServer):
    def __init__(self, handler):
        super().__init__(handler)
        self.busy = True
        self.came = []  # when, by the steady clock

    def come(self):
        self.came.append(time.monotonic())


class Minter(Answer):
    def do_HEAD(self):
        self.say(200)

    def do_POST(self):
        self.body()
        self.server.come()
        if self.server.busy:
            self.say(500, "error: the database is away")
        else:
            self.say(201, f"success: ark:/99999/fk4n{len(self.server.came)}")


class Receiver(Answer):
    """Is busy once."""

    def do_POST(self):
        self.body()
        self.server.come()
        if len(self.server.came) == 1:
            self.say(503, Retry_After=str(REST_S))
        else:
            self.say(200)


class BusyServices(PipelineTest):
    def test_jobs_wait_for_a_minter_that_gives_nobody_anything(self):
        minter = self.serve(Service(Minter))
        engine = self.prepared({
            "pipelines.folder": impatient_pipelines(self.folder),
            "minter.kind": "http",
            "minter.url": f"http://{minter.address}/shoulder/ark:/99999/fk4"})
        engine.ctl("pipeline", "set", "merritt.process", "--attempts-max", "2")
        batches = [self.submit(engine, f"{n}.txt", "file", b"x")
                   for n in range(3)]
        jobs = lambda: [x for batch in batches
                        for x in self.jobs(engine, batch)]
        # Each try asks three times: there are more than attempts.
        wait_until(lambda: len(minter.came) > 3 * 2 * 3, 120)
        wait_until(lambda: all("the database is away" in x["note"]
                               for x in jobs()), 120, pause=0.2)
        self.assertEqual([x["state"] for x in jobs()], ["processing"] * 3)
        wait_until(lambda: "no_identifiers reason=" in engine.log())
        self.assertNotIn("service_away", engine.log())
        minter.busy = False
        for batch in batches:
            self.ended(engine, batch)
        self.assertEqual(engine.log().count("no_identifiers reason="), 1)
        self.assertEqual(engine.log().count("identifiers_again"), 1)

    def test_nobody_is_called_before_he_wants_to_be(self):
        receiver = self.serve(Service(Receiver))
        engine = self.prepared({
            "fetch.allow": f"{self.source.address},{receiver.address}"})
        engine.ctl("collection", "set", "books", "--callback",
                   f"http://{receiver.address}/back")
        engine.ctl("pipeline", "set", "merritt.notify", "--attempts-max", "2")
        batches = [self.submit(engine, "a.txt", "file", b"a")]
        wait_until(lambda: receiver.came)
        batches.append(self.submit(engine, "b.txt", "file", b"b"))
        for batch in batches:
            self.ended(engine, batch)
        self.assertEqual(len(receiver.came), 3)
        self.assertGreaterEqual(receiver.came[1] - receiver.came[0], REST_S)


if __name__ == "__main__":
    harness.main()
