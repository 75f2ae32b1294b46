"""Clicks through the sandbox's payment page as a payer does, in Chromium, and asks the API what came of it."""

import json
import os
import pathlib
import sys
import time
import unittest
import urllib.parse
import urllib.request
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

from browser import Unavailable, pages  # noqa: E402
from installation import Installation  # noqa: E402

PATIENCE_SECONDS = 20
RETURN_TITLE = "We are checking your payment"


class PaymentPageTests(unittest.TestCase):
    # Where each payment's page sends the payer afterwards.
    returns = {}

    @classmethod
    def setUpClass(cls):
        try:
            cls.page = staticmethod(cls.enterClassContext(pages()))
        except Unavailable as lack:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(str(lack)) from lack
        # No question of its own is due while a payer clicks; one that is asked for is asked soon.
        cls.daemon = cls.enterClassContext(Installation({"pollFirstSeconds": 60, "pollAtLeastSeconds": 1}))

    def test_a_decline_then_3d_secure_ends_captured(self):
        payment, page = self.opened("three-ds")
        self.click(page, "Decline, offer another try")
        page.get_by_role("button", name="3-D Secure").wait_for()
        self.assertEqual(self.read(payment)["status"], "requiresAction")
        self.click(page, "3-D Secure")
        page.get_by_role("heading", name="3-D Secure").wait_for()
        self.assertEqual(self.ledger(payment), [])
        self.click(page, "Yes, it is me")
        self.come_back(page, payment)
        self.assertEqual(self.settled(payment, "captured")["amounts"]["captured"], 1999)
        self.assertEqual(self.ledger(payment), [("charge", 1999)])

    def test_an_approval_ends_captured(self):
        payment, page = self.opened("approve")
        self.click(page, "Approve")
        self.come_back(page, payment)
        self.settled(payment, "captured")
        self.assertEqual(self.ledger(payment), [("charge", 1999)])

    def test_a_decline_ends_failed_although_the_payer_came_back(self):
        payment, page = self.opened("decline")
        # Not the button that offers another try.
        page.get_by_role("button", name="Decline", exact=True).click()
        self.come_back(page, payment)
        self.settled(payment, "failed")
        self.assertEqual(self.ledger(payment), [])

    def test_a_return_before_anything_was_paid_only_asks(self):
        payment, page = self.opened("early")
        before = len(self.events(payment))
        page.goto(self.returns[payment])
        page.get_by_role("heading", name=RETURN_TITLE).wait_for()
        self.assert_only_asked(payment, before)
        page.goto(self.action(payment))
        self.click(page, "Approve")
        self.come_back(page, payment)
        self.settled(payment, "captured")

    def test_a_payer_who_is_back_from_a_paid_page_decides_nothing(self):
        payment, page = self.opened("unheard")
        reference = self.read(payment)["attempt"]["reference"]
        for fault, point in (("withheld_callback", "callback"), ("error_before", "status")):
            self.sandbox("POST", "/sandbox/faults", fault=fault, on=point, payment_id=reference, times=99)
        before = len(self.events(payment))
        self.click(page, "Approve")
        self.come_back(page, payment)
        self.assertEqual(self.ledger(payment), [("charge", 1999)])
        self.assert_only_asked(payment, before)
        self.sandbox("DELETE", "/sandbox/faults")
        self.until("captured", lambda: self.sync(payment)["status"] == "captured")

    # The payer

    def opened(self, name):
        """A new payment and its page, reached by the address that the payer is given."""
        body = {
            "mode": "sale",
            "amount": {"value": 1999, "currency": "EUR"},
            "description": "Two tickets",
            "customer": f"customer-{name}",
            "details": {"payer": {"email": "ann@example.org"}},
        }
        payment = self.api("POST", "/v1/payments", f"create-{name}", body)["id"]
        address = self.action(payment)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
        self.returns[payment] = query["merchant_return_url"][0]
        page = self.page()
        page.goto(address)
        self.assertIn("19.99 EUR", page.inner_text("main"))
        return payment, page

    @staticmethod
    def click(page, name):
        page.get_by_role("button", name=name, exact=True).click()

    def come_back(self, page, payment):
        """Follows the link of the last page to ours."""
        page.locator("a.button.main").click()
        page.get_by_role("heading", name=RETURN_TITLE).wait_for()
        self.assertEqual(page.url, self.returns[payment])

    # The merchant

    def action(self, payment):
        return self.api("GET", f"/v1/payments/{payment}/next-action")["url"]

    def read(self, payment):
        return self.api("GET", f"/v1/payments/{payment}")

    def sync(self, payment):
        return self.api("POST", f"/v1/payments/{payment}/sync", f"sync-{uuid.uuid4()}")

    def events(self, payment):
        return self.api("GET", f"/v1/payments/{payment}/events")["items"]

    def assert_only_asked(self, payment, before):
        """The payer's return, the first thing after `before` events, made us ask and nothing else; the answer is in."""

        def new():
            return self.events(payment)[before:]

        self.until("the question is answered", lambda: any(event["type"] == "dispatch.observed.v1" for event in new()))
        of_return = [event["type"] for event in new() if event["cause"] == new()[0]["cause"]]
        self.assertEqual(of_return, ["dispatch.licensed.v1"])
        found = self.read(payment)
        self.assertEqual((found["status"], found["amounts"]["captured"]), ("requiresAction", 0))

    def settled(self, payment, status):
        """The payment once it has this status."""
        self.until(f"{payment} is {status}", lambda: self.read(payment)["status"] == status)
        return self.read(payment)

    def until(self, what, holds):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"never: {what}")
            time.sleep(0.05)

    def api(self, method, path, key=None, body=None):
        headers = {"Authorization": f"Bearer {self.daemon.key}"}
        if key is not None:
            headers |= {"Content-Type": "application/json", "Idempotency-Key": f"browser-{key}-{path}"}
        return self.send(method, self.daemon.url + path, {} if key and body is None else body, headers)

    # The provider

    def sandbox(self, method, path, **fields):
        return self.send(method, self.daemon.sandbox + path, fields or None, {"Content-Type": "application/json"})

    def ledger(self, payment):
        """What the provider's own books say: kinds and amounts."""
        reference = urllib.parse.quote(self.read(payment)["attempt"]["reference"])
        entries = self.sandbox("GET", f"/sandbox/ledger?payment_id={reference}")["entries"]
        return [(entry["kind"], entry["amount"]) for entry in entries]

    @staticmethod
    def send(method, url, body, headers):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


if __name__ == "__main__":
    unittest.main()
