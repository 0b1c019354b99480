"""A depositor: posts to and polls the Crossref door over one connection."""

import http.client
import secrets
import urllib.parse
import xml.etree.ElementTree as ElementTree

SUCCESS = "Your batch submission was successfully received."


class Diagnostic:
    """A `doi_batch_diagnostic` document."""

    def __init__(self, document):
        self.document = document
        root = ElementTree.fromstring(document)
        self.status = root.get("status")
        self.submission_id = int(root.findtext("submission_id") or 0)
        self.records = [
            (record.get("status"), record.findtext("doi") or "",
             (record.findtext("msg") or "").strip())
            for record in root.iter("record_diagnostic")
        ]

    @property
    def completed(self):
        return self.status == "completed"

    @property
    def known(self):
        return self.status != "unknown_submission"

    def failures(self):
        return [r for r in self.records if r[0] == "Failure"]


class Answer:
    """What came back over HTTP."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8", errors="replace")

    @property
    def accepted(self):
        return self.status == 200 and SUCCESS in self.text


def multipart(fields, files):
    """(content type, body) of a form; files: (field, file name, bytes)."""
    boundary = "depositd-" + secrets.token_hex(12)
    parts = []
    for name, value in fields.items():
        parts.append((f'Content-Disposition: form-data; name="{name}"\r\n'
                      f"\r\n{value}").encode())
    for name, file_name, content in files:
        parts.append((f'Content-Disposition: form-data; name="{name}"; '
                      f'filename="{file_name}"\r\n'
                      "Content-Type: application/xml\r\n\r\n").encode()
                     + content)
    edge = b"--" + boundary.encode()
    body = b"".join(edge + b"\r\n" + part + b"\r\n" for part in parts)
    return f"multipart/form-data; boundary={boundary}", body + edge + b"--\r\n"


class Door:
    """One depositor's connection, opened again after it broke. Raises OSError
    or HTTPException when it is not known what became of a request."""

    def __init__(self, address, user, password, timeout=30):
        self.address = address
        self.user = user
        self.password = password
        self.login = urllib.parse.urlencode({"usr": user, "pwd": password})
        self.timeout = timeout
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def request(self, method, path, body=None, content_type=None):
        headers = {"Content-Type": content_type} if content_type else {}
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                *self.address, timeout=self.timeout)
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            answer = Answer(response.status, response.headers,
                            response.read())
        except BaseException:
            self.close()
            raise
        if response.will_close:
            self.close()
        return answer

    def deposit(self, file_name, content, operation="doMDUpload"):
        kind, body = multipart(
            {"operation": operation, "login_id": self.user,
             "login_passwd": self.password},
            [("fname", file_name, content)])
        return self.request("POST", "/servlet/deposit", body, kind)

    def deposit_at_once(self, file_name, content):
        """The answer is the result, if it came to one."""
        kind, body = multipart(
            {"operation": "doMDUpload", "usr": self.user,
             "pwd": self.password}, [("mdFile", file_name, content)])
        return self.request("POST", "/v2/deposits", body, kind)

    def download(self, file_name, kind="result"):
        """The answer to a poll, whatever it is."""
        form = (f"{self.login}&type={kind}&file_name="
                + urllib.parse.quote_plus(file_name))
        return self.request("POST", "/servlet/submissionDownload", form,
                            "application/x-www-form-urlencoded")

    def poll(self, file_name):
        """The diagnostic of a submission; ValueError for any other answer."""
        answer = self.download(file_name)
        if answer.status != 200:
            raise ValueError(f"poll: {answer.status} {answer.text[:200]}")
        return Diagnostic(answer.body)
