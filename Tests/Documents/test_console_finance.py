"""Brings settlement files and closes months in the console, as who may and as who may not, over plain HTTP."""

import gzip
import pathlib
import sys
import unittest

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
