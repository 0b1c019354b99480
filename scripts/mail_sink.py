"""A mail server that takes everything and delivers nothing."""

import email
import email.policy
import socketserver
import threading

LINE_BYTES_MAX = 65_536


class MailSink(socketserver.ThreadingTCPServer):
    """Keeps what it gets in `mails`, as email.message.EmailMessage, and whom it
    was for in `recipients`."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address=("127.0.0.1", 0)):
        super().__init__(address, Session)
        self.mails = []
        self.recipients = []

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"

    def serve(self):
        """Until `shutdown`, on a thread of its own."""
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Session(socketserver.StreamRequestHandler):
    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        self.say("220 mail.sink ready")
        while line := self.rfile.readline(LINE_BYTES_MAX):
            verb = line.strip().upper().split(b" ")[0].split(b":")[0]
            if verb == b"DATA":
                self.say("354 go on")
                self.take()
                self.say("250 taken")
            elif verb == b"RCPT":
                self.server.recipients.append(line.decode("latin-1").strip())
                self.say("250 mail.sink")
            elif verb == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 mail.sink")

    def take(self):
        lines = []
        while line := self.rfile.readline(LINE_BYTES_MAX):
            if line in (b".\r\n", b".\n"):
                break
            lines.append(line[1:] if line.startswith(b"..") else line)
        self.server.mails.append(email.message_from_bytes(
            b"".join(lines), policy=email.policy.default))
