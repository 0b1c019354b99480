"""Merritt's submission over HTTP, as a depositor makes it."""

import base64
import http.client
import json
import secrets

TIMEOUT_S = 60


class Refused(Exception):
    """The engine did not take a submission."""


def form(fields, file_name, content):
    """(content type, body) of a multipart form with one file."""
    mark = "form-" + secrets.token_hex(16)
    parts = [f'--{mark}\r\nContent-Disposition: form-data; name="{name}"'
             f"\r\n\r\n{value}\r\n".encode() for name, value in fields.items()]
    parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="file"; '
                 f'filename="{file_name}"\r\n'
                 "Content-Type: application/octet-stream\r\n\r\n".encode()
                 + content + b"\r\n")
    parts.append(f"--{mark}--\r\n".encode())
    return f"multipart/form-data; boundary={mark}", b"".join(parts)


def authorization(user, password):
    login = base64.b64encode(f"{user}:{password}".encode()).decode()
    return f"Basic {login}"


def submit(address, user, password, fields, file_name, content):
    """Hands in one file; returns the id of its batch."""
    kind, body = form(fields, file_name, content)
    door = http.client.HTTPConnection(*address, timeout=TIMEOUT_S)
    try:
        door.request("POST", "/poster/submit", body, {
            "Content-Type": kind,
            "Authorization": authorization(user, password)})
        answer = door.getresponse()
        said = answer.read().decode(errors="replace")
        batch = answer.getheader("BID")
    except (OSError, http.client.HTTPException) as problem:
        raise Refused(f"{file_name}: no answer: {problem}") from problem
    finally:
        door.close()
    if answer.status != 200 or not batch:
        raise Refused(f"{file_name}: answered {answer.status}: {said[:500]}")
    json.loads(said)  # the answer is a document
    return batch
