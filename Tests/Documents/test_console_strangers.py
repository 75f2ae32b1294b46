"""Comes to the console as a stranger, as another tenant and with forms of others, over plain HTTP."""

import pathlib
import sys
import unittest
import urllib.parse

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "Browser"), str(pathlib.Path(__file__).parent)]

from console_shop import SCRIPT, ConsoleVisitor  # noqa: E402

CARD = "4000 0000 0000 0077"


class ConsoleStrangerTests(ConsoleVisitor, unittest.TestCase):
    # Who comes in

    def test_nobody_sees_anything_without_a_session(self):
        for address in [*self.shop.addresses().values(), "/console"]:
            with self.subTest(address=address):
                status, headers, text = self.shop.get(address)
                self.assertEqual(status, 303)
                self.assertTrue(headers["Location"].startswith("/console/sign-in?next=%2Fconsole"))
                self.assertEqual(text, "")
        status, _, _ = self.shop.get("/console/payments", "paystream-console=" + "A" * 43)
        self.assertEqual(status, 303)

    def test_every_answer_loads_nothing_from_elsewhere(self):
        cookies = self.signed_in()
        for address in [*self.shop.addresses().values(), "/console/sign-in", "/console/nowhere"]:
            with self.subTest(address=address):
                _, headers, text = self.shop.get(address, cookies)
                self.assertEqual(
                    headers["Content-Security-Policy"],
                    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
                )
                self.assertEqual(headers["Cache-Control"], "no-store")
                self.assertEqual(headers["X-Frame-Options"], "DENY")
                self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
                for mark in ("http://", "https://", " style=", " onclick", "<style", "<script>"):
                    self.assertNotIn(mark, without_texts(text), mark)

    def test_a_wrong_key_opens_nothing_and_is_not_repeated(self):
        for key in ("", "psk_" + "A" * 43, "x" * 5000, SCRIPT, CARD):
            with self.subTest(key=key[:20]):
                here = {"X-Forwarded-For": "192.0.2.1"}
                status, headers, text = self.shop.post("/console/sign-in", {"key": key}, headers=here)
                self.assertEqual(status, 401)
                self.assertIsNone(headers["Set-Cookie"])
                if key:
                    self.assertNotIn(key, text)

    def test_an_address_has_few_attempts(self):
        here = {"X-Forwarded-For": "192.0.2.2"}
        statuses = [self.shop.post("/console/sign-in", {"key": "psk_no"}, headers=here)[0] for _ in range(14)]
        self.assertEqual(statuses[:8], [401] * 8)
        self.assertEqual(statuses[-1], 429)
        # The right key waits like any other; a moment later it is let in. Another address never waited.
        self.assertEqual(self.shop.post("/console/sign-in", {"key": self.shop.key}, headers=here)[0], 429)
        self.assertEqual(self.sign_in(self.shop.key)[0], 303)
        self.shop.until(
            "it is let in", lambda: self.shop.post("/console/sign-in", {"key": self.shop.key}, headers=here)[0] == 303
        )

    def test_a_session_is_the_browsers_alone(self):
        _, headers, _ = self.sign_in(self.shop.key)
        cookie = headers["Set-Cookie"]
        for mark in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(mark, cookie)
        token = cookie.split(";")[0].split("=", 1)[1]
        kept = self.shop.sql("SELECT string_agg(encode(hash, 'escape') || key || address, ' ') FROM paystream.console_session")
        self.assertNotIn(token, kept)
        self.assertNotIn(self.shop.key, kept)

    def test_it_leads_to_no_other_site(self):
        for there in ("https://evil.example", "//evil.example", "/console@evil.example", "/consoleevil", "/console/\\evil"):
            with self.subTest(there=there):
                _, headers, _ = self.shop.post("/console/sign-in", {"key": self.shop.key, "next": there})
                self.assertEqual(headers["Location"], "/console")

    # How sessions end

    def test_a_revoked_key_ends_its_sessions_at_once(self):
        key = self.new_key("revoked")
        cookies = self.signed_in(key)
        self.assertEqual(self.shop.get("/console/payments", cookies)[0], 200)
        self.shop.sql("UPDATE paystream.api_key SET revoked_at = clock_timestamp() WHERE name = 'revoked'")
        self.assertEqual(self.shop.get("/console/payments", cookies)[0], 303)
        status, _, text = self.shop.post("/console/sign-out", {"form_token": "x"}, cookies)
        self.assertEqual(status, 401)
        self.assertIn("Nothing was done", text)

    def test_a_session_ends_with_the_token_that_began_it(self):
        cookies = self.signed_in(self.new_key("rotated"))
        key = self.shop.sql("SELECT id FROM paystream.api_key WHERE name = 'rotated'")
        rotate = ("keys", "--merchant", "documents", "--overlap")
        later = self.shop._run(*rotate, "600", "rotate", key).strip()
        self.assertEqual(self.shop.get("/console/payments", cookies)[0], 200)
        self.shop.sql("UPDATE paystream.api_key SET old_until = clock_timestamp() WHERE name = 'rotated'")
        self.assertEqual(self.shop.get("/console/payments", cookies)[0], 303)
        self.assertEqual(self.shop.get("/console/payments", self.signed_in(later))[0], 200)

    def test_an_idle_session_and_an_old_one_are_over(self):
        for column, age in (("used_at", "31 minutes"), ("begun_at", "13 hours")):
            with self.subTest(column=column):
                name = f"old-{column}"
                cookies = self.signed_in(self.new_key(name))
                self.shop.sql(
                    f"UPDATE paystream.console_session SET {column} = {column} - interval '{age}' "
                    f"WHERE key = (SELECT id FROM paystream.api_key WHERE name = '{name}')"
                )
                self.assertEqual(self.shop.get("/console/payments", cookies)[0], 303)

    def test_what_a_page_fetches_by_itself_keeps_no_session_open(self):
        cookies = self.signed_in(self.new_key("fetched"))
        key = "(SELECT id FROM paystream.api_key WHERE name = 'fetched')"
        self.shop.sql(f"UPDATE paystream.console_session SET used_at = used_at - interval '29 minutes' WHERE key = {key}")
        used = f"SELECT used_at FROM paystream.console_session WHERE key = {key}"
        before = self.shop.sql(used)
        self.assertEqual(self.shop.get("/console/health", cookies, {"Paystream-Refresh": "1"})[0], 200)
        self.assertEqual(self.shop.sql(used), before)
        self.assertEqual(self.shop.get("/console/health", cookies)[0], 200)
        self.assertNotEqual(self.shop.sql(used), before)
        self.assertEqual(self.shop.get("/console/health", "", {"Paystream-Refresh": "1"})[0], 401)

    def test_signing_out_everywhere_ends_every_session_of_the_key(self):
        key = self.new_key("everywhere")
        one, other = self.signed_in(key), self.signed_in(key)
        status, headers, _ = self.shop.post("/console/sign-out-everywhere", {"form_token": self.token(one)}, one)
        self.assertEqual(status, 303)
        self.assertIn("Max-Age=0", headers["Set-Cookie"])
        for cookies in (one, other):
            self.assertEqual(self.shop.get("/console/payments", cookies)[0], 303)

    def test_signing_out_ends_this_session_alone(self):
        key = self.new_key("once")
        one, other = self.signed_in(key), self.signed_in(key)
        self.shop.post("/console/sign-out", {"form_token": self.token(one)}, one)
        self.assertEqual(self.shop.get("/console/payments", one)[0], 303)
        self.assertEqual(self.shop.get("/console/payments", other)[0], 200)

    def test_a_key_has_no_more_than_twenty_sessions(self):
        key = self.new_key("many")
        first = self.signed_in(key)
        for _ in range(20):
            self.signed_in(key)
        self.assertEqual(self.shop.get("/console/payments", first)[0], 303)

    # Forms of others

    def test_a_form_without_its_sessions_token_does_nothing(self):
        cookies, other = self.signed_in(), self.signed_in(self.new_key("other-form"))
        where = f"/console/payments/{self.shop.held}/actions/capture"
        for token in (None, "", "forged", self.token(other), self.token(cookies)[:-1]):
            with self.subTest(token=token):
                fields = {"amount": "60,00", "currency": "EUR", "command": "capture-forged"}
                if token is not None:
                    fields["form_token"] = token
                status, _, text = self.shop.post(where, fields, cookies)
                self.assertEqual(status, 403)
                self.assertIn("form_token_wrong", text)
        self.assertEqual(self.shop.read(self.shop.held)["status"], "authorized")

    def test_a_form_from_another_site_does_nothing(self):
        cookies = self.signed_in()
        where = f"/console/payments/{self.shop.held}/actions/void"
        fields = {"form_token": self.token(cookies), "command": "void-foreign"}
        for headers in (
            {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": None},
            {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
            {"Origin": None, "Sec-Fetch-Site": "none"},
        ):
            with self.subTest(headers=headers):
                status, _, text = self.shop.post(where, fields, cookies, headers)
                self.assertEqual(status, 403)
                self.assertIn("form_foreign", text)
        self.assertEqual(self.shop.post("/console/sign-in", {"key": self.shop.key}, headers={"Origin": None})[0], 403)
        self.assertEqual(self.shop.read(self.shop.held)["status"], "authorized")

    def test_a_form_that_saw_an_older_payment_does_nothing(self):
        payment = self.shop.paid("seen-before", 5_000)
        cookies = self.signed_in()
        fields = {
            "form_token": self.token(cookies), "command": "refund-old", "version": "1", "amount": "50", "currency": "EUR",
        }
        status, _, text = self.shop.post(f"/console/payments/{payment}/actions/refund", fields, cookies)
        self.assertEqual(status, 412)
        self.assertIn("It changed meanwhile", text)
        self.assertEqual(self.shop.read(payment)["amounts"]["refunded"], 0)

    def test_a_key_that_may_only_read_commands_nothing(self):
        cookies = self.signed_in(self.new_key("only-reads", "read"))
        token = self.token(cookies)
        for where in (
            f"/console/payments/{self.shop.held}/actions/void", f"/console/payments/{self.shop.held}/actions/propose",
            f"/console/schedules/{self.shop.schedule}/actions/cancel", "/console/clock", "/console/clock/own",
            "/console/webhooks", f"/console/webhooks/{self.shop.endpoint}/actions/ping",
            f"/console/webhooks/{self.shop.endpoint}/actions/rotate", "/console/keys",
            f"/console/keys/{self.shop.key_id('documents')}/actions/revoke", "/console/changes/x/approve", "/console/persons",
        ):
            with self.subTest(where=where):
                status, _, text = self.shop.post(where, {"form_token": token, "command": "no"}, cookies)
                self.assertEqual(status, 403)
                self.assertIn("scope_missing", text)

    # Other tenants

    def test_another_merchants_things_are_as_if_there_were_none(self):
        cookies = self.signed_in(self.new_key("neighbour", "commands,read,audit,admin", "neighbour"))
        event = self.shop.send("GET", f"/v1/payments/{self.shop.held}/events")["items"][0]
        for there, nowhere in (
            (f"/console/payments/{self.shop.held}", "/console/payments/pay_" + "0" * 32),
            (f"/console/payments/{self.shop.held}/inputs/{event['cause']}", f"/console/payments/pay_{'0' * 32}/inputs/in_{'0' * 32}"),
            (f"/console/schedules/{self.shop.schedule}", "/console/schedules/sch_" + "0" * 32),
            (f"/console/webhooks/{self.shop.endpoint}", "/console/webhooks/whe_" + "0" * 32),
            (f"/console/keys/{self.shop.key_id('documents')}", "/console/keys/" + "0" * 8 + "-0000-7000-8000-" + "0" * 12),
        ):
            with self.subTest(there=there):
                seen, unseen = (self.shop.get(address, cookies) for address in (there, nowhere))
                self.assertEqual((seen[0], unseen[0]), (404, 404))
                self.assertEqual(seen[2], unseen[2], "one answer for what is not there and what is not theirs")
        for address in (
            "/console/payments", "/console/open", "/console/schedules", "/console/payments/download.csv", "/console/webhooks",
            "/console/keys?all=true", "/console/changes",
        ):
            text = self.shop.get(address, cookies)[2]
            self.assertNotIn(self.shop.receiver.url, text)
            self.assertNotIn(self.shop.key_id("documents"), text)
            self.assertNotIn(self.shop.paid_reference, text)
            self.assertNotIn(self.shop.schedule, text)
        status, _, _ = self.shop.post(
            f"/console/payments/{self.shop.held}/actions/void",
            {"form_token": self.token(cookies), "command": "void-neighbour"},
            cookies,
        )
        self.assertEqual(status, 404)
        self.assertEqual(self.shop.read(self.shop.held)["status"], "authorized")

    def test_an_input_is_shown_with_its_own_payment_alone(self):
        cookies = self.signed_in()
        event = self.shop.send("GET", f"/v1/payments/{self.shop.held}/events")["items"][0]
        self.assertEqual(self.shop.get(f"/console/payments/{self.shop.held}/inputs/{event['cause']}", cookies)[0], 200)
        self.assertEqual(self.shop.get(f"/console/payments/{self.shop.hostile}/inputs/{event['cause']}", cookies)[0], 404)
        text = self.shop.get(f"/console/payments/{self.shop.held}/inputs/{event['cause']}", cookies)[2]
        self.assertNotIn("ann@example.org", text, "what is personal stays sealed")

    def test_two_persons_resolve_an_exception(self):
        exception = self.shop.settle("5795570000000002", "order-of-nobody")
        page = f"/console/reconciliation/{exception}"
        ann, ben = (self.signed_in(self.new_key(name)) for name in ("ann-of-finance", "ben-of-finance"))
        self.assertIn(page, self.shop.get("/console/reconciliation?class=missingHere", ann)[2])
        self.assertNotIn(page, self.shop.get("/console/reconciliation?class=fee", ann)[2])

        def act(cookies, action, **fields):
            return self.shop.post(f"{page}/{action}", {"form_token": self.token(cookies), **fields}, cookies)

        self.assertEqual(act(ann, "assign", owner="ben")[0], 303)
        self.assertEqual(act(ann, "propose", verdict="link", reason="which one?")[0], 422)
        self.assertEqual(act(ann, "propose", verdict="adjust", reason="the provider is right")[0], 303)
        text = self.shop.get(page, ben)[2]
        self.assertIn("the provider is right", text)
        number = text.split('name="proposal" value="')[1].split('"')[0]
        self.assertEqual(act(ann, "approve", proposal=number)[0], 422, "nobody approves what he proposed")
        self.assertEqual(act(ben, "approve", proposal="7")[0], 404)
        self.assertEqual(act(ben, "approve", proposal=number)[0], 303)
        self.assertNotIn('name="proposal"', self.shop.get(page, ben)[2])
        self.assertEqual(act(ann, "propose", verdict="disregard", reason="late")[0], 409)
        reader = self.signed_in(self.new_key("reader-of-finance", "read"))
        self.assertNotIn("<form class=\"form\"", self.shop.get(f"/console/reconciliation/{self.shop.exception}", reader)[2])
        neighbour = self.signed_in(self.new_key("neighbour-of-finance", "read,admin", "neighbour"))
        self.assertEqual(self.shop.get(page, neighbour)[0], 404)
        self.assertEqual(self.shop.post(f"{page}/assign", {"form_token": self.token(neighbour)}, neighbour)[0], 404)

    # What can't be meant

    def test_script_in_every_name_comes_back_as_text(self):
        cookies = self.signed_in()
        for address in self.shop.addresses().values():
            self.assertNotIn("<script>alert", self.shop.get(address, cookies)[2], address)
        text = self.shop.get(f"/console/payments/{self.shop.hostile}", cookies)[2]
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", text)

    def test_payments_are_found_by_what_a_support_agent_has(self):
        cookies = self.signed_in()
        paid = next(one for one in self.shop.send("GET", "/v1/payments?reference=" + self.shop.paid_reference)["items"])["id"]
        name = self.shop.read(paid)["attempt"]["reference"]
        narrow = {"reference": self.shop.paid_reference}
        for question in (
            {"providerReference": name}, {"email": "ANN@example.org", **narrow},
            {"amountFrom": "1999", "amountTo": "1 999,00", "currency": "EUR", **narrow},
        ):
            with self.subTest(question=question):
                _, _, text = self.shop.get("/console/payments?" + urllib.parse.urlencode(question), cookies)
                self.assertIn(f'href="/console/payments/{paid}"', text)
        for question in ({"email": "nobody@example.org"}, {"amountFrom": "2000", "currency": "EUR", **narrow}):
            with self.subTest(question=question):
                _, _, text = self.shop.get("/console/payments?" + urllib.parse.urlencode(question), cookies)
                self.assertNotIn(f'href="/console/payments/{paid}"', text)
        status, headers, _ = self.shop.get("/console/payments/find?" + urllib.parse.urlencode({"q": name}), cookies)
        self.assertEqual((status, headers["Location"]), (303, f"/console/payments/{paid}"))
        _, headers, _ = self.shop.get("/console/payments/find?q=ann%40example.org", cookies)
        self.assertEqual(headers["Location"], "/console/payments?email=ann%40example.org")

    def test_large_and_broken_questions_are_refused_in_words(self):
        cookies = self.signed_in()
        for address, expected in (
            ("/console/payments?reference=" + "a" * 5_000, 414), ("/console/payments?reference=" + "a" * 300, 422),
            ("/console/payments?reference=%ff", 400), ("/console/payments?cursor=x", 400),
            ("/console/payments?amountFrom=5", 400), ("/console/payments?amountFrom=5.555&currency=EUR", 400),
            ("/console/payments?status=nothing", 400), ("/console/payments?from=yesterday", 400),
            ("/console/payments?" + urllib.parse.urlencode({"reference": CARD}), 422),
            ("/console/overview?from=2026-01-01&before=2036-01-01&zone=UTC&mode=live", 400),
            ("/console/overview?from=2026-01-01&before=2026-01-02&zone=Europe%2FNowhere&mode=live", 400),
            ("/console/reports/nothing?from=2026-01-01&before=2026-01-02&zone=UTC&mode=live", 404),
            ("/console/schedules/calendar?month=2026-13&zone=UTC", 200), ("/console/nowhere", 404),
            ("/console/payments/pay_" + "z" * 32, 404),
        ):
            with self.subTest(address=address[:60]):
                status, headers, text = self.shop.get(address, cookies)
                self.assertEqual(status, expected)
                self.assertTrue(headers["Content-Type"].startswith("text/html"))
                self.assertNotIn(CARD, text)
                self.assertIn("<h1", text)

    def test_card_numbers_enter_no_form(self):
        cookies = self.signed_in()
        fields = {"form_token": self.token(cookies), "command": "evidence-card", "evidence": f"paid with {CARD}"}
        status, _, text = self.shop.post(f"/console/payments/{self.shop.held}/actions/evidence", fields, cookies)
        self.assertEqual(status, 422)
        self.assertIn("card_data_refused", text)
        self.assertNotIn(CARD, text)

    def test_a_form_may_not_be_endless(self):
        cookies = self.signed_in()
        fields = {"form_token": self.token(cookies), "evidence": "a" * 70_000}
        self.assertEqual(self.shop.post(f"/console/payments/{self.shop.held}/actions/evidence", fields, cookies)[0], 413)

    def test_assets_are_named_by_their_content(self):
        text = self.shop.get("/console/sign-in")[2]
        for mark, kind in (('rel="stylesheet" href="', "text/css"), ('<script src="', "text/javascript")):
            path = text.split(mark)[1].split('"')[0]
            status, headers, _ = self.shop.get(path)
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Type"].startswith(kind))
            self.assertIn("immutable", headers["Cache-Control"])
        self.assertEqual(self.shop.get("/console/assets/console-0000000000000000.css")[0], 404)


def without_texts(markup):
    """The markup with everything between elements and in values of fields left out."""
    import re

    return re.sub(r">[^<]*<", "><", re.sub(r' (value|content)="[^"]*"', "", markup))


if __name__ == "__main__":
    unittest.main()
