"""Makes a payment, waits for its outcome in the event feed, and gives a part of it back. Python's own library only.

usage: PAYSTREAM_URL=http://127.0.0.1:8080 PAYSTREAM_KEY=psk_… python3 pay.py ORDER
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ["PAYSTREAM_URL"]
ATTEMPTS = 5


def api(method, path, body=None, key=None):
    """Calls the API; a lost answer, 429 and 503 are repeated, which the idempotency key makes safe."""
    headers = {"Authorization": f"Bearer {os.environ['PAYSTREAM_KEY']}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code not in (429, 502, 503, 504) or attempt == ATTEMPTS:
                # A problem: its code is for programs, its detail for people.
                raise SystemExit(f"{method} {path}: {refusal.code} {refusal.read().decode()}") from refusal
            pause = float(refusal.headers.get("Retry-After") or 0)
        except OSError:
            if attempt == ATTEMPTS:
                raise
            pause = 0
        time.sleep(max(pause, random.uniform(0.1, 0.2) * 2**attempt))


def await_event(payment, kind):
    """Waits for an event of a payment, without asking again and again: the daemon holds its answer back."""
    query = {"resource": payment, "types": kind, "wait": 30}
    while True:
        page = api("GET", "/v1/events?" + urllib.parse.urlencode(query))
        if page["items"]:
            return page["items"][0]
        query["after"] = page["next"]


def main(order):
    new = {
        "mode": "sale",
        "amount": {"value": 7700, "currency": "EUR"},
        "reference": order,
        "details": {"payer": {"email": "ann@example.org"}},
    }
    payment = api("POST", "/v1/payments", new, key=order)["id"]

    # Here you answer the payer's browser with a redirect (303) to this address. The request is the payer: this amount
    # pays by itself at the sandbox. Once it is paid there is no address any more.
    page = api("GET", f"/v1/payments/{payment}/next-action").get("url")
    if page:
        urllib.request.urlopen(page, timeout=30).read()

    await_event(payment, "payment.captured")
    print(f"{order} is paid")

    half = {"amount": {"value": 2000, "currency": "EUR"}, "reason": "one came back"}
    api("POST", f"/v1/payments/{payment}/refund", half, key=f"{order}-refund")
    await_event(payment, "refund.succeeded")
    print(f"{order} is {api('GET', f'/v1/payments/{payment}')['status']}")


if __name__ == "__main__":
    main(sys.argv[1])
