"""What happens to the links and clocks of machines (network.py). Each is begun,
lasts a while, and is taken back."""


class Partitions:
    """For tests that have `network`, with machines "clients", "database" and
    "log" beside those of `names`, and `clocks`, an offset for each of these."""

    kinds = ["no_database", "to_database", "of_database", "no_log", "between",
             "one_way", "alone", "island", "halves", "deaf", "mute", "slow",
             "lossy", "slow_database", "flapping", "clock"]

    def everybody_but(self, *some):
        return [x for x in self.network.machines if x not in some]

    def begin_partition(self, kind, rng):
        one, other = rng.sample(self.names, 2)
        getattr(self, "_" + kind)(rng, one, other)

    def end_partition(self):
        self.network.mend()
        for name in self.names:
            self.set_clock(name, 0)

    # -- links of one engine ------------------------------------------------

    def _no_database(self, rng, one, _):
        self.network.cut([one], ["database"])

    def _to_database(self, rng, one, _):
        self.network.cut([one], ["database"], both=False)

    def _of_database(self, rng, one, _):
        self.network.cut(["database"], [one], both=False)

    def _no_log(self, rng, one, _):
        self.network.cut([one], ["log"])

    def _between(self, rng, one, other):
        self.network.cut([one], [other])

    def _one_way(self, rng, one, other):
        self.network.cut([one], [other], both=False)

    # -- an engine and all the rest -----------------------------------------

    def _alone(self, rng, one, _):
        self.network.cut([one], self.everybody_but(one))

    def _island(self, rng, one, _):
        """Its clients are on its side."""
        self.network.cut([one], self.everybody_but(one, "clients"))

    def _deaf(self, rng, one, _):
        self.network.cut(self.everybody_but(one), [one], both=False)

    def _mute(self, rng, one, _):
        self.network.cut([one], self.everybody_but(one), both=False)

    def _halves(self, rng, one, other):
        """Two engines on one side, the database and the third on the other;
        clients reach both sides."""
        third = [x for x in self.names if x not in (one, other)]
        self.network.cut([one, other], [*third, "database", "log"])

    # -- bad links ----------------------------------------------------------

    def _slow(self, rng, one, _):
        self.network.worsen(one, delay_ms=rng.choice([50, 300, 1500]))

    def _lossy(self, rng, one, _):
        self.network.worsen(rng.choice([one, "database", "log"]),
                            loss=rng.choice([0.02, 0.1, 0.3]))

    def _slow_database(self, rng, one, _):
        self.network.worsen("database", delay_ms=rng.choice([20, 200]))

    def _flapping(self, rng, one, _):
        for _ in range(rng.randint(2, 6)):
            self.network.cut([one], self.everybody_but(one, "clients"))
            self.over.wait(rng.uniform(0.1, 1.5))
            self.network.mend()
            self.over.wait(rng.uniform(0.1, 0.5))

    # -- clocks -------------------------------------------------------------

    def _clock(self, rng, one, _):
        self.set_clock(one, rng.choice([-3600, -60, -5, 5, 60, 3600]))
