"""A raw client of NSQ's protocol V2: what goes over the wire, and nothing that
hides it. Sockets and the standard library only."""

import json
import socket
import ssl
import struct
import time
import zlib
from dataclasses import dataclass

MAGIC = b"  V2"
RESPONSE, ERROR, MESSAGE = 0, 1, 2
HEARTBEAT = b"_heartbeat_"

PATIENCE = 20  # seconds; what is waited for comes much sooner


class Closed(Exception):
    """The other side has closed the connection."""


class Refused(Exception):
    """An error frame where none was expected; the text is nsqd's."""

    @property
    def code(self):
        return self.args[0].split(" ", 1)[0]


@dataclass(frozen=True)
class Message:
    timestamp: int  # nanoseconds
    attempts: int
    id: str
    body: bytes


def read_message(data):
    timestamp, attempts = struct.unpack_from(">qH", data)
    return Message(timestamp, attempts, data[10:26].decode(), data[26:])


def mpub_body(bodies):
    """What follows an MPUB's length, and the body of /mpub?binary=true."""
    return struct.pack(">I", len(bodies)) + b"".join(
        struct.pack(">I", len(body)) + body for body in bodies)


class Deflated:
    """A socket behind NSQ's deflate: raw streams, flushed at every write."""

    def __init__(self, inner):
        self.inner = inner
        self.packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        self.unpacker = zlib.decompressobj(-15)

    def sendall(self, data):
        self.inner.sendall(self.packer.compress(data)
                           + self.packer.flush(zlib.Z_SYNC_FLUSH))

    def recv(self, size):
        while True:
            got = self.inner.recv(size)
            plain = self.unpacker.decompress(got)
            if plain or not got:
                return plain

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Connection:
    """One connection. Heartbeats are answered while something is waited for,
    unless `answers` is False."""

    def __init__(self, address, identify=None, magic=MAGIC, answers=True):
        self.socket = socket.create_connection(address, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answers = answers
        self.heartbeats = 0
        self.seen = bytearray()
        self.waiting = []  # messages that came while an answer was awaited
        self.told = {}
        self.send(magic)
        if identify is not None:
            self.told = self.identify(**identify)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- out

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (ConnectionError, BrokenPipeError) as why:
            raise Closed(str(why)) from why

    def command(self, *words, body=None):
        line = b" ".join(word if isinstance(word, bytes) else
                         str(word).encode() for word in words) + b"\n"
        if body is not None:
            line += struct.pack(">I", len(body)) + body
        self.send(line)

    # -- in

    def _more(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("nothing came")
        self.socket.settimeout(left)
        try:
            got = self.socket.recv(65536)
        except (ConnectionError, ssl.SSLError) as why:
            raise Closed(str(why)) from why
        except socket.timeout:
            raise TimeoutError("nothing came") from None
        finally:
            self.socket.settimeout(PATIENCE)
        if not got:
            raise Closed("end of the stream")
        self.seen += got

    def frame(self, timeout=PATIENCE):
        """(kind, data) of the next frame, heartbeats too."""
        deadline = time.monotonic() + timeout
        while True:
            if len(self.seen) >= 4:
                size = struct.unpack_from(">i", self.seen)[0]
                if size < 4:
                    raise AssertionError(f"a frame of {size} bytes")
                if len(self.seen) >= 4 + size:
                    kind = struct.unpack_from(">i", self.seen, 4)[0]
                    data = bytes(self.seen[8:4 + size])
                    del self.seen[:4 + size]
                    return kind, data
            self._more(deadline)

    def next(self, timeout=PATIENCE):
        """As `frame`, but heartbeats are counted and answered."""
        deadline = time.monotonic() + timeout
        while True:
            kind, data = self.frame(deadline - time.monotonic())
            if kind != RESPONSE or data != HEARTBEAT:
                return kind, data
            self.heartbeats += 1
            if self.answers:
                self.nop()

    def answer(self, timeout=PATIENCE):
        """The next response; an error frame is raised as Refused."""
        deadline = time.monotonic() + timeout
        while True:
            kind, data = self.next(deadline - time.monotonic())
            if kind == MESSAGE:
                self.waiting.append(read_message(data))
            elif kind == ERROR:
                raise Refused(data.decode())
            else:
                return data

    def error(self, timeout=PATIENCE):
        """The text of the error frame that has to come."""
        try:
            return self._unexpected(self.answer(timeout))
        except Refused as refused:
            return refused.args[0]

    def _unexpected(self, data):
        raise AssertionError(f"no error but {data!r}")

    def message(self, timeout=PATIENCE):
        if self.waiting:
            return self.waiting.pop(0)
        kind, data = self.next(timeout)
        if kind == ERROR:
            raise Refused(data.decode())
        if kind != MESSAGE:
            raise AssertionError(f"no message but {data!r}")
        return read_message(data)

    def messages(self, count, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        return [self.message(deadline - time.monotonic())
                for _ in range(count)]

    def message_or_none(self, timeout):
        try:
            return self.message(timeout)
        except TimeoutError:
            return None

    def closes(self, timeout=PATIENCE):
        """Waits for the end of the stream; TimeoutError if it stays open."""
        deadline = time.monotonic() + timeout
        try:
            while True:
                self.next(deadline - time.monotonic())
        except Closed:
            return True

    # -- commands

    def identify(self, tls=None, **fields):
        """The answer as an object, {} for a plain OK; layers that were agreed
        are put on. `tls`: an ssl.SSLContext."""
        if tls is not None:
            fields["tls_v1"] = True
        fields.setdefault("feature_negotiation", True)
        self.command("IDENTIFY", body=json.dumps(fields).encode())
        data = self.answer()
        if data == b"OK":
            return {}
        told = json.loads(data)
        if told["tls_v1"]:
            self.socket = tls.wrap_socket(self.socket)
            self._expect_ok()
        if told["deflate"]:
            self.socket = Deflated(self.socket)
            # Its first bytes may have come with the answer.
            self.seen = bytearray(
                self.socket.unpacker.decompress(bytes(self.seen)))
            self._expect_ok()
        return told

    def _expect_ok(self):
        data = self.answer()
        if data != b"OK":
            raise AssertionError(f"no OK but {data!r}")

    def auth(self, secret):
        self.command("AUTH", body=secret.encode())
        return json.loads(self.answer())

    def sub(self, topic, channel):
        self.command("SUB", topic, channel)
        self._expect_ok()
        return self

    def pub(self, topic, body):
        self.command("PUB", topic, body=body)
        self._expect_ok()

    def mpub(self, topic, bodies):
        self.command("MPUB", topic, body=mpub_body(bodies))
        self._expect_ok()

    def dpub(self, topic, delay_ms, body):
        self.command("DPUB", topic, delay_ms, body=body)
        self._expect_ok()

    def rdy(self, count):
        self.command("RDY", count)

    def fin(self, message):
        self.command("FIN", message.id)

    def req(self, message, delay_ms=0):
        self.command("REQ", message.id, delay_ms)

    def touch(self, message):
        self.command("TOUCH", message.id)

    def nop(self):
        self.command("NOP")

    def confirm(self, topic):
        """Something that is answered, so that what was sent before it on this
        connection is settled. Texts of refusals that came first."""
        refused = []
        self.command("PUB", topic, body=b"confirm")
        while True:
            try:
                self._expect_ok()
                return refused
            except Refused as why:
                if not why.code.endswith("_FAILED"):
                    raise
                refused.append(why.args[0])
