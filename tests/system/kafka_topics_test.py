"""What operators do to topics, and brokers with them, while an engine uses
them: nothing that was put into them is passed over in silence."""

import shutil
import signal
from pathlib import Path

from harness import main, wait_until
from kafka_admin import Refused, TopicAdmin
from kafka_test import KafkaFixture, deposits


class KafkaTopics(KafkaFixture):
    def admin(self):
        return self.enterContext(TopicAdmin(self.kafka.address))

    def make_anew(self, admin, topic):
        """Once the brokers have forgotten the one that was removed."""
        admin.delete(topic)

        def made():
            try:
                admin.create(topic, 1)
            except Refused as refused:
                self.assertIn("already exists", str(refused))
                return False
            return True
        wait_until(made)

    def read_on(self, engine, old, new):
        """The topic is another one, and longer, before the engine looks."""
        engine.process.send_signal(signal.SIGSTOP)
        try:
            self.make_anew(self.admin(), self.topics["in"])
            self.produce(new.values())
        finally:
            engine.process.send_signal(signal.SIGCONT)
        self.await_outcomes(set(list(new)[len(old):]))

    def test_an_ingress_topic_made_anew_under_the_engine_is_an_alarm(self):
        engine = self.started("anew", {"kafka.partitions": 1})
        old = dict(deposits(20, "old"))
        self.produce(old.values())
        self.await_outcomes(old.keys())
        self.read_on(engine, old, dict(deposits(40, "new")))
        # Deposits were passed over: it is said within the minute, and again
        # by whoever goes on there.
        wait_until(lambda: "intake_stopped" in engine.log(), 240)
        self.assertIn("another record at offset", engine.log())
        engine.kill()
        engine.start()
        wait_until(lambda: "intake_stopped" in engine.log())
        self.assertIn("another record", engine.ctl("kafka", "status"))

    def test_brokers_that_went_back_are_known_by_the_last_record(self):
        engine = self.started("older", {"kafka.partitions": 1})
        data = Path(self.kafka.folder, "kafka", "data")
        copy = data.with_name("copy")
        old = dict(deposits(20, "old"))
        self.produce(old.values())
        self.await_outcomes(old.keys())
        self.kafka.stop()
        shutil.copytree(data, copy, symlinks=True)
        self.kafka.start()
        more = dict(deposits(20, "more"))
        self.produce(more.values())
        self.await_outcomes(old.keys() | more.keys())
        # Nothing was journalled since, but what is put into groups of others.
        engine.kill()
        self.kafka.kill()
        shutil.rmtree(data)
        copy.rename(data)
        self.kafka.start()
        self.produce(dict(deposits(30, "last")).values())
        engine.start()
        wait_until(lambda: "intake_stopped" in engine.log())
        self.assertIn("another record at offset 39", engine.log())
        self.assertLessEqual(self.size("out"), 40)


if __name__ == "__main__":
    main()
