"""Brings settlement files and closes months in the console, as who may and as who may not, over plain HTTP."""

import csv
import gzip
import html
import io
import pathlib
import re
import sys
import unittest
import urllib.parse
import urllib.request
import xml.etree.ElementTree
import zipfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "Browser"), str(pathlib.Path(__file__).parent)]

from console_shop import SCRIPT, ConsoleVisitor  # noqa: E402

CARD = "4000 0000 0000 0077"


class ConsoleFinanceTests(ConsoleVisitor, unittest.TestCase):
    def settlement_lines(self, *rows):
        head = "operation_type,operation_id,payment_id,amount,currency,commission,operation_date,operation_status\n"
        return (head + "".join(row + "\n" for row in rows)).encode()

    def files(self):
        return int(self.shop.sql("SELECT count(*) FROM paystream.settlement_file"))

    def test_a_person_imports_a_settlement_file(self):
        ann = self.signed_in(self.new_key("ann-with-a-file", "read,finance"))
        fields = {"form_token": self.token(ann), "account": "ecommpay-demo"}
        file = self.settlement_lines("sale,5795570000000003,brought-by-hand,5.00,EUR,0.10,2026-11-21 10:00:00,success")
        self.assertIn('enctype="multipart/form-data"', self.shop.get("/console/reconciliation", ann)[2])
        status, headers, _ = self.shop.bring(fields, file, ann)
        self.assertEqual(status, 303)
        self.assertIn("done=imported", headers["Location"])
        text = self.shop.get(headers["Location"], ann)[2]
        self.assertIn("Imported. · Lines: 1 · Matched: 0 · Exceptions: 1", text)
        # Another one takes its place: a line that it has, too, was there before.
        first = urllib.parse.parse_qs(urllib.parse.urlparse(headers["Location"]).query)["file"][0]
        form = self.shop.get("/console/reconciliation", ann)[2]
        self.assertIn(f'<option value="{first}">ecommpay-demo · 2026-11-21 – 2026-11-22 · Lines: 1</option>', form)
        more = file + b"sale,5795570000000004,brought-by-hand,6.00,EUR,0.10,2026-11-21 10:00:00,success\n"
        status, headers, _ = self.shop.bring(fields | {"corrects": first}, more, ann)
        self.assertEqual(status, 303)
        self.assertIn("Imported. · Lines: 2 · Matched: 0 · There before: 1 · Exceptions: 1", self.shop.get(headers["Location"], ann)[2])
        second = urllib.parse.parse_qs(urllib.parse.urlparse(headers["Location"]).query)["file"][0]
        self.assertEqual(self.shop.bring(fields | {"corrects": second}, file, ann)[0], 303)
        before = self.files()
        for packed in (file, gzip.compress(file)):
            status, headers, _ = self.shop.bring(fields | {"from": "", "before": ""}, packed, ann)
            self.assertEqual(status, 303)
        self.assertEqual(self.files(), before + 1, "the same file changes nothing, and packed it is another one that corrects it")
        broken = self.settlement_lines("sale,1,x,1e5,EUR,,2026-11-21 10:00:00,success")
        for case, sent, expected, words in (
            (fields, broken, 422, "line 2, column &#39;amount&#39;"),
            (fields, file[:-1] + b',"', 422, "line 2"),
            (fields, gzip.compress(file)[:-9], 422, "end too early"),
            (fields, b"", 400, "No file came along"),
            (fields | {"account": "nobody"}, file, 422, "no such account"),
            (fields | {"from": "yesterday", "before": "today"}, file, 400, "from"),
            (fields | {"from": "2026-11-22", "before": "2026-11-23"}, file + b"\n", 422, "outside of the period"),
            (fields, b"a" * (4 * 1024 * 1024 + 1024), 413, "At most 4194304 bytes"),
            (fields | {"account": CARD}, file, 422, "card_data_refused"),
        ):
            with self.subTest(words=words):
                status, _, text = self.shop.bring(case, sent, ann)
                self.assertEqual(status, expected)
                self.assertIn(words, text)
                self.assertNotIn("1e5", text)
                self.assertNotIn(CARD, text)
        self.assertEqual(self.files(), before + 1)

    def test_a_person_sees_how_a_read_model_is_built_again(self):
        ann = self.signed_in(self.new_key("ann-of-health", "read"))
        text = self.shop.get("/console/health", ann)[2]
        for name in ("payment_view", "movement", "public_event"):
            self.assertIn(f"<code>paystream projections rebuild {name}</code>", text)
        self.assertNotIn("<progress", text)
        self.assertNotIn("projections swap", text)
        self.shop._run("projections", "rebuild", "movement")
        text = self.shop.get("/console/health", ann, {"Paystream-Refresh": "1"})[2]
        self.assertEqual(text.count("<progress"), 1)
        self.assertRegex(text, "paystream projections (swap|rebuild) movement")
        self.shop._run("projections", "swap", "movement")
        self.assertNotIn("<progress", self.shop.get("/console/health", ann)[2])
        self.shop.sql("UPDATE paystream.checkpoint SET version = version - 1 WHERE name = 'instrument_view'")
        try:
            self.assertIn("Another version is shown", self.shop.get("/console/health", ann)[2])
        finally:
            self.shop.sql("UPDATE paystream.checkpoint SET version = version + 1 WHERE name = 'instrument_view'")

    def test_an_accounts_settings_are_shown_without_its_secrets(self):
        text = self.shop.get("/console/accounts", self.signed_in(self.new_key("ann-of-accounts", "read")))[2]
        self.assertIn("projectId", text)
        self.assertIn("secretKey", text)
        self.assertNotIn("sandbox-secret", text)

    def test_who_approves_reads_what_was_proposed(self):
        place = f"/console/reconciliation/{self.shop.settle('5795570000000021', 'to-be-resolved')}"
        ann = self.signed_in(self.new_key("ann-proposes", "read,finance"))
        ben = self.signed_in(self.new_key("ben-approves", "read,approve"))
        shown = self.shop.get(place, ann)[2]
        self.assertIn('value="adjust"', shown)
        self.assertIn('value="disregard"', shown)
        fields = {"form_token": self.token(ann), "verdict": "disregard", "reason": "A test of theirs."}
        self.assertEqual(self.shop.post(f"{place}/propose", fields, ann)[0], 303)
        form = self.shop.get(place, ben)[2].split("/approve")[1].split("</form>")[0]
        for said in ("Disregard the line", "A test of theirs.", "Proposed by"):
            self.assertIn(said, form)
        number = re.search('name="proposal" value="([0-9]+)"', form).group(1)
        fields = {"form_token": self.token(ben), "proposal": number}
        self.assertEqual(self.shop.post(f"{place}/approve", fields, ben)[0], 303)
        shown = self.shop.get(place, ben)[2]
        self.assertIn("Proposed: Disregard the line", shown)
        self.assertIn("Disregarded", shown)
        self.assertNotIn(">disregarded<", shown)
        # What is resolved is found again, and so is what a file left open.
        link = place.split("/")[-1]
        self.assertNotIn(link, self.shop.get("/console/reconciliation", ben)[2])
        shown = self.shop.get("/console/reconciliation?open=false", ben)[2]
        self.assertIn(link, shown)
        self.assertIn("Missing here: Disregarded", shown)
        other = self.shop.settle("5795570000000022", "still-open")
        shown = self.shop.get("/console/reconciliation", ben)[2]
        for file in re.findall('href="(/console/reconciliation[?]file=stl_[0-9a-f]{32})"', shown):
            found = re.findall("/console/reconciliation/(exc_[0-9a-f]{32})", self.shop.get(file, ben)[2])
            self.assertEqual(len(set(found)), 1, "each of these files has one line that fits nothing")
            if other in found:
                break
        else:
            self.fail("no file leads to its exception")

    def test_a_figure_leads_to_its_movements_and_they_lead_to_the_payment(self):
        ann = self.signed_in(self.new_key("ann-of-reports", "read"))
        reports = self.shop.addresses()["report"]
        row = self.shop.send("GET", reports.replace("/console/", "/v1/"))["rows"][0]
        shown = self.shop.get(reports, ann)[2]
        behind = html.unescape(re.search('href="(/console/reports/turnover/movements[^"]*)"', shown).group(1))
        shown = self.shop.get(behind, ann)[2]
        rows = [re.findall("<td[^>]*>(.*?)</td>", line) for line in re.findall("<tr>(.*?)</tr>", shown.split("<tbody>")[1])]
        captured = [cells for cells in rows if cells[1] == "Captured" and cells[3] == "EUR"]
        minor = sum(int(re.sub("[^0-9]", "", cells[2])) for cells in captured)
        self.assertEqual(minor, row["captured"], "the list comes to the figure")
        payment = re.search('href="(/console/payments/pay_[0-9a-f]{32})"', captured[0][0]).group(1)
        self.assertEqual(self.shop.get(payment, ann)[0], 200)
        other = re.sub("account=[^&]*", "account=nobody", behind)
        self.assertNotIn("<tbody>", self.shop.get(other, ann)[2])
        text = self.shop.get(behind.replace("/movements?", "/movements.csv?"), ann)[2]
        self.assertIn("pay_", text)
        neighbour = self.signed_in(self.new_key("neighbours-reports", "read", "neighbour"))
        self.assertNotIn("pay_", self.shop.get(behind, neighbour)[2])
        for report in ("exceptions", "nothing"):
            self.assertEqual(self.shop.get(f"/console/reports/{report}/movements", ann)[0], 404, report)

    def test_a_day_of_reconciliation_leads_to_what_our_books_have_of_it(self):
        ann = self.signed_in(self.new_key("ann-of-conservation", "read"))
        shown = self.shop.get(self.shop.addresses()["report"].replace("/turnover?", "/reconciliation?"), ann)[2]
        behind = html.unescape(re.search('href="(/console/reports/reconciliation/movements[^"]*)"', shown).group(1))
        listed = self.shop.get(behind, ann)[2]
        self.assertIn('href="/console/reconciliation"', listed)
        rows = [re.findall("<td[^>]*>(.*?)</td>", line) for line in re.findall("<tr>(.*?)</tr>", listed.split("<tbody>")[1])]
        minor = sum(int(re.sub("[^0-9]", "", cells[2])) for cells in rows if cells[1] == "Captured")
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(behind).query)
        asked["by"] = ["effective"]  # Its days are the provider's.
        words = "&".join(f"{name}={urllib.parse.quote(asked[name][0])}" for name in ("from", "before", "zone", "mode", "by", "asOf") if name in asked)
        turnover = self.shop.send("GET", f"/v1/reports/turnover?{words}")["rows"]
        sold = [row for row in turnover if row["account"] == asked["account"][0] and row["currency"] == asked["currency"][0]]
        self.assertEqual(minor, sum(row["captured"] for row in sold))
        self.assertGreater(minor, 0)

    def test_a_count_leads_to_its_facts_and_they_lead_to_the_payment(self):
        ann = self.signed_in(self.new_key("ann-of-counts", "read"))
        address = self.shop.addresses()["report"].replace("/turnover?", "/declines?")
        row = self.shop.send("GET", address.replace("/console/", "/v1/"))["rows"][0]
        shown = self.shop.get(address, ann)[2]
        behind = html.unescape(re.search('href="(/console/reports/declines/movements[^"]*)"', shown).group(1))
        lines = re.findall("<tr>(.*?)</tr>", self.shop.get(behind, ann)[2].split("<tbody>")[1])
        refused = [line for line in lines if ">Refused<" in line]
        self.assertEqual(len(refused), row["declines"], "the list comes to the figure")
        payment = re.search('href="(/console/payments/pay_[0-9a-f]{32})"', refused[0]).group(1)
        self.assertEqual(self.shop.get(payment, ann)[0], 200)
        for report in ("approval", "three-d-secure", "recurring", "time-to-money"):
            shown = self.shop.get(behind.replace("/declines/", f"/{report}/"), ann)
            self.assertEqual(shown[0], 200, report)
        self.assertIn("seconds", self.shop.get(behind.replace("/declines/movements?", "/time-to-money/movements.csv?"), ann)[2])

    def test_a_figure_of_test_accounts_leads_to_payments_of_test_accounts(self):
        ann = self.signed_in(self.new_key("ann-of-overviews", "read"))
        for mode, wanted in (("test", "accountMode=test"), ("live", "accountMode=live"), ("all", "")):
            shown = self.shop.get(self.shop.addresses()["overview"].replace("mode=test", f"mode={mode}"), ann)[2]
            links = [html.unescape(link) for link in re.findall('href="(/console/payments[?][^"]*from=[^"]*)"', shown)]
            self.assertTrue(links or mode == "live", mode)
            for link in links:
                self.assertIn(wanted, link)
                self.assertEqual("accountMode" in link, mode != "all", link)

    def test_what_stands_is_told_whole_however_old_it_is(self):
        ann = self.signed_in(self.new_key("ann-of-old-money", "read"))
        self.shop.sql(
            "INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, "
            "effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause) "
            "SELECT m.id, gen_random_uuid(), 1, 0, 1, 1, kind, amount, 'EUR', 1, now() - interval '200 days', "
            "now() - interval '200 days', gen_random_uuid(), 'of-old', 'live', 'ecommpay', 'provider', true, gen_random_uuid() "
            "FROM paystream.merchant m, (VALUES ('captured', 12345), ('authorised', 6789)) AS o (kind, amount) "
            "WHERE m.name = 'documents'"
        )
        report = self.shop.addresses()["report"].replace("mode=test", "mode=live")
        for name, amounts in (("balance", ("123.45", "67.89")), ("open-items", ("67.89",))):
            address = report.replace("/turnover?", f"/{name}?")
            # The form asks for no first day.
            for asked in (address, re.sub("from=[^&]*&", "", address)):
                shown = self.shop.get(asked, ann)[2]
                for amount in amounts:
                    self.assertIn(amount, shown, asked)
            self.assertIn("Everything before", shown)
            self.assertIn("Everything before", self.shop.get(address, ann)[2])
            text = self.shop.get(address.replace(f"/{name}?", f"/{name}/download.csv?"), ann)[2]
            self.assertIn(amounts[-1], text)
        shown = self.shop.get(report.replace("/turnover?", "/balance?"), ann)[2]
        behind = html.unescape(re.search('href="(/console/reports/balance/movements[^"]*)"', shown).group(1))
        self.assertIn("Everything before", self.shop.get(behind, ann)[2])
        self.assertNotIn("123.45", self.shop.get(report, ann)[2], "a report of days has the days that are asked for")
        shown = self.shop.get(report.replace("/turnover?", "/open-items?"), ann)[2]
        behind = html.unescape(re.search('href="(/console/reports/open-items/movements[^"]*)"', shown).group(1))
        self.assertIn("age=31", behind)
        listed = self.shop.get(behind, ann)[2]
        self.assertIn("67.89", listed)
        self.assertRegex(listed, 'href="/console/payments/pay_[0-9a-f]{32}"')
        self.assertNotIn("<tbody>", self.shop.get(re.sub("age=[^&]*", "age=2-3", behind), ann)[2])

    def test_a_report_can_be_opened_whatever_stands_in_it(self):
        odd = ["a\u0301,b", '"\u0301,"', "x;=1+1", "\ufffe\uffff", "_x000D_", "=HYPERLINK(1)", "<&>"]
        for number, reference in enumerate(odd):
            self.shop.settle(f"579557000000003{number}", reference)
        ann = self.signed_in(self.new_key("ann-of-odd-texts", "read"))
        address = self.shop.addresses()["report"].replace("/turnover?", "/exceptions/download.FORM?")
        rows = list(csv.reader(io.StringIO(self.shop.get(address.replace("FORM", "csv"), ann)[2], newline="")))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])}, "no text is more than one field")
        cells = [cell for row in rows for cell in row]
        for text in ("a\u0301,b", '"\u0301,"', "x;'=1+1", "'=HYPERLINK(1)"):
            self.assertIn(text, cells)
        headers = {"Authorization": f"Bearer {self.shop.key}"}
        request = urllib.request.Request(f"{self.shop.url}/v1/reports/exceptions?mode=test&format=xlsx", headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer, zipfile.ZipFile(io.BytesIO(answer.read())) as book:
            sheets = [book.read(name) for name in book.namelist() if name.endswith(".xml")]
        for sheet in sheets:
            xml.etree.ElementTree.fromstring(sheet)
        text = b"".join(sheets).decode()
        self.assertIn("_x005F_x000D_", text)
        self.assertNotIn("<f>", text, "no cell is a formula")

    def test_each_language_has_the_words_of_reports(self):
        ann = self.signed_in(self.new_key("ann-reads-uncommanded", "read"))
        for name, raw in (("open-items", ">hold<"), ("exceptions", ">missingHere<"), ("declines", ">insufficient")):
            address = self.shop.addresses()["report"].replace("/turnover?", f"/{name}?")
            shown = self.shop.get(address, ann, {"Accept-Language": "uk"})[2]
            self.assertIn("<tbody>", shown, name)
            self.assertNotIn(raw, shown, name)

    def test_a_file_from_elsewhere_is_not_taken(self):
        ann, other = self.signed_in(), self.signed_in(self.new_key("other-with-a-file"))
        reader = self.signed_in(self.new_key("reads-files", "read,commands"))
        file = self.settlement_lines("sale,5795570000000004,never,5.00,EUR,0.10,2026-11-21 10:00:00,success")
        good = {"form_token": self.token(ann), "account": "ecommpay-demo"}
        before = self.files()
        for fields, cookies, headers, expected in (
            (good, "", None, 401), (good, "paystream-console=" + "A" * 43, None, 401),
            (good, ann, {"Origin": "https://evil.example"}, 403), (good, ann, {"Origin": None}, 403),
            (good, ann, {"Sec-Fetch-Site": "cross-site"}, 403),
            (good | {"form_token": self.token(other)}, ann, None, 403), ({"account": "ecommpay-demo"}, ann, None, 403),
            (good | {"form_token": self.token(reader)}, reader, None, 403),
            (good, ann, {"Content-Type": "application/x-www-form-urlencoded"}, 400),
            (good, ann, {"Content-Type": "multipart/form-data"}, 400),
            (good, ann, {"Content-Type": "multipart/form-data; boundary=other"}, 400),
            ({f"f{number}": "" for number in range(17)} | good, ann, None, 400),
        ):
            with self.subTest(headers=headers, expected=expected):
                self.assertEqual(self.shop.bring(fields, file, cookies, headers)[0], expected)
        self.assertEqual(self.files(), before)
        neighbour = self.signed_in(self.new_key("neighbours-file", "read,admin", "neighbour"))
        status, _, text = self.shop.bring(good | {"form_token": self.token(neighbour)}, file, neighbour)
        self.assertEqual(status, 422, "another merchant's account is no account")
        self.assertNotIn("data-upload", self.shop.get("/console/reconciliation", reader)[2])

    def test_months_are_closed_one_after_the_other_by_who_may(self):
        ann = self.signed_in(self.new_key("closes-months", "read,finance"))
        reader = self.signed_in(self.new_key("reads-months", "read"))
        page = self.shop.get("/console/months", ann)[2]
        month = page.split('name="month"')[1].split('value="')[1].split('"')[0]

        def close(cookies, wanted, **fields):
            fields = {"form_token": self.token(cookies), "month": wanted} | fields
            return self.shop.post("/console/months", fields, cookies)

        self.assertEqual(close(reader, month)[0], 403)
        self.assertNotIn('name="month"', self.shop.get("/console/months", reader)[2])
        for wanted, expected in (("2026-13", 404), ("", 404), (SCRIPT, 404), ("2099-01", 409), ("../accounts", 404)):
            self.assertEqual(close(ann, wanted)[0], expected, wanted)
        self.assertEqual(close(ann, month, note=SCRIPT)[0], 303)
        shown = self.shop.get("/console/months?done=closed", reader)[2]
        self.assertIn(f"<strong>{month}</strong>", shown)
        self.assertIn("&lt;script&gt;alert(1)", shown)
        neighbour = self.signed_in(self.new_key("neighbours-months", "read", "neighbour"))
        self.assertNotIn(f"<strong>{month}</strong>", self.shop.get("/console/months", neighbour)[2])


if __name__ == "__main__":
    unittest.main()
