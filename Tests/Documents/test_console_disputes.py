"""Brings files about disputes in the console and saves them, as who may and as who may not, over plain HTTP."""

import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "Browser"), str(pathlib.Path(__file__).parent)]

from console_shop import SCRIPT, ConsoleVisitor  # noqa: E402

CARD = b"4000 0000 0000 0077"


class ConsoleDisputeTests(ConsoleVisitor, unittest.TestCase):
    def opened(self, reference, answer_by="2099-01-02T03:04:05Z"):
        payment = self.shop.paid(reference, 3_000)
        return payment, self.shop.dispute(payment, answer_by)

    def place(self, payment, case):
        return f"/console/payments/{payment}/disputes/{case}/files"

    def test_a_person_brings_a_file_and_saves_it(self):
        payment, case = self.opened("disputed-with-a-file")
        place = self.place(payment, case)
        ann = self.signed_in(self.new_key("ann-of-disputes", "read,commands,audit"))
        page = self.shop.get(f"/console/payments/{payment}", ann)[2]
        self.assertIn(f'action="{place}"', page)
        self.assertIn("Answer by", page)
        self.assertIn("2099", page)
        self.assertNotIn("The deadline has passed", page)
        token = {"form_token": self.token(ann)}
        note = "Delivered on Monday: дякуємо.".encode()
        for expected in ("done=file", "done=fileKnown"):
            status, headers, _ = self.shop.bring(token | {"name": ""}, note, ann, path=place)
            self.assertEqual(status, 303)
            self.assertTrue(headers["Location"].endswith(expected), headers["Location"])
        self.assertIn("The file is kept with the dispute.", self.shop.get(f"/console/payments/{payment}?done=file", ann)[2])
        status, headers, _ = self.shop.bring(token | {"name": "../lies\\.pdf" + SCRIPT}, b"%PDF-1.7 more", ann, path=place)
        self.assertEqual(status, 303)
        kept = self.shop.files(payment, case)
        self.assertEqual([file["type"] for file in kept], ["text/plain", "application/pdf"])
        self.assertEqual(kept[0]["name"], f"{SCRIPT[:8]}.csv", "the file's own name where none is given")
        page = self.shop.get(f"/console/payments/{payment}", ann)[2]
        self.assertNotIn(SCRIPT, page)
        before = self.shop.accesses("dispute_evidence")
        status, headers, text = self.shop.get(f"{place}/{kept[0]['id']}", ann)
        self.assertEqual((status, text.encode()), (200, note))
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertEqual(headers["Content-Disposition"], 'attachment; filename="_script_.csv"')
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.shop.accesses("dispute_evidence"), before + 1, "who looked is recorded")
        lies = self.shop.get(f"{place}/{kept[1]['id']}", ann)[1]["Content-Disposition"]
        self.assertRegex(lies, r'^attachment; filename="[A-Za-z0-9_-][A-Za-z0-9._-]*"$')
        for sent, expected, words in (
            (b"", 400, "No file came along"),
            (bytes(range(256)), 415, "The file is one of application/pdf"),
            (b"a" * (512 * 1024 + 1), 413, "524288"),
            (b"Card " + CARD, 422, "card_data_refused"),
        ):
            with self.subTest(words=words):
                status, _, text = self.shop.bring(token, sent, ann, path=place)
                self.assertEqual(status, expected)
                self.assertIn(words, text)
                self.assertNotIn(CARD.decode(), text)
        self.assertEqual(len(self.shop.files(payment, case)), 2)

    def test_an_answer_that_is_late_is_told_and_one_that_is_over_takes_no_file(self):
        payment, case = self.opened("disputed-and-late", "2020-01-02T03:04:05Z")
        ann = self.signed_in()
        page = self.shop.get(f"/console/payments/{payment}", ann)[2]
        self.assertIn("The deadline has passed", page)
        token = {"form_token": self.token(ann)}
        self.assertEqual(self.shop.bring(token, b"late", ann, path=self.place(payment, case))[0], 303, "late is no end")
        self.shop.send("POST", f"/v1/payments/{payment}/disputes/{case}/lost", {}, f"lost-{payment}")
        status, _, text = self.shop.bring(token, b"too late", ann, path=self.place(payment, case))
        self.assertEqual(status, 422)
        self.assertIn("dispute_closed", text)
        page = self.shop.get(f"/console/payments/{payment}", ann)[2]
        self.assertNotIn(f'action="{self.place(payment, case)}"', page)
        self.assertIn(f"{self.place(payment, case)}/", page, "what is kept can still be saved")

    def test_a_file_from_elsewhere_is_not_taken_and_given_to_nobody_else(self):
        payment, case = self.opened("disputed-by-strangers")
        place = self.place(payment, case)
        ann, other = self.signed_in(), self.signed_in(self.new_key("other-of-disputes"))
        reader = self.signed_in(self.new_key("reads-disputes", "read"))
        good = {"form_token": self.token(ann)}
        for fields, cookies, headers, expected in (
            (good, "", None, 401), (good, "paystream-console=" + "A" * 43, None, 401),
            (good, ann, {"Origin": "https://evil.example"}, 403), (good, ann, {"Origin": None}, 403),
            (good, ann, {"Sec-Fetch-Site": "cross-site"}, 403),
            ({"form_token": self.token(other)}, ann, None, 403), ({}, ann, None, 403),
            ({"form_token": self.token(reader)}, reader, None, 403),
            (good, ann, {"Content-Type": "application/x-www-form-urlencoded"}, 400),
        ):
            with self.subTest(headers=headers, expected=expected):
                self.assertEqual(self.shop.bring(fields, b"no", cookies, headers, path=place)[0], expected)
        neighbour = self.signed_in(self.new_key("neighbour-of-disputes", "read,commands,audit", "neighbour"))
        token = {"form_token": self.token(neighbour)}
        self.assertEqual(self.shop.bring(token, b"no", neighbour, path=place)[0], 404)
        self.assertEqual(self.shop.files(payment, case), [])
        self.shop.attach(payment, case, "note.txt", b"ours")
        there = f"{place}/{self.shop.files(payment, case)[0]['id']}"
        self.assertEqual(self.shop.get(there, neighbour)[0], 404)
        self.assertEqual(self.shop.get(there, reader)[0], 403)
        self.assertNotIn(there, self.shop.get(f"/console/payments/{payment}", reader)[2])
        self.assertEqual(self.shop.get(place + "/" + "0" * 32, ann)[0], 404)
        self.assertEqual(self.shop.get(there, ann)[0], 200)


if __name__ == "__main__":
    unittest.main()
