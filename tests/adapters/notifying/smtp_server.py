"""An SMTP server for tests, made of aiosmtpd: prints its port, then one line of
JSON for each mail that it takes. Recipients that begin with "never" are refused
for good, those that begin with "later" for now, those with "soon" the first
time, and with "soon-never" then for good; the sender "mute@..." gets no answer.

With a certificate and its key as arguments it speaks STARTTLS, or with "tls"
behind them TLS from the beginning, and takes mail only from "ann" whose
password is "secret"."""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    asked = set()

    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("mute"):
            await asyncio.sleep(3600)
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("never"):
            return "550 no such user"
        if address.startswith("soon") and address not in self.asked:
            self.asked.add(address)
            return "451 try again later"
        if address.startswith("soon-never"):
            return "550 no such user"
        if address.startswith("later"):
            return "451 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = {"from": envelope.mail_from, "to": envelope.rcpt_tos,
                "content": envelope.content.decode("latin-1")}
        print(json.dumps(mail), flush=True)
        return "250 OK"


def check(server, session, envelope, mechanism, data):
    if (data.login, data.password) == (b"ann", b"secret"):
        return AuthResult(success=True)
    return AuthResult(success=False, handled=False)


def private(loop, context, from_the_beginning):
    more = {} if from_the_beginning else {"tls_context": context,
                                          "require_starttls": True}
    return SMTP(Handler(), loop=loop, authenticator=check, auth_required=True,
                auth_require_tls=not from_the_beginning, **more)


async def serve():
    loop = asyncio.get_running_loop()
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        from_the_beginning = sys.argv[3:] == ["tls"]
        server = await loop.create_server(
            lambda: private(loop, context, from_the_beginning), "127.0.0.1", 0,
            ssl=context if from_the_beginning else None)
    else:
        server = await loop.create_server(lambda: SMTP(Handler(), loop=loop),
                                          "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve())
