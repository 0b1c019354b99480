"""A bucket as another client sees it: curl signs the requests."""

import hashlib
import subprocess
import tempfile
from urllib.parse import quote

BUCKET = "depositd"  # of scripts/service_s3, as the keys
ACCESS_KEY = "depositd-test"
SECRET_KEY = "only/for+tests"


class S3Failed(Exception):
    """The server refused; the text is curl's."""


def curl(content, *arguments):
    """`content` is what is sent; the server compares its digest."""
    digest = hashlib.sha256(content).hexdigest()
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--fail", "--user",
         f"{ACCESS_KEY}:{SECRET_KEY}", "--aws-sigv4", "aws:amz:us-east-1:s3",
         "-H", f"x-amz-content-sha256: {digest}", *arguments],
        capture_output=True, check=False, timeout=120)
    if done.returncode != 0:
        raise S3Failed(done.stderr.decode(errors="replace").strip())
    return done.stdout


def put(address, key, content):
    """`address`: http://127.0.0.1:PORT."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        curl(content, "--upload-file", file.name,
             f"{address}/{BUCKET}/{quote(key)}")


def get(address, key):
    return curl(b"", f"{address}/{BUCKET}/{quote(key)}")


def settings(setting, address, prefix, key_file):
    """Of a place of the engine; `key_file(name, text)` writes one and says
    where."""
    return {f"{setting}.{name}": value for name, value in {
        "kind": "s3", "endpoint": address, "bucket": BUCKET, "prefix": prefix,
        "path_style": "true",
        "access_key_file": key_file("access", ACCESS_KEY),
        "secret_key_file": key_file("secret", SECRET_KEY)}.items()}
