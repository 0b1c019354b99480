"""An SMTP server for tests, made of aiosmtpd: prints its port, then one line of
JSON for each mail that it takes. Recipients that begin with "never" are refused
for good, those that begin with "later" for now; the sender "mute@..." gets no
answer."""

import asyncio
import json

from aiosmtpd.smtp import SMTP


class Handler:
    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("mute"):
            await asyncio.sleep(3600)
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("never"):
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


async def serve():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), loop=loop),
                                      "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve())
