"""Walks through the console's figures in Chromium: the overview, reports, settlement files and months."""

import pathlib
import re
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from browser import accessibility  # noqa: E402
from console_browser import ConsoleBrowser  # noqa: E402
from console_shop import SCRIPT  # noqa: E402


class ConsoleFigureTests(ConsoleBrowser, unittest.TestCase):
    def test_the_overview_tells_how_long_the_provider_took(self):
        payment = self.shop.paid("measured", 5000)
        body = {"amount": {"value": 5000, "currency": "EUR"}}
        self.shop.send("POST", f"/v1/payments/{payment}/refund", body, "refund-measured")
        self.shop.until("it is refunded", lambda: self.shop.read(payment)["status"] == "refunded")
        address = self.shop.addresses()["overview"]
        query = address.split("?")[1]
        self.shop.until("the answer is counted", lambda: self.shop.send("GET", f"/v1/activity?{query}")["answerTimes"])

        def totals(rows):
            return [sum(row[name] for row in rows if row["currency"] == "EUR") for name in ("captured", "refunded", "net")]

        def counted():
            return self.shop.send("GET", f"/v1/activity?{query}")

        self.shop.until("the refund is counted", lambda: totals(counted()["money"])[1] > 0)
        self.shop.until(
            "the report sums the same",
            lambda: totals(counted()["money"]) == totals(self.shop.send("GET", f"/v1/reports/turnover?{query}")["rows"]),
        )
        self.assertEqual({time["provider"] for time in counted()["answerTimes"]}, {"ecommpay"})
        page = self.signed_in()
        page.goto(self.shop.url + address)
        # A large shop's figures have room, too.
        figure = "document.querySelector('.card-figure').firstChild.textContent"
        page.evaluate(figure + " = '9\u202f876\u202f543\u202f210.00 '")
        self.hold(page)
        chart = page.locator("figure.chart", has_text="Answers by day, ecommpay")
        chart.get_by_text("As a table").click()
        self.assertRegex(chart.locator("tbody").inner_text(), "\\d+\xa0(ms|s)")
        chart.locator("tbody").get_by_role("link").first.click()
        page.get_by_role("heading", name="Payments", level=1).wait_for()

    def test_what_is_counted_stays_when_a_read_model_is_built_again(self):
        query = self.shop.addresses()["overview"].split("?")[1]

        def counted():
            return self.shop.send("GET", f"/v1/activity?{query}")

        def answers(told):
            return sum(time["answers"] for time in told["answerTimes"])

        def is_still():
            seen = counted()["money"]
            time.sleep(1)
            return counted()["money"] == seen

        # What earlier tests paid comes to the books a moment later.
        self.shop.until("the books are up to date", is_still)
        before = counted()
        self.assertGreater(sum(row["payments"] for row in before["rows"]), 5)
        for name in ("payment_view", "movement"):
            self.shop._run("projections", "rebuild", name)
            self.shop._run("projections", "swap", name)
        after = counted()
        for name in ("rows", "money", "timeToMoney"):
            self.assertEqual(after[name], before[name])
        # Meanwhile the provider may have been asked once more.
        self.assertGreaterEqual(answers(after), answers(before))

    def test_a_report_downloads_the_rows_that_it_shows(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/reports/turnover?mode=test")
        rows = page.locator("tbody tr").count()
        with page.expect_download() as download:
            page.get_by_role("link", name="Download XLSX").click()
        self.assertEqual(pathlib.Path(download.value.path()).read_bytes()[:2], b"PK")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download CSV").click()
        lines = pathlib.Path(download.value.path()).read_bytes().decode().strip().split("\r\n")
        self.assertEqual(len(lines) - 1, rows)

    def test_a_report_that_is_longer_than_a_page_is_downloaded_whole(self):
        self.shop.sql(
            "INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, "
            "effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause) "
            "SELECT m.id, gen_random_uuid(), 1, 0, 1, 1, 'captured', 1, 'EUR', 1, now(), now(), gen_random_uuid(), 'account-' || n, "
            "'live-autocancel', 'ecommpay', 'provider', true, gen_random_uuid() "
            "FROM paystream.merchant m, generate_series(1, 3000) n WHERE m.name = 'documents'"
        )
        page = self.signed_in()
        page.goto(self.shop.url + "/console/reports/turnover?mode=live-autocancel")
        page.get_by_text("Longer than a page").wait_for()
        with page.expect_download() as download:
            page.get_by_role("link", name="Download CSV").first.click()
        lines = pathlib.Path(download.value.path()).read_bytes().decode().strip().split("\r\n")
        self.assertEqual(len(lines) - 1, 3000)

    def test_a_report_is_made_again_as_it_was(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/reports/turnover?mode=test")
        page.locator("details.fold summary", has_text="As of").click()
        page.get_by_label("As of").fill("1")
        page.get_by_role("button", name="Show").last.click()
        page.wait_for_url(re.compile("asOf=1"))
        page.get_by_text("Made at position 1 of the log.").wait_for()
        self.assertEqual(page.locator("tbody tr").count(), 0)

    def test_a_settlement_file_is_brought_without_a_reload(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/reconciliation")
        page.evaluate("window.isSame = true")
        page.locator("#bring > summary").click()
        form = page.locator("form[data-upload]")
        form.locator("select[name=account]").select_option("ecommpay-demo")
        head = "operation_type,operation_id,payment_id,amount,currency,commission,operation_date,operation_status\n"
        day = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())

        def bring(text):
            page.locator("#bring").evaluate("fold => { fold.open = true; }")
            file = {"name": "brought.csv", "mimeType": "text/csv", "buffer": text.encode()}
            page.locator("form[data-upload] input[type=file]").set_input_files(file)
            page.locator("form[data-upload] button").click()

        bring("x" * (4 * 1024 * 1024 + 1))
        form.get_by_text("the command line takes larger files").wait_for()
        bring(head + f"sale,5795570000000009,from-a-browser,5.00,EUR,0.10,{day},success\n")
        page.get_by_role("status").get_by_text("Imported. · Lines: 1 · Matched: 0 · Exceptions: 1").wait_for()
        self.assertTrue(page.evaluate("window.isSame"))
        self.assertIn("done=imported", page.url)
        page.get_by_text("from-a-browser").or_(page.get_by_text("5795570000000009")).first.wait_for()
        bring(head + f"sale,5795570000000010,from-a-browser,five,EUR,0.10,{day},success\n")
        page.get_by_role("alert").get_by_text("line 2, column 'amount'").wait_for()
        self.assertTrue(page.evaluate("window.isSame"))
        self.assertEqual(accessibility(page), [])
        page.go_back()
        page.get_by_role("heading", name="Reconciliation", level=1).wait_for()

    def test_a_settlement_file_is_brought_without_the_script(self):
        page = self.signed_in(scripts=False)
        page.goto(self.shop.url + "/console/reconciliation")
        page.locator("#bring > summary").click()
        text = "operation_type,operation_id,payment_id,amount,currency,commission,operation_date,operation_status\n"
        text += "sale,5795570000000011,by-a-form,5.00,EUR,0.10,2026-11-21 10:00:00,success\n"
        file = {"name": "brought.csv", "mimeType": "text/csv", "buffer": text.encode()}
        page.locator("form[data-upload] input[type=file]").set_input_files(file)
        page.locator("form[data-upload] button").click()
        page.get_by_role("status").get_by_text("Imported.").wait_for()

    def test_a_month_is_closed(self):
        page = self.signed_in()
        page.goto(self.shop.url + "/console/reports")
        page.get_by_role("link", name="Closed months").click()
        month = page.input_value("#f-month")
        page.get_by_label("Note").fill(SCRIPT)
        page.get_by_role("button", name="Close the month").click()
        page.get_by_role("status").get_by_text("The month is closed.").wait_for()
        self.assertIn(month, page.locator("tbody tr").first.inner_text())


if __name__ == "__main__":
    unittest.main()
