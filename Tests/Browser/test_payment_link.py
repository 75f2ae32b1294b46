"""Pays by the page of a payment link as payers do on a phone, in Chromium: four languages, no overflow, axe's rules, one payment."""

import json
import os
import pathlib
import sys
import time
import unittest
import urllib.request
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

from browser import ROOT, Unavailable, accessibility, pages  # noqa: E402
from installation import Installation  # noqa: E402

PATIENCE_SECONDS = 20
SCREENSHOTS = pathlib.Path(os.environ.get("PAYSTREAM_SCREENSHOTS", ROOT / ".paystream/screenshots"))
SCRIPT = "<script>alert(1)</script><b onmouseover=alert(2)>\"'&"
PHONE = {"width": 360, "height": 800}
# Locale, the button, the amount, and what the page says while it waits and in the end.
LANGUAGES = (
    ("en-GB", "Bank card", "19.99", "Your payment is under way", "Paid"),
    ("uk-UA", "Банківська картка", "19,99", "Ваш платіж обробляється", "Сплачено"),
    ("ru-RU", "Банковская карта", "19,99", "Ваш платёж обрабатывается", "Оплачено"),
    ("fr-FR", "Carte bancaire", "19,99", "Votre paiement est en cours", "Payé"),
)


class PaymentLinkTests(unittest.TestCase):
    # What the browser complained of, by page.
    complaints = {}

    @classmethod
    def setUpClass(cls):
        try:
            cls.page = staticmethod(cls.enterClassContext(pages()))
        except Unavailable as lack:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(str(lack)) from lack
        cls.daemon = cls.enterClassContext(Installation({"pollFirstSeconds": 60, "pollAtLeastSeconds": 1}))
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def test_a_link_is_paid_on_a_phone_in_four_languages(self):
        for locale, button, money, waiting, paid in LANGUAGES:
            with self.subTest(locale=locale):
                link = self.link(description="Two tickets for the evening performance", payee="Чай & Кава")
                page = self.opened(locale)
                page.goto(link["url"])
                self.looks(page, f"link-open-{locale}")
                self.assertEqual(page.get_attribute("html", "lang"), locale[:2])
                self.assertIn(money, page.inner_text("main"))
                page.locator("input[type=email]").fill("ann@example.org")
                page.get_by_role("button", name=button, exact=True).click()
                page.get_by_role("button", name="Approve", exact=True).wait_for()
                self.assertEqual(page.evaluate("document.referrer"), "", "the provider hears nothing of the link")
                # Another tab of the same payer shows that it is under way, and where it goes on.
                other = self.opened(locale)
                other.goto(link["url"])
                other.get_by_role("heading", name=waiting).wait_for()
                self.looks(other, f"link-pending-{locale}")
                page.get_by_role("button", name="Approve", exact=True).click()
                page.locator("a.button.main").click()
                page.get_by_role("heading", name=paid, exact=True).wait_for()
                self.looks(page, f"link-paid-{locale}")
                other.get_by_role("heading", name=paid, exact=True).wait_for()
                self.assertEqual(self.statuses(link), ["captured"])

    def test_a_double_click_and_a_reload_make_one_payment(self):
        link = self.link()
        page = self.opened("en-GB")
        page.goto(link["url"])
        page.locator("input[type=email]").fill("ann@example.org")
        page.get_by_role("button", name="Bank card").dblclick()
        page.get_by_role("button", name="Approve", exact=True).wait_for()
        page.goto(link["url"])
        page.reload()
        page.get_by_role("link", name="Continue to the payment page").click()
        page.get_by_role("button", name="Decline", exact=True).click()
        page.locator("a.button.main").click()
        page.get_by_text("The last attempt did not go through").wait_for()
        self.looks(page, "link-declined")
        page.locator("input[type=email]").fill("ann@example.org")
        page.get_by_role("button", name="Bank card").click()
        page.get_by_role("button", name="Approve", exact=True).click()
        page.locator("a.button.main").click()
        page.get_by_role("heading", name="Paid", exact=True).wait_for()
        self.assertEqual(self.statuses(link), ["failed", "captured"])

    def test_what_a_merchant_wrote_is_text_and_the_language_is_the_readers_choice(self):
        link = self.link(description=SCRIPT, payee=SCRIPT, language="fr", returnUrl="https://shop.example.com/thanks")
        page = self.opened("de-DE")
        page.on("dialog", lambda dialog: self.fail(f"{dialog.message} ran"))
        page.goto(link["url"])
        self.assertEqual(page.get_attribute("html", "lang"), "fr")
        self.assertIn(SCRIPT, page.inner_text("main"))
        self.looks(page, "link-hostile")
        page.get_by_role("link", name="Українська").click()
        page.get_by_role("heading", name="Як ви хочете заплатити?").wait_for()
        self.call("POST", f"/v1/payment-links/{link['id']}/deactivate", {})
        page.reload()
        page.get_by_role("heading", name="Це посилання вимкнено").wait_for()
        self.looks(page, "link-off")
        self.assertEqual(page.locator("main a.button").get_attribute("href"), "https://shop.example.com/thanks")
        page.goto(self.daemon.url + "/pay/guess")
        self.looks(page, "link-nowhere")

    # The payer

    def opened(self, locale):
        page = self.page(viewport=PHONE, locale=locale)
        said = self.complaints[page] = []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        return page

    def looks(self, page, name):
        """Nothing is wider than a phone, nothing is complained about, axe finds nothing."""
        page.screenshot(path=str(SCREENSHOTS / f"{name}-360.png"), full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(wide, 0, f"{name} scrolls sideways")
        # That an address leads nowhere is the one thing that a browser may complain of.
        self.assertEqual([text for text in self.complaints[page] if "404" not in text], [], name)
        self.assertEqual(page.locator("h1").count(), 1, name)
        self.assertEqual(accessibility(page), [], name)

    # The merchant

    def link(self, **more):
        return self.call("POST", "/v1/payment-links", {"amount": {"value": 1999, "currency": "EUR"}} | more)

    def statuses(self, link):
        """What became of the link's payments, once none is under way."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            read = self.call("GET", f"/v1/payment-links/{link['id']}")
            if read["status"] != "pending":
                return [payment["status"] for payment in read["payments"]]
            self.assertLess(time.monotonic(), deadline, f"{read} is pending")
            time.sleep(0.05)

    def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.daemon.key}"}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.daemon.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


if __name__ == "__main__":
    unittest.main()
