"""What happens to engines that share one database, and to its server."""

import signal


class Accidents:
    """For tests that have `engines`, `over` (an event that ends the load) and
    `server`."""

    kinds = ["kill", "two", "stop", "pause", "pause", "server"]

    def victims(self, rng):
        return rng.sample(self.engines, 2)

    def accident(self, rng):
        engine, other = self.victims(rng)
        kind = rng.choice(self.kinds)
        with self.subTest(seed=self.seed, kind=kind):
            getattr(self, "_" + kind)(rng, engine, other)
            for x in self.engines:
                self.assertTrue(x.alive(), x.log()[-2000:])
        return kind

    def _kill(self, rng, engine, _):
        engine.kill()
        self.over.wait(rng.choice([0, 2.5]))
        engine.start()

    def _two(self, rng, engine, other):
        engine.kill()
        other.kill()
        self.over.wait(rng.choice([0, 2]))
        engine.start()
        other.start()

    def _stop(self, rng, engine, _):
        self.assertEqual(engine.stop(), 0)
        engine.start()

    def _pause(self, rng, engine, _):
        engine.process.send_signal(signal.SIGSTOP)
        self.over.wait(rng.choice([0.7, 3, 5]))
        engine.process.send_signal(signal.SIGCONT)

    def _server(self, rng, engine, _):
        self.server.kill()
        self.server.start()
