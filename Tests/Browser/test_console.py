"""Walks through the console in Chromium: flows, three widths, both themes, axe's rules, no error, no shift; keeps pictures."""

import os
import pathlib
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from browser import ROOT, accessibility  # noqa: E402
from console_browser import ConsoleBrowser  # noqa: E402
from console_shop import SCRIPT  # noqa: E402

WIDTHS = (360, 768, 1440)
THEMES = ("light", "dark")
SCREENSHOTS = pathlib.Path(os.environ.get("PAYSTREAM_SCREENSHOTS", ROOT / ".paystream/screenshots"))
# Server time of a page as a person waits for it; a debug build on a busy machine takes part.
PAGE_SECONDS = 0.1
# How many times slower than this machine a reader's may be, and how often it is looked at.
SLOWDOWN = 10
SLOW_VISITS = 6
WATCH_END = """
window.endAt = Infinity;
new MutationObserver((_, observer) => {
    if (document.getElementById("end") === null) { return; }
    window.endAt = performance.now();
    observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""


class ConsoleTests(ConsoleBrowser, unittest.TestCase):
    # Looks

    def test_every_page_at_three_widths_and_in_both_themes(self):
        addresses = self.shop.addresses()
        for width in WIDTHS:
            page = self.signed_in(width=width)
            for name, address in addresses.items():
                with self.subTest(page=name, width=width):
                    self.look(page, name, address, width)

    def look(self, page, name, address, width):
        del self.said[:], self.asked[:]
        answer = page.goto(self.shop.url + address)
        page.wait_for_load_state("networkidle")
        self.assertEqual(answer.status, 200)
        self.assertEqual(page.evaluate("window.shifts"), [], "nothing moves by itself")
        self.assertEqual(page.locator("h1").count(), 1)
        for theme in THEMES:
            with self.subTest(theme=theme):
                # Colours that still fade into those of the other theme are no theme's.
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                self.picture(page, f"{name}-{width}-{theme}")
                self.hold(page)

    @staticmethod
    def picture(page, name):
        """Keeps a picture of the whole page for people; nobody looks at those of CI."""
        if os.environ.get("CI") != "true":
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=str(SCREENSHOTS / f"{name}.png"), full_page=True)

    def test_a_page_is_painted_whole_however_slow_the_machine(self):
        page = self.signed_in(width=768)
        page.add_init_script(WATCH_END)
        slow = page.context.new_cdp_session(page)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        for number in range(SLOW_VISITS):
            for name in ("payments", "payments-filtered"):
                with self.subTest(page=name, visit=number):
                    page.goto(self.shop.url + self.shop.addresses()[name])
                    paints = "performance.getEntriesByType('paint').map((paint) => paint.startTime)"
                    # The page allows no script of ours that waits in it.
                    self.shop.until("it is painted", lambda: page.evaluate(paints))
                    painted = page.evaluate(paints)[0]
                    self.assertGreaterEqual(painted, page.evaluate("window.endAt"), "nothing is painted half read")
                    self.assertEqual(page.evaluate("window.shifts"), [], "nothing moves by itself")

    def test_the_way_in_and_a_refusal_are_for_everybody(self):
        for theme in THEMES:
            page = self.page(viewport={"width": 360, "height": 800}, color_scheme=theme)
            for name, address in (("sign-in", "/console/sign-in"), ("refusal", "/console/nowhere")):
                page.goto(self.shop.url + address)
                self.picture(page, f"{name}-360-{theme}")
                self.assertEqual(accessibility(page), [], name)

    def test_each_language_has_its_words_and_forms(self):
        for locale, heading, money in (
            ("en-GB", "Payments", "1\u202f999.00"),
            ("uk-UA", "Платежі", "1\u202f999,00"),
            ("ru-RU", "Платежи", "1\u202f999,00"),
            ("fr-FR", "Paiements", "1\u202f999,00"),
        ):
            with self.subTest(locale=locale):
                page = self.signed_in(locale=locale)
                page.goto(self.shop.url + "/console/payments")
                self.assertEqual(page.inner_text("h1"), heading)
                self.assertIn(money, page.inner_text("tbody"))
                self.assertEqual(page.get_attribute("html", "lang"), locale[:2])

    # Flows

    def test_from_the_overview_to_the_raw_answer(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console")
        self.assertIn("zone=UTC", page.url, "a link shows the same to everybody")
        page.get_by_text("As a table").first.click()
        page.locator(".chart table tbody tr").first.get_by_role("link").click()
        page.get_by_role("heading", name="Payments", level=1).wait_for()
        page.locator("tr", has_text=self.shop.paid_reference).get_by_role("link").first.click()
        page.get_by_role("heading", name="What happened").wait_for()
        before = self.shop.accesses("raw_input")
        page.locator(".event-head", has_text="Provider reports").first.click()
        page.get_by_role("link", name="Raw exchange").first.click()
        page.get_by_role("heading", name="Raw exchange").wait_for()
        self.assertIn('"status": "success"', page.inner_text("main"))
        self.assertEqual(self.shop.accesses("raw_input"), before + 1, "who looked is recorded")

    def test_a_refund_moves_money_once(self):
        payment = self.shop.paid("refunded-by-hand", 5000)
        page = self.signed_in()
        page.goto(f"{self.shop.url}/console/payments/{payment}")
        page.locator(".action > summary", has_text="Refund").click()
        page.get_by_label("Amount, EUR").first.fill("12,50")
        page.get_by_label("Reason").first.fill(SCRIPT)
        page.get_by_role("button", name="Refund", exact=True).click()
        page.get_by_role("status").get_by_text("The refund is on its way.").wait_for()
        self.shop.until("it is refunded", lambda: self.shop.read(payment)["amounts"]["refunded"] == 1250)
        page.get_by_text("Partly refunded").first.wait_for()

    def test_a_file_for_the_bank_is_brought(self):
        payment = self.shop.paid("disputed-by-hand", 3000)
        case = self.shop.dispute(payment)
        page = self.signed_in()
        page.goto(f"{self.shop.url}/console/payments/{payment}")
        page.locator(".action > summary", has_text="Add a file for the bank").click()
        note = {"name": "delivery.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 delivered"}
        page.locator(f"form[action$='/disputes/{case}/files'] [type=file]").set_input_files(note)
        page.locator(f"form[action$='/disputes/{case}/files'] button").click()
        page.get_by_role("status").get_by_text("The file is kept with the dispute.").wait_for()
        with page.expect_download() as saving:
            page.get_by_role("link", name="delivery.pdf").click()
        self.assertEqual(saving.value.suggested_filename, "delivery.pdf")
        self.hold(page)

    def test_a_form_that_is_sent_again_does_it_once(self):
        payment = self.shop.paid("refunded-twice", 5000)
        page = self.signed_in()
        page.goto(f"{self.shop.url}/console/payments/{payment}")
        form = page.locator("form[action$='/actions/refund']")
        fields = [tuple(pair) for pair in form.evaluate("form => Array.from(new FormData(form))")]
        for _ in range(2):
            status, _, _ = self.shop.post(f"/console/payments/{payment}/actions/refund", fields, self.cookies(page))
            self.assertEqual(status, 303)
        self.shop.until("it is refunded", lambda: self.shop.read(payment)["amounts"]["refunded"] == 5000)
        self.assertEqual(len(self.shop.ledger(payment)), 2)

    def test_two_persons_settle_what_nobody_can_tell(self):
        # Its page is never opened, and the provider knows of nothing.
        payment = self.shop.create("settled", 5000)
        one = self.signed_in()
        one.goto(f"{self.shop.url}/console/payments/{payment}")
        one.locator(".action > summary", has_text="Propose a resolution").click()
        one.get_by_label("Verdict").select_option("failed")
        one.locator("form[action$='/propose'] [name=operation]").select_option(index=1)
        one.locator("form[action$='/propose'] [name=evidence]").fill("The cabinet shows no charge.")
        one.get_by_role("button", name="Propose a resolution").click()
        one.get_by_role("status").wait_for()
        one.locator(".action > summary", has_text="Approve the proposal").click()
        one.get_by_role("button", name="Approve the proposal").click()
        one.get_by_role("alert").wait_for()
        self.assertFalse(self.shop.read(payment)["resolutions"][0]["approved"], "nobody approves alone")
        other = self.signed_in(key=self.shop.new_key("second", "commands,read,audit,admin"))
        other.goto(f"{self.shop.url}/console/payments/{payment}")
        other.locator(".action > summary", has_text="Approve the proposal").click()
        other.get_by_role("button", name="Approve the proposal").click()
        other.get_by_role("status").get_by_text("Approved").wait_for()
        self.assertTrue(self.shop.read(payment)["resolutions"][0]["approved"])
        self.assertEqual(self.shop.read(payment)["status"], "failed")

    def test_a_page_tells_news_without_being_loaded_again(self):
        payment = self.shop.create("waited-for", 1999)
        page = self.signed_in()
        page.goto(f"{self.shop.url}/console/payments/{payment}")
        page.get_by_text("Waits for the payer").first.wait_for()
        page.evaluate("window.isSame = true")
        self.shop.pay(payment)
        page.locator(".badge", has_text="Captured").first.wait_for()
        self.assertTrue(page.evaluate("window.isSame"))

    def test_keys_search_walk_and_help(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/payments")
        page.keyboard.press("j")
        page.keyboard.press("j")
        second = page.locator("tbody .row-link").nth(1)
        self.assertTrue(second.evaluate("link => link === document.activeElement"))
        page.keyboard.press("k")
        page.keyboard.press("?")
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        page.keyboard.type(self.shop.paid_reference)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="What happened").wait_for()

    def test_everything_works_without_the_script(self):
        page = self.signed_in(scripts=False)
        page.goto(self.shop.url + "/console/payments")
        page.locator("tbody .row-link").first.click()
        page.get_by_role("heading", name="What happened").wait_for()
        page.locator(".action > summary", has_text="Ask the provider").click()
        page.get_by_role("button", name="Ask the provider").click()
        page.get_by_role("status").wait_for()

    def test_a_filter_is_kept_and_found_again(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/payments?status=captured")
        page.locator(".chip-form summary").click()
        page.get_by_label("Name of the filter").fill(SCRIPT)
        page.locator(".chip-form button").click()
        page.get_by_role("status").wait_for()
        page.goto(self.shop.url + "/console/payments")
        page.get_by_role("link", name=SCRIPT).click()
        self.assertIn("status=captured", page.url)
        page.get_by_role("button", name=f"Drop the filter {SCRIPT}").click()
        page.get_by_role("status").wait_for()
        self.assertEqual(page.get_by_role("link", name=SCRIPT).count(), 0)

    def test_a_download_says_what_it_holds_and_holds_it(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/payments")
        page.get_by_role("link", name="Download").click()
        self.assertIn("captured", page.inner_text("main"))
        with page.expect_download() as download:
            page.locator("a.button-main", has_text="Download").click()
        text = pathlib.Path(download.value.path()).read_bytes().decode()
        self.assertIn(self.shop.paid_reference, text)
        self.assertIn("'=HYPERLINK", text, "no cell is a formula")

    # Strangers

    def test_script_in_every_name_is_text(self):
        page = self.signed_in()
        alarms = []
        page.on("dialog", lambda dialog: (alarms.append(dialog.message), dialog.dismiss()))
        for name, address in self.shop.addresses().items():
            with self.subTest(page=name):
                page.goto(self.shop.url + address)
                self.assertEqual(page.locator("main script, main b[onmouseover]").count(), 0)
        page.goto(f"{self.shop.url}/console/payments/{self.shop.hostile}")
        self.assertIn(SCRIPT, page.inner_text("main"))
        page.goto(self.shop.url + "/console/payments?" + urllib.parse.urlencode({"reference": SCRIPT}))
        self.assertEqual(page.input_value("#f-reference"), SCRIPT)
        self.assertEqual(alarms, [])

    def test_a_key_without_scopes_sees_and_may_less(self):
        payment = self.shop.paid("read-only", 5000)
        page = self.signed_in(key=self.shop.new_key("reader", "read"))
        page.goto(f"{self.shop.url}/console/payments/{payment}")
        self.assertEqual(page.locator(".action").count(), 0)
        self.assertIn("The log is not shown", page.inner_text("main"))
        self.assertEqual(page.locator("nav.sections", has_text="Open items").count(), 0)
        self.assertEqual(page.goto(self.shop.url + "/console/open").status, 403)
        self.assertEqual(accessibility(page), [])

    # Time

    def test_a_page_takes_less_than_a_tenth_of_a_second(self):
        cookies = self.cookies(self.signed_in())
        slow = {}
        for name, address in self.shop.addresses().items():
            took = []
            for _ in range(5):
                begun = time.perf_counter()
                status, _, _ = self.shop.get(address, cookies)
                took.append(time.perf_counter() - begun)
                self.assertEqual(status, 200)
            slow[name] = sorted(took)[2]
        print("\n".join(f"{name}: {took * 1000:.1f} ms" for name, took in slow.items()))
        self.assertEqual({name: took for name, took in slow.items() if took >= PAGE_SECONDS}, {})


if __name__ == "__main__":
    unittest.main()
