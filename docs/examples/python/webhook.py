"""Tells whether a webhook comes from Paystream. Python's own library only; `standardwebhooks` of PyPI does the same.

usage: WEBHOOK_SECRET=whsec_… python3 webhook.py ID TIMESTAMP SIGNATURES <BODY
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time


def verified(secret, headers, body, tolerance=300):
    """The event of a delivery; ValueError where it is not to be believed. `body` is the bytes as they came."""
    if abs(time.time() - int(headers["webhook-timestamp"])) > tolerance:
        raise ValueError("too old")
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()
    if not any(hmac.compare_digest(one.encode(), expected.encode()) for one in headers["webhook-signature"].split()):
        raise ValueError("not from Paystream")
    return json.loads(body)


if __name__ == "__main__":
    names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    given = dict(zip(names, sys.argv[1:4], strict=True))
    limit = int(os.environ.get("WEBHOOK_TOLERANCE", "300"))
    try:
        verified(os.environ["WEBHOOK_SECRET"], given, sys.stdin.buffer.read(), limit)
    except ValueError as reason:
        sys.exit(str(reason))
    print("good")
