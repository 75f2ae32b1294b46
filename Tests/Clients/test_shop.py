"""Builds the shop of docs/examples/shop and lets it take orders, lose its receiver, come back, and give money back."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import types
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

import outage  # noqa: E402
from installation import ROOT, Installation  # noqa: E402

PACKAGE = ROOT / "docs/examples/shop"
# Beside the root's own build, so that neither waits for the other's lock.
SCRATCH = ROOT / ".build-shop"
BUILD_SECONDS = 400
PATIENCE_SECONDS = 60
SECRET = "whsec_" + base64.b64encode(b"the secret of this shop's door").decode()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Shop:
    """The program, with a folder that outlives it."""

    def __init__(self, daemon, name, secrets="", port=0):
        self.folder = daemon.folder / name
        self.folder.mkdir()
        self.environment = dict(os.environ) | {
            "PAYSTREAM_URL": daemon.url,
            "PAYSTREAM_KEY": daemon.key,
            "SHOP_NAME": name,
            "SHOP_FOLDER": str(self.folder),
            "SHOP_PORT": str(port),
            "SHOP_WEBHOOK_SECRETS": secrets,
        }
        self.child = None
        self.url = ""

    def open(self):
        log = self.folder / "shop.log"
        with log.open("wb") as output:
            program = SCRATCH / "debug/Shop"
            self.child = subprocess.Popen([program], env=self.environment, stdout=output, stderr=output)
        end = time.monotonic() + PATIENCE_SECONDS
        while not (found := re.search(r"http://[0-9.]+:[0-9]+", log.read_text())):
            if time.monotonic() > end or self.child.poll() is not None:
                raise AssertionError(f"the shop does not open: {log.read_text()}")
            time.sleep(0.05)
        self.url = found.group()

    def kill(self):
        """Ends it as a power cut would."""
        if self.child:
            self.child.kill()
            self.child.wait()
            self.child = None

    def call(self, method, path, body=None, headers=None):
        """The status, the answer's body, and where it leads."""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers or {}, method=method)
        try:
            answer = urllib.request.build_opener(NoRedirects).open(request, timeout=30)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            return answer.status, answer.read(), answer.headers["Location"]

    def order(self, cents):
        status, body, _ = self.call("POST", "/orders", {"item": "a ticket", "cents": cents})
        assert status == 201, body
        return json.loads(body)["number"]

    def page(self, order):
        status, body, location = self.call("GET", f"/orders/{order}/pay")
        assert status == 303, body
        return location

    def orders(self):
        return {order["number"]: order for order in json.loads(self.call("GET", "/orders")[1])}


class ShopTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        words = ["swift", "build", "--package-path", PACKAGE, "--scratch-path", SCRATCH]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        installation = Installation()
        # The shop stands beside the daemon here.
        installation.environment["PAYSTREAM_WEBHOOK_NETWORKS"] = "127.0.0.0/8"
        cls.daemon = cls.enterClassContext(installation)

    def shop(self, name, secrets="", port=0):
        shop = Shop(self.daemon, name, secrets, port)
        self.addCleanup(shop.kill)
        shop.open()
        return shop

    def until(self, what, look):
        end = time.monotonic() + PATIENCE_SECONDS
        while not look():
            if time.monotonic() > end:
                self.fail(f"never came true: {what}")
            time.sleep(0.05)

    def pay(self, page):
        """The payer; these amounts pay by themselves."""
        urllib.request.urlopen(page, timeout=30).read()

    def test_what_happened_while_the_shop_was_away_is_handled_once(self):
        shop = self.shop("away")
        first = shop.order(7700)
        self.pay(shop.page(first))
        self.until("the first parcel", lambda: shop.orders()[first]["parcels"] == 1)
        others = [shop.order(cents) for cents in (7700, 1000, 7700)]
        # The second of them is never paid; of the third, the shop has no answer any more when it is paid.
        pages = [shop.page(order) for order in others]
        shop.kill()
        for page in (pages[0], pages[2]):
            self.pay(page)
        self.refund_behind_its_back(shop, first)
        # A line that the power cut tore.
        with (shop.folder / "orders.jsonl").open("a", encoding="utf-8") as book:
            book.write('{"fulfilled":{"order":3,"ev')
        shop.open()
        paid = [first, others[0], others[2]]
        self.until("all parcels", lambda: all(shop.orders()[order]["parcels"] == 1 for order in paid))
        self.until("the refund", lambda: shop.orders()[first]["isRefunded"])
        # Once more from nothing: the feed tells all of it again, and the book knows it.
        shop.kill()
        (shop.folder / "feed.json").unlink()
        shop.open()
        self.pay(shop.page(last := shop.order(7700)))
        self.until("the last parcel", lambda: shop.orders()[last]["parcels"] == 1)
        parcels = {order: row["parcels"] for order, row in shop.orders().items()}
        self.assertEqual(parcels, {first: 1, others[0]: 1, others[1]: 0, others[2]: 1, last: 1})
        self.assertEqual([row["isRefunded"] for row in shop.orders().values()], [True, False, False, False, False])
        book = (shop.folder / "orders.jsonl").read_text(encoding="utf-8")
        self.assertEqual(book.count('"fulfilled"'), 4, book)

    def test_a_refund_that_is_asked_for_twice_is_given_once(self):
        shop = self.shop("refunds")
        order = shop.order(7700)
        self.pay(shop.page(order))
        self.until("the parcel", lambda: shop.orders()[order]["parcels"] == 1)
        for _ in range(2):
            self.assertEqual(shop.call("POST", f"/orders/{order}/refund")[0], 202)
        self.until("the refund", lambda: shop.orders()[order]["isRefunded"])
        payment = self.payment(shop, order)
        self.assertEqual(payment["amounts"]["refunded"], 7700)
        self.assertEqual(len([one for one in payment["operations"] if one["kind"] == "refund"]), 1)

    def test_only_signed_webhooks_are_believed_and_each_is_handled_once(self):
        shop = self.shop("webhooks", SECRET)
        order = shop.order(7700)
        self.pay(shop.page(order))
        event = self.event(shop, order, "payment.captured")
        body = json.dumps(event).encode()
        self.assertEqual(self.deliver(shop, body, tampered=body.replace(b"captured", b"refunded")), 400)
        self.assertEqual(shop.orders()[order]["parcels"], 0)
        for _ in range(3):
            self.assertEqual(self.deliver(shop, body), 204)
        self.assertEqual(shop.orders()[order]["parcels"], 1)

    def test_a_receiver_that_was_lost_for_an_hour_comes_back_and_has_missed_nothing_and_handled_nothing_twice(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        endpoint = self.daemon.call(
            "POST",
            "/v1/webhook-endpoints",
            {"url": f"http://127.0.0.1:{port}/webhooks", "types": ["payment.captured", "refund.succeeded"]},
        )
        shop = self.shop("receiver", endpoint["secret"], port)
        # The feed was read at the start and is read again after a minute: what comes sooner is a webhook.
        first = shop.order(7700)
        self.pay(shop.page(first))
        self.until("the first parcel", lambda: shop.orders()[first]["parcels"] == 1)
        others = [shop.order(7700) for _ in range(3)]
        pages = [shop.page(order) for order in others]
        orders = shop.orders()
        shop.kill()
        for page in pages:
            self.pay(page)
        self.refund_behind_its_back(shop, first)
        # They wait as long as the shop is away.
        missed = [self.event(shop, order, "payment.captured")["id"] for order in others]
        missed.append(self.event(shop, first, "refund.succeeded")["id"])
        outage.passes(self.daemon, endpoint["id"], len(missed))
        deliveries = f"/v1/webhook-endpoints/{endpoint['id']}/deliveries?limit=100&status="
        waiting = self.read(deliveries + "waiting")["items"]
        self.assertEqual({row["event"] for row in waiting}, set(missed))
        self.assertGreaterEqual(min(row["attemptCount"] for row in waiting), 5)

        shop.open()
        self.until("all parcels", lambda: all(shop.orders()[order]["parcels"] == 1 for order in [first, *others]))
        self.until("the refund", lambda: shop.orders()[first]["isRefunded"])
        # The feed brought them at the start; the first webhook that arrives lets the others come, too.
        self.pay(shop.page(last := shop.order(7700)))
        self.until("the last parcel", lambda: shop.orders()[last]["parcels"] == 1)
        self.until("deliveries", lambda: set(missed) <= {row["event"] for row in self.read(deliveries + "delivered")["items"]})
        self.assertEqual(len(shop.orders()), len(orders) + 1)
        self.assertEqual({row["parcels"] for row in shop.orders().values()}, {1})
        book = (shop.folder / "orders.jsonl").read_text(encoding="utf-8")
        self.assertEqual((book.count('"fulfilled"'), book.count('"refunded"')), (5, 1), book)

    def test_a_daemon_that_is_not_ready_ends_no_shop(self):
        class NotReady(http.server.BaseHTTPRequestHandler):
            asked = 0

            def do_GET(self):
                NotReady.asked += 1
                body = b'{"type": "about:blank", "title": "t", "status": 503, "code": "not_ready", "detail": "d"}'
                self.send_response(503)
                self.send_header("Content-Type", "application/problem+json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), NotReady)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}"
        away = types.SimpleNamespace(url=url, key=self.daemon.key, folder=self.daemon.folder)
        shop = Shop(away, "not-ready", SECRET)
        self.addCleanup(shop.kill)
        shop.open()
        # As often as the library asks by itself.
        self.until("the feed was asked for", lambda: NotReady.asked >= 5)
        time.sleep(1)
        self.assertIsNone(shop.child.poll(), (shop.folder / "shop.log").read_text())
        self.assertEqual(shop.orders(), {})

    def deliver(self, shop, body, tampered=None):
        now = str(int(time.time()))
        key = base64.b64decode(SECRET.removeprefix("whsec_"))
        code = hmac.digest(key, f"evt_1.{now}.".encode() + body, hashlib.sha256)
        headers = {
            "webhook-id": "evt_1",
            "webhook-timestamp": now,
            "webhook-signature": "v1," + base64.b64encode(code).decode(),
        }
        return shop.call("POST", "/webhooks", tampered or body, headers)[0]

    # MARK: Paystream, without the shop

    def payment(self, shop, order):
        """By its reference, from a list that follows the log by a moment."""
        query = urllib.parse.urlencode({"reference": f"{shop.folder.name}-{order}"})
        self.until("the list has it", lambda: self.read(f"/v1/payments?{query}")["items"])
        return self.read(f"/v1/payments/{self.read(f'/v1/payments?{query}')['items'][0]['id']}")

    def event(self, shop, order, kind):
        query = urllib.parse.urlencode({"resource": self.payment(shop, order)["id"], "types": kind, "wait": 20})
        return self.read(f"/v1/events?{query}")["items"][0]

    def refund_behind_its_back(self, shop, order):
        payment = self.payment(shop, order)["id"]
        self.daemon.call("POST", f"/v1/payments/{payment}/refund", {})

    def read(self, path):
        request = urllib.request.Request(
            self.daemon.url + path, headers={"Authorization": f"Bearer {self.daemon.key}"}
        )
        with urllib.request.urlopen(request, timeout=40) as answer:
            return json.load(answer)


if __name__ == "__main__":
    unittest.main()
