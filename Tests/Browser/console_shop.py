"""A shop with a payment of each sort, for the console's tests; also a plain client that says any header it likes."""

import http.client
import http.server
import json
import re
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from installation import Installation

PATIENCE_SECONDS = 20
SCRIPT = "<script>alert(1)</script><b onmouseover=alert(2)>\"'&"


class Receiver:
    """Takes webhooks on this machine, and answers them as it is told to."""

    def __init__(self):
        self.status = 204
        self.bodies = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0" if receiver.status == 204 else "6")
                self.end_headers()
                if receiver.status != 204:
                    self.wfile.write(b"<nope>")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class ConsoleShop(Installation):
    paid_reference = "order-of-ann"

    def __init__(self):
        super().__init__({"pollFirstSeconds": 60, "pollAtLeastSeconds": 1})
        self._merchants = {"documents"}
        # Tests come from addresses of their own.
        self.environment["PAYSTREAM_TRUSTED_PROXIES"] = "127.0.0.1/32"
        self.environment["PAYSTREAM_WEBHOOK_NETWORKS"] = "127.0.0.0/8"
        self.receiver = Receiver()

    def __enter__(self):
        super().__enter__()
        hook = {"url": self.receiver.url, "types": ["payment.captured", "refund.*"], "description": SCRIPT}
        self.endpoint = self.send("POST", "/v1/webhook-endpoints", hook, "endpoint")["id"]
        self.paid(self.paid_reference, 199_900)
        self.create("left-by-the-payer", 2_500)
        self.create("=HYPERLINK(1)", 2_500)
        self.hostile = self.paid(SCRIPT, 1_999)
        declined = self.create("declined", 1_999)
        self.pay(declined, "decline")
        self.until("it is declined", lambda: self.read(declined)["status"] == "failed")
        self.held = self.create("held", 6_000, "authorize")
        self.pay(self.held)
        self.until("money is held", lambda: self.read(self.held)["status"] == "authorized")
        self.disputed = self.paid("disputed", 3_000)
        self.case = self.dispute(self.disputed)
        self.attach(self.disputed, self.case, SCRIPT, b"It was delivered on Monday.")
        self.schedule = self.send(
            "POST",
            "/v1/schedules",
            {
                "kind": "regular", "amount": {"value": 7700, "currency": "EUR"}, "customer": SCRIPT,
                "reference": SCRIPT, "details": {"payer": {"email": "ann@example.org"}},
                "rule": {"period": "month", "start": "2030-01-31", "time": "10:00", "zone": "Europe/Berlin"},
            },
            "schedule",
        )["id"]
        self.exception = self.settle("5795570000000001", SCRIPT)
        return self

    def __exit__(self, *error):
        self.receiver.close()
        super().__exit__(*error)

    def settle(self, operation, reference):
        """Imports a file with a line that no movement explains; its exception's id."""
        name = reference.replace('"', '""')
        file = (
            "operation_type,operation_id,payment_id,amount,currency,commission,operation_date,operation_status\n"
            f'sale,{operation},"{name}",5.00,EUR,0.10,{time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())},success\n'
        )
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "text/csv"}
        address = f"{self.url}/v1/settlement-files?account=ecommpay-demo"
        with urllib.request.urlopen(urllib.request.Request(address, file.encode(), headers), timeout=30) as answer:
            brought = json.load(answer)["id"]
        found = self.send("GET", f"/v1/settlement-exceptions?class=missingHere&file={brought}")["items"]
        return found[0]["id"]

    def addresses(self):
        """Every page, by a name for its screenshots."""
        period = "from={}&before={}&zone=Europe%2FKyiv&mode=test"
        day = time.time()
        period = period.format(
            time.strftime("%Y-%m-%d", time.gmtime(day - 6 * 86400)), time.strftime("%Y-%m-%d", time.gmtime(day + 2 * 86400))
        )
        return {
            "overview": f"/console/overview?{period}",
            "payments": "/console/payments",
            "payments-filtered": "/console/payments?status=captured&zone=UTC",
            "payments-none": "/console/payments?reference=nobody",
            "payment": f"/console/payments/{self.hostile}",
            "payment-held": f"/console/payments/{self.held}",
            "payment-disputed": f"/console/payments/{self.disputed}",
            "download": "/console/payments/download?status=captured",
            "open-items": "/console/open",
            "schedules": "/console/schedules",
            "schedule": f"/console/schedules/{self.schedule}",
            "calendar": "/console/schedules/calendar?month=2030-01&zone=UTC",
            "cards": "/console/instruments",
            "bills": "/console/bill-batches",
            "reports": "/console/reports",
            "report": f"/console/reports/turnover?{period}",
            "movements": f"/console/reports/turnover/movements?{period}",
            "ledger": f"/console/reports/balance?{period}",
            "accounts": "/console/accounts?amount=10&currency=EUR",
            "webhooks": "/console/webhooks",
            "webhook": f"/console/webhooks/{self.endpoint}",
            "webhook-none": f"/console/webhooks/{self.endpoint}?status=givenUp",
            "keys": "/console/keys",
            "key": f"/console/keys/{self.key_id('documents')}",
            "changes": "/console/changes",
            "acts": "/console/acts",
            "health": "/console/health",
            "reconciliation": "/console/reconciliation",
            "exception": f"/console/reconciliation/{self.exception}",
            "months": "/console/months",
            "preferences": "/console/preferences",
        }

    # The shop

    def create(self, reference, minor, mode="sale"):
        body = {
            "mode": mode, "amount": {"value": minor, "currency": "EUR"}, "reference": reference,
            "description": SCRIPT, "customer": SCRIPT, "details": {"payer": {"email": "ann@example.org"}},
        }
        return self.send("POST", "/v1/payments", body, f"create-{urllib.parse.quote(reference)}")["id"]

    def paid(self, reference, minor):
        payment = self.create(reference, minor)
        self.pay(payment)
        self.until("it is paid", lambda: self.read(payment)["status"] == "captured")
        return payment

    def pay(self, payment, action="approve"):
        """Presses a button of the provider's page, as its payer does."""
        address = self.send("GET", f"/v1/payments/{payment}/next-action")["url"]
        with urllib.request.urlopen(address, timeout=30) as answer:
            page = answer.read().decode()
            here = answer.url
        form = re.search(r'action="([^"]+)"', page).group(1)
        data = urllib.parse.urlencode({"card": "visa-approved", "action": action}).encode()
        urllib.request.urlopen(urllib.parse.urljoin(here, form), data, timeout=30).close()

    def dispute(self, payment, answer_by="2099-01-02T03:04:05Z"):
        """Opens a dispute; its id."""
        body = {"amount": {"value": 3000, "currency": "EUR"}, "reason": SCRIPT, "answerBy": answer_by}
        return self.send("POST", f"/v1/payments/{payment}/disputes", body, f"dispute-{payment}")["disputes"][0]["id"]

    def attach(self, payment, case, name, file):
        address = f"{self.url}/v1/payments/{payment}/disputes/{case}/evidence?name={urllib.parse.quote(name)}"
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(address, file, headers), timeout=30).close()

    def files(self, payment, case):
        return self.send("GET", f"/v1/payments/{payment}/disputes/{case}/evidence")["items"]

    def read(self, payment):
        return self.send("GET", f"/v1/payments/{payment}")

    def ledger(self, payment):
        reference = urllib.parse.quote(self.read(payment)["attempt"]["reference"])
        with urllib.request.urlopen(f"{self.sandbox}/sandbox/ledger?payment_id={reference}", timeout=30) as answer:
            return json.load(answer)["entries"]

    def new_key(self, name, scopes, merchant="documents"):
        if merchant not in self._merchants:
            self._run("merchants", "create", merchant)
            self._merchants.add(merchant)
        return self._run("keys", "--merchant", merchant, "--scopes", scopes, "create", name).strip()

    def key_id(self, name):
        return next(key["id"] for key in self.send("GET", "/v1/keys")["items"] if key["name"] == name)

    def pair(self):
        """A merchant whose changes take two persons; the keys of both."""
        if "pair" not in self._merchants:
            self._run("merchants", "--two-persons", "create", "pair")
            self._merchants.add("pair")
        return [self.new_key(name, "read,audit,admin,approve", "pair") for name in ("ann-of-pair", "ben-of-pair")]

    def sql(self, statement):
        command = ["psql", "-X", "-A", "-t", "-d", self.environment["DATABASE_URL"], "-c", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()

    def accesses(self, action):
        return int(self.sql(f"SELECT count(*) FROM paystream.access_record WHERE action = '{action}'"))

    def until(self, what, holds):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {what}")
            time.sleep(0.05)

    def send(self, method, path, body=None, key=None, token=None):
        headers = {"Authorization": f"Bearer {token or self.key}"}
        if key is not None:
            headers |= {"Content-Type": "application/json", "Idempotency-Key": f"console-{key}"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    # The console, without a browser

    def get(self, path, cookies="", headers=None):
        return self._exchange("GET", path, None, {"Cookie": cookies} | (headers or {}))

    def post(self, path, fields, cookies="", headers=None):
        said = {
            "Cookie": cookies, "Origin": self.url, "Content-Type": "application/x-www-form-urlencoded",
        } | (headers or {})
        return self._exchange("POST", path, urllib.parse.urlencode(fields), {k: v for k, v in said.items() if v is not None})

    def bring(self, fields, file, cookies="", headers=None, name="file", path="/console/reconciliation/files"):
        """Sends a file as the console's form does."""
        mark = "----form-of-a-test"
        parts = [f'--{mark}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'.encode() for k, v in fields.items()]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{SCRIPT[:8]}.csv"\r\n\r\n'
        body = b"".join(parts) + head.encode() + file + f"\r\n--{mark}--\r\n".encode()
        said = {
            "Cookie": cookies, "Origin": self.url, "Content-Type": f"multipart/form-data; boundary={mark}",
        } | (headers or {})
        return self._exchange("POST", path, body, {k: v for k, v in said.items() if v is not None})

    def _exchange(self, method, path, body, headers):
        """Status, headers and text; redirects are not followed."""
        there = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(there.hostname, there.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()


class ConsoleVisitor:
    """What tests of a shop's console have, beside `unittest.TestCase`: keys, sessions and the token of forms."""

    @classmethod
    def setUpClass(cls):
        cls.shop = cls.enterClassContext(ConsoleShop())

    def new_key(self, name, scopes="commands,read,audit,admin", merchant="documents"):
        return self.shop.new_key(name, scopes, merchant)

    def sign_in(self, key):
        return self.shop.post("/console/sign-in", {"key": key})

    def signed_in(self, key=None):
        status, headers, _ = self.sign_in(key or self.shop.key)
        self.assertEqual(status, 303)
        return headers["Set-Cookie"].split(";")[0]

    def token(self, cookies):
        text = self.shop.get("/console/preferences", cookies)[2]
        return text.split('name="form_token" value="')[1].split('"')[0]
