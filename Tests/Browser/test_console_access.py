"""Walks through webhooks, keys and changes of the console in Chromium: what a person does there, and what is shown once."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from console_browser import ConsoleBrowser  # noqa: E402


class ConsoleAccessTests(ConsoleBrowser, unittest.TestCase):
    # Webhooks

    def test_a_webhook_is_tried_and_its_attempts_are_shown(self):
        page = self.signed_in(width=360)
        page.goto(self.shop.url + "/console/webhooks")
        page.locator("tbody .row-link").first.click()
        page.get_by_role("heading", name=self.shop.receiver.url).wait_for()
        self.press(page, "Send a test event")
        page.get_by_role("status").get_by_text("The test event is on its way.").wait_for()
        row = page.locator("tbody tr", has_text="webhook.ping").filter(has_text="Delivered").first
        row.wait_for()
        row.locator("summary").click()
        row.get_by_text("HTTP 204").wait_for()
        self.assertIn("webhook.ping", [body["type"] for body in self.shop.receiver.bodies])
        page.get_by_role("link", name="Given up").click()
        page.get_by_text("Nothing matches").wait_for()
        self.hold(page)

    def test_a_failed_attempt_says_why_and_is_sent_again(self):
        page = self.signed_in()
        self.shop.receiver.status = 500
        try:
            self.shop.paid("told-in-vain", 1500)
            address = f"{self.shop.url}/console/webhooks/{self.shop.endpoint}?status=waiting"
            self.shop.until("an attempt failed", lambda: any(
                row["attempts"] for row in self.deliveries() if row["status"] == "waiting"
            ))
            page.goto(address)
            row = page.locator("tbody tr", has_text="payment.captured").first
            row.locator("summary").click()
            row.get_by_text("refused by its status").first.wait_for()
            row.get_by_text("<nope>").first.wait_for()
            page.goto(self.shop.url + "/console/webhooks")
            self.assertNotIn("–", page.locator("tbody td").nth(4).inner_text(), "the last failure has a time")
        finally:
            self.shop.receiver.status = 204
        # An endpoint that answers again is sent at once what waited for it.
        self.shop.send("POST", f"/v1/webhook-endpoints/{self.shop.endpoint}/ping", {}, "ping-again")
        self.shop.until("it is delivered", lambda: all(row["status"] == "delivered" for row in self.deliveries()))
        before = len(self.shop.receiver.bodies)
        page.goto(f"{self.shop.url}/console/webhooks/{self.shop.endpoint}?status=delivered")
        row = page.locator("tbody tr", has_text="payment.captured").first
        row.get_by_role("button", name="Send again").click()
        page.get_by_role("status").get_by_text("It is sent once more.").wait_for()
        self.shop.until("it came again", lambda: len(self.shop.receiver.bodies) > before)
        self.hold(page)

    def test_an_endpoint_is_disabled_and_enabled(self):
        page = self.signed_in()
        page.goto(f"{self.shop.url}/console/webhooks/{self.shop.endpoint}")
        self.press(page, "Disable")
        page.get_by_role("status").get_by_text("The endpoint is disabled.").wait_for()
        page.get_by_text("somebody asked for it").wait_for()
        self.assertEqual(page.locator(".action", has_text="Send a test event").count(), 0)
        self.press(page, "Enable")
        page.get_by_role("status").get_by_text("The endpoint is enabled.").wait_for()

    def test_a_secret_is_shown_once(self):
        page = self.signed_in(width=360)
        page.goto(self.shop.url + "/console/webhooks")
        page.get_by_text("Register an address").first.click()
        page.get_by_label("Address", exact=True).fill(self.shop.receiver.url + "/another")
        page.get_by_label("Types of events").fill("refund.* , payment.failed")
        page.get_by_role("button", name="Register an address").click()
        page.get_by_role("heading", name="Secret of the endpoint").wait_for()
        secret = page.locator(".secret").inner_text()
        self.assertRegex(secret, "^whsec_.{40,}")
        self.hold(page)
        page.get_by_role("link", name="I have kept it").click()
        page.get_by_role("heading", name="/another").wait_for()
        self.assertIn("refund.*, payment.failed", page.inner_text("main"))
        self.assertNotIn("whsec_", page.content())
        self.press(page, "Make another secret")
        page.get_by_role("heading", name="Secret of the endpoint").wait_for()
        self.assertNotEqual(page.locator(".secret").inner_text(), secret)
        page.get_by_role("link", name="I have kept it").click()
        self.assertNotIn("whsec_", page.content())
        self.press(page, "Remove")
        page.get_by_role("status").get_by_text("The endpoint is removed.").wait_for()
        self.assertEqual(page.get_by_role("link", name="/another").count(), 0)

    def test_an_address_that_may_not_be_reached_is_refused(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/webhooks")
        page.get_by_text("Register an address").first.click()
        page.get_by_label("Address", exact=True).fill("https://10.0.0.1/")
        page.get_by_role("button", name="Register an address").click()
        page.get_by_role("alert").get_by_text("webhook_address_refused").wait_for()

    def test_a_key_that_reads_sees_webhooks_and_may_do_nothing(self):
        page = self.signed_in(key=self.shop.new_key("reads-webhooks", "read"))
        page.goto(f"{self.shop.url}/console/webhooks/{self.shop.endpoint}")
        self.assertEqual(page.locator(".action, main button").count(), 0)
        page.goto(self.shop.url + "/console/webhooks")
        self.assertEqual(page.locator("main form").count(), 0)
        self.assertEqual(page.locator("nav.sections", has_text="Keys").count(), 0)
        self.assertEqual(page.goto(self.shop.url + "/console/keys").status, 403)

    # Keys

    def test_a_key_is_made_rotated_and_revoked(self):
        page = self.signed_in(width=360)
        page.goto(self.shop.url + "/console/keys")
        page.get_by_text("Make a key").first.click()
        page.get_by_label("Who holds it").fill("till-of-the-console")
        page.get_by_label("Role").select_option("developer")
        page.get_by_label("Expires").fill("2099-01-01")
        page.get_by_label("Networks").fill("127.0.0.0/8, 10.0.0.0/8")
        page.get_by_role("button", name="Make a key").click()
        page.get_by_role("heading", name="Token of the key").wait_for()
        first = page.locator(".secret").inner_text()
        self.assertEqual(self.shop.send("GET", "/v1/merchant", token=first)["name"], "documents")
        self.hold(page)
        page.get_by_role("link", name="I have kept it").click()
        page.get_by_role("heading", name="till-of-the-console").wait_for()
        self.assertIn("127.0.0.0/8, 10.0.0.0/8", page.inner_text("main"))
        self.assertNotIn(first, page.content())
        self.press(page, "Give it another token")
        page.get_by_role("heading", name="Token of the key").wait_for()
        second = page.locator(".secret").inner_text()
        for token in (first, second):
            self.assertEqual(self.shop.send("GET", "/v1/merchant", token=token)["name"], "documents")
        page.get_by_role("link", name="I have kept it").click()
        page.get_by_text("Earlier token until").wait_for()
        self.press(page, "Revoke")
        page.get_by_role("status").get_by_text("The key is revoked.").wait_for()
        self.assertEqual(page.locator(".action").count(), 0)
        page.goto(self.shop.url + "/console/keys")
        self.assertEqual(page.get_by_role("link", name="till-of-the-console").count(), 0)
        page.get_by_role("link", name="All keys").click()
        page.get_by_role("link", name="till-of-the-console").wait_for()
        self.hold(page)

    def test_nobody_makes_himself_a_second_person(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/keys")
        page.get_by_text("Make a key").first.click()
        page.get_by_label("Who holds it").fill("me-again")
        page.get_by_label("Role").select_option("admin")
        page.get_by_role("button", name="Make a key").click()
        page.get_by_role("alert").get_by_text("second_person_needed").wait_for()

    def test_roles_are_offered_as_far_as_the_key_goes(self):
        page = self.signed_in(key=self.shop.new_key("auditor-of-keys", "read,audit"))
        page.goto(self.shop.url + "/console/keys")
        self.assertEqual(page.locator("main form").count(), 0)

    # Changes

    def test_a_change_waits_for_another_person(self):
        ann, ben = self.shop.pair()
        for name in ("first", "second"):
            self.shop.send("POST", "/v1/accounts", self.account(name), f"change-{name}", token=ann)
        one = self.signed_in(key=ann)
        one.goto(self.shop.url + "/console/changes")
        self.assertEqual(one.locator("section.panel").count(), 2)
        self.assertNotIn("sandbox-secret", one.content())
        self.press(one.locator("section.panel").first, "Approve the proposal")
        one.get_by_role("alert").wait_for()
        other = self.signed_in(key=ben, width=360)
        other.goto(self.shop.url + "/console/changes")
        self.hold(other)
        self.press(other.locator("section.panel").first, "Approve the proposal")
        other.get_by_role("status").get_by_text("Approved and carried out.").wait_for()
        panel = other.locator("section.panel").first
        panel.locator(".action > summary", has_text="Reject").click()
        panel.get_by_label("Reason").fill("the wrong one")
        panel.get_by_role("button", name="Reject").click()
        other.get_by_role("status").get_by_text("Rejected.").wait_for()
        other.get_by_text("Nothing waits").wait_for()
        self.assertEqual(other.locator("tbody tr").count(), 2)
        self.hold(other)
        self.assertEqual(len(self.shop.send("GET", "/v1/accounts", token=ben)["items"]), 1)

    def test_a_merchant_asks_for_two_persons_and_back(self):
        page = self.signed_in(key=self.shop.new_key("ann-of-careful", "read,audit,admin,approve", "careful"), width=360)
        page.goto(self.shop.url + "/console/changes")
        page.get_by_text("One person is enough for this merchant").wait_for()
        for name, done in (
            ("Ask for two persons", "Two persons are needed now."),
            ("Propose that one person is enough", "Proposed. Another person approves it."),
        ):
            page.locator(".fold > summary", has_text=name).click()
            page.get_by_role("button", name=name).click()
            page.get_by_role("status").get_by_text(done).wait_for()
        page.get_by_role("heading", name="Back to one person").wait_for()
        self.hold(page)

    def test_what_was_done_is_listed_and_narrowed(self):
        page = self.signed_in(width=360)
        page.goto(self.shop.url + "/console/keys")
        page.get_by_role("link", name="What was done").click()
        page.get_by_role("link", name="account.", exact=False).first.click()
        page.wait_for_url("**/acts?kind=account*")
        kinds = page.locator("tbody td:nth-child(2)").all_inner_texts()
        self.assertEqual(len(set(kinds)), 1)
        page.locator("tbody summary").first.click()
        self.assertNotIn("sandbox-secret", page.content())
        self.hold(page)
        page.goto(self.shop.url + "/console/acts?kind=nothing")
        page.get_by_role("link", name="Clear").click()
        page.locator("tbody tr").first.wait_for()

    # Help

    @staticmethod
    def account(name):
        return {
            "name": name, "provider": "ecommpay", "mode": "test", "secrets": {"secretKey": "sandbox-secret"},
            "settings": {"projectId": 42, "currencies": ["EUR"]},
        }

    def deliveries(self):
        return self.shop.send("GET", f"/v1/webhook-endpoints/{self.shop.endpoint}/deliveries?limit=100")["items"]


if __name__ == "__main__":
    unittest.main()
