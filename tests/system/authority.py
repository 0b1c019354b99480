"""A certificate authority for a test, and certificates of it."""

import subprocess

# A tenth of the time that RSA takes: each test has keys of its own.
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
           "-nodes")


class Authority:
    def __init__(self, folder, name="ca", wrapper=()):
        """`wrapper`: words before openssl, such as another time."""
        self.folder = folder
        self.wrapper = list(wrapper)
        self.name = name
        self._openssl("req", "-x509", *NEW_KEY, "-days", "2", "-subj",
                      f"/CN={name}", "-keyout", self.file(name, "key"),
                      "-out", self.file(name, "pem"))

    def _openssl(self, *arguments):
        subprocess.run([*self.wrapper, "openssl", *arguments], check=True,
                       timeout=60, capture_output=True)

    def file(self, who, kind):
        return str(self.folder / f"{who}.{kind}")

    def issue(self, who, address=None, subject=None):
        """A key and a certificate with this common name, or subject, and for
        whoever connects by address."""
        names = (["-addext", f"subjectAltName=DNS:{who},IP:{address}"]
                 if address else [])
        self._openssl("req", *NEW_KEY, "-subj", subject or f"/CN={who}",
                      *names, "-keyout", self.file(who, "key"),
                      "-out", self.file(who, "csr"))
        self._openssl("x509", "-req", "-days", "2", "-CAcreateserial",
                      "-copy_extensions", "copy", "-in",
                      self.file(who, "csr"), "-CA", self.file(self.name, "pem"),
                      "-CAkey", self.file(self.name, "key"), "-out",
                      self.file(who, "pem"))

    def settings(self, who):
        """Of an engine or a node that has this certificate."""
        return {"node.tls.certificate": self.file(who, "pem"),
                "node.tls.key": self.file(who, "key"),
                "node.tls.ca": self.file(self.name, "pem")}

    def options(self, who):
        """Of depositctl."""
        return ["--tls-certificate", self.file(who, "pem"), "--tls-key",
                self.file(who, "key"), "--tls-ca", self.file(self.name, "pem")]
