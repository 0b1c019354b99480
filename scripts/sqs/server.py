"""An SQS server (moto) that checks signatures, for scripts/service_sqs.

server.py folder=WHOSE PORT. One account: access key depositd-test, secret key
only/for+tests. One queue, depositd, in us-east-1; whoever signs may make more.
All is in memory and gone with the process.
"""

import os
import sys

# Read by moto when it is imported: nothing goes without a signature.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"

from moto.core import DEFAULT_ACCOUNT_ID  # noqa: E402
from moto.iam.models import iam_backends  # noqa: E402
from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication, create_backend_app)
from moto.sqs.models import sqs_backends  # noqa: E402
from werkzeug.serving import WSGIRequestHandler, run_simple  # noqa: E402

USER = "depositd-test"
SECRET = "only/for+tests"
POLICY = """{"Version": "2012-10-17", "Statement":
  [{"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}]}"""


class Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_request(self, code="-", size="-"):
        pass


def make_account():
    people = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
    people.create_user(region_name="us-east-1", user_name=USER)
    people.put_user_policy(USER, "all", POLICY)
    key = people.create_access_key(USER)
    key.access_key_id = USER
    key.secret_access_key = SECRET


def main():
    make_account()
    sqs_backends[DEFAULT_ACCOUNT_ID]["us-east-1"].create_queue(
        "depositd", tags=None)
    run_simple("127.0.0.1", int(sys.argv[2]),
               DomainDispatcherApplication(create_backend_app),
               threaded=True, request_handler=Quiet)


if __name__ == "__main__":
    main()
