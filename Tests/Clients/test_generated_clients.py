"""Generates clients from the OpenAPI document that a daemon serves, compiles them and makes a payment with each."""

import compileall
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

import generators  # noqa: E402
import outage  # noqa: E402
from installation import Installation  # noqa: E402

HERE = pathlib.Path(__file__).parent
PATIENCE_SECONDS = 60
REFUSAL = "amount_exceeds_available"


class GeneratedClientTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            generators.install()
            generators.needed("node", "tsc", "java")
        except generators.Unavailable as lack:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(str(lack)) from lack
        installation = Installation()
        # Receivers stand beside the daemon here.
        installation.environment["PAYSTREAM_WEBHOOK_NETWORKS"] = "127.0.0.0/8"
        cls.daemon = cls.enterClassContext(installation)
        cls.openapi = generators.document(cls.daemon, cls.daemon.folder)
        cls.environment = dict(os.environ) | {"PAYSTREAM_URL": cls.daemon.url, "PAYSTREAM_KEY": cls.daemon.key}

    def folder(self, name):
        folder = self.daemon.folder / name
        folder.mkdir()
        return folder

    def test_the_python_client_has_every_operation_and_makes_a_payment(self):
        folder = self.folder("python")
        package, said = generators.python_client(self.openapi, folder)
        self.assertNotIn("WARNING", said)
        self.assertTrue(compileall.compile_dir(str(package), quiet=1))
        modules = {file.stem for file in package.glob("api/*/*.py")} - {"__init__"}
        self.assertEqual(len(modules), len(self.operations()))
        environment = self.environment | {"PYTHONPATH": str(folder)}
        printed = generators.run([generators.VENV / "bin/python", HERE / "pay.py"], environment)
        self.assertEqual(printed.strip(), REFUSAL)

    def test_a_reader_by_the_python_client_that_is_killed_misses_nothing_and_has_nothing_twice(self):
        folder = self.folder("follow")
        generators.python_client(self.openapi, folder)
        environment = self.environment | {"PYTHONPATH": str(folder)}
        words = [generators.VENV / "bin/python", HERE / "follow.py", folder]
        book = folder / "book"
        for number in range(4):
            # Two are paid while the reader is away, two while it reads.
            reader = subprocess.Popen(words, env=environment) if number % 2 else None
            try:
                self.paid(f"follow-{number}")
                if reader:
                    self.until(lambda: book.exists() and book.read_text())
            finally:
                if reader:
                    reader.kill()
                    reader.wait()
        told = [event["id"] for event in self.feed()]
        self.assertGreater(len(told), 12)
        reader = subprocess.Popen(words, env=environment)
        try:
            self.until(lambda: len(book.read_text().split()) >= len(told))
        finally:
            reader.kill()
            reader.wait()
        self.assertEqual(book.read_text().split()[: len(told)], told)
        self.assertEqual(len(set(book.read_text().split())), len(book.read_text().split()))

    def test_a_receiver_by_the_python_client_that_is_away_for_an_hour_misses_nothing_and_has_nothing_twice(self):
        folder = self.folder("hear")
        generators.python_client(self.openapi, folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        endpoint = self.daemon.call("POST", "/v1/webhook-endpoints", {"url": f"http://127.0.0.1:{port}/webhooks"})
        book = folder / "book"
        start = len(self.feed())
        # Without the feed: what it missed is sent again.
        with self.hearing(folder, port, endpoint):
            self.paid("hear-0")
            self.until(lambda: self.booked(book) == self.told(start))
        for number in (1, 2):
            self.paid(f"hear-{number}")
        known = self.booked(book)
        self.until(lambda: len([event for event in self.feed()[start:] if event["type"] == "payment.captured"]) == 3)
        missed = len(self.told(start) - known)
        self.assertGreater(missed, 5)
        outage.passes(self.daemon, endpoint["id"], missed)
        waiting = self.read(f"/v1/webhook-endpoints/{endpoint['id']}/deliveries?status=waiting&limit=100")["items"]
        self.assertGreaterEqual(len(waiting), missed)
        self.assertGreaterEqual(min(row["attemptCount"] for row in waiting), 5)
        with self.hearing(folder, port, endpoint):
            self.assertEqual(self.booked(book), known)
            # Whoever mended the receiver need not wait for the next attempt.
            self.daemon.call("POST", f"/v1/webhook-endpoints/{endpoint['id']}/ping", {})
            self.until(lambda: self.booked(book) == self.told(start))
        # With the feed: it knows all at its start, and webhooks bring it once more.
        self.paid("hear-3")
        with self.hearing(folder, port, endpoint, "feed"):
            self.until(lambda: self.told(start) <= self.booked(book))
            deliveries = f"/v1/webhook-endpoints/{endpoint['id']}/deliveries?status=waiting"
            self.until(lambda: not self.read(deliveries)["items"])
        lines = book.read_text().split()
        self.assertEqual(len(lines), len(set(lines)))
        self.assertEqual(set(lines), {event["id"] for event in self.feed()})

    @contextlib.contextmanager
    def hearing(self, folder, port, endpoint, *words):
        """A receiver, until it is killed."""
        environment = self.environment | {"PYTHONPATH": str(folder), "WEBHOOK_SECRET": endpoint["secret"]}
        child = subprocess.Popen(
            [generators.VENV / "bin/python", HERE / "receiver.py", folder, str(port), *words], env=environment
        )
        try:
            self.until(lambda: self.listens(port))
            yield
        finally:
            child.kill()
            child.wait()

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    @staticmethod
    def booked(book):
        return set(book.read_text().split()) if book.exists() else set()

    def told(self, start):
        """Ids of what the feed told behind its first events."""
        return {event["id"] for event in self.feed()[start:]}

    def paid(self, reference):
        payment = self.daemon.call(
            "POST",
            "/v1/payments",
            {
                "mode": "sale",
                "amount": {"value": 7700, "currency": "EUR"},
                "reference": reference,
                "details": {"payer": {"email": "ann@example.org"}},
            },
            key=reference,
        )["id"]
        page = self.read(f"/v1/payments/{payment}/next-action")["url"]
        urllib.request.urlopen(page, timeout=30).read()
        self.until(lambda: self.read(f"/v1/payments/{payment}")["status"] == "captured")

    def feed(self):
        """All that the feed has."""
        page = self.read("/v1/events")
        events = page["items"]
        while page["hasMore"]:
            page = self.read(f"/v1/events?after={page['next']}")
            events += page["items"]
        return events

    def read(self, path):
        request = urllib.request.Request(
            self.daemon.url + path, headers={"Authorization": f"Bearer {self.daemon.key}"}
        )
        with urllib.request.urlopen(request, timeout=40) as answer:
            return json.load(answer)

    def until(self, look):
        end = time.monotonic() + PATIENCE_SECONDS
        while not look():
            if time.monotonic() > end:
                self.fail("it never came true")
            time.sleep(0.05)

    def test_the_typescript_client_compiles_strictly_and_makes_a_payment(self):
        folder = self.folder("typescript")
        generators.typescript_client(self.openapi, folder)
        shutil.copy(HERE / "pay.ts", folder)
        out = generators.compiled(["pay.ts"], folder)
        sources = "".join(file.read_text() for file in folder.glob("paystream/apis/*.ts"))
        for operation in self.operations():
            self.assertIn(f" async {operation}(", sources)
        self.assertEqual(generators.run(["node", out / "pay.js"], self.environment).strip(), REFUSAL)

    def operations(self):
        paths = json.loads(self.openapi.read_text())["paths"]
        return [operation["operationId"] for item in paths.values() for operation in item.values()]


if __name__ == "__main__":
    unittest.main()
