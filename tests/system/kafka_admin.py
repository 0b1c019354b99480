"""What operators do to topics, by the library that the engine has as well."""

import contextlib
import ctypes

PATIENCE_MS = 60_000
PRODUCER = 0
TOPIC = 2  # a kind of resource


class Refused(Exception):
    """What the broker says."""


def library():
    out = ctypes.CDLL("librdkafka.so.1")
    for name in ("conf_new", "new", "queue_new", "queue_poll",
                 "DeleteTopic_new", "NewTopic_new", "NewPartitions_new",
                 "ConfigResource_new", "event_DeleteTopics_result",
                 "event_CreateTopics_result", "event_CreatePartitions_result",
                 "DeleteTopics_result_topics", "CreateTopics_result_topics",
                 "CreatePartitions_result_topics"):
        getattr(out, "rd_kafka_" + name).restype = ctypes.c_void_p
    out.rd_kafka_err2str.restype = ctypes.c_char_p
    return out


class TopicAdmin(contextlib.AbstractContextManager):
    """One connection; each call ends when the broker has done it."""

    def __init__(self, brokers):
        self.lib = library()
        conf = ctypes.c_void_p(self.lib.rd_kafka_conf_new())
        self.lib.rd_kafka_conf_set(conf, b"bootstrap.servers",
                                   brokers.encode(), None, 0)
        self.client = ctypes.c_void_p(
            self.lib.rd_kafka_new(PRODUCER, conf, None, 0))
        self.queue = ctypes.c_void_p(
            self.lib.rd_kafka_queue_new(self.client))

    def __exit__(self, *_):
        self.lib.rd_kafka_queue_destroy(self.queue)
        self.lib.rd_kafka_destroy(self.client)

    def delete(self, topic):
        self.ask("DeleteTopics", "DeleteTopic",
                 self.lib.rd_kafka_DeleteTopic_new(topic.encode()))

    def create(self, topic, partitions, **settings):
        wish = ctypes.c_void_p(self.lib.rd_kafka_NewTopic_new(
            topic.encode(), partitions, 1, None, 0))
        for name, value in settings.items():
            self.lib.rd_kafka_NewTopic_set_config(
                wish, name.replace("_", ".").encode(), str(value).encode())
        self.ask("CreateTopics", "NewTopic", wish.value)

    def grow(self, topic, partitions):
        """To so many partitions."""
        self.ask("CreatePartitions", "NewPartitions",
                 self.lib.rd_kafka_NewPartitions_new(
                     topic.encode(), ctypes.c_size_t(partitions), None, 0))

    def set(self, topic, **settings):
        """All others are the broker's default then."""
        wish = ctypes.c_void_p(self.lib.rd_kafka_ConfigResource_new(
            TOPIC, topic.encode()))
        for name, value in settings.items():
            self.lib.rd_kafka_ConfigResource_set_config(
                wish, name.replace("_", ".").encode(), str(value).encode())
        self.ask("AlterConfigs", "ConfigResource", wish.value, results=False)

    def ask(self, call, kind, wish, results=True):
        wish = ctypes.c_void_p(wish)
        getattr(self.lib, "rd_kafka_" + call)(
            self.client, ctypes.byref(wish), ctypes.c_size_t(1), None,
            self.queue)
        event = ctypes.c_void_p(
            self.lib.rd_kafka_queue_poll(self.queue, PATIENCE_MS))
        getattr(self.lib, f"rd_kafka_{kind}_destroy")(wish)
        if not event:
            raise Refused("no broker answers")
        code = self.lib.rd_kafka_event_error(event)
        if code == 0 and results:
            code = self.code_of(call, event)
        self.lib.rd_kafka_event_destroy(event)
        if code != 0:
            raise Refused(self.lib.rd_kafka_err2str(code).decode())

    def code_of(self, call, event):
        """Of the one topic."""
        result = ctypes.c_void_p(
            getattr(self.lib, f"rd_kafka_event_{call}_result")(event))
        count = ctypes.c_size_t()
        topics = ctypes.c_void_p(
            getattr(self.lib, f"rd_kafka_{call}_result_topics")(
                result, ctypes.byref(count)))
        first = ctypes.cast(topics, ctypes.POINTER(ctypes.c_void_p))[0]
        return self.lib.rd_kafka_topic_result_error(ctypes.c_void_p(first))
