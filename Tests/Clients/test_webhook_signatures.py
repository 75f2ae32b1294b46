"""Lets PyPI's `standardwebhooks` and OpenSSL verify what the daemon sends."""

import base64
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

import generators  # noqa: E402
from installation import Installation  # noqa: E402

PATIENCE_SECONDS = 60
# What stands before a key of Ed25519 in DER (RFC 8410).
ED25519_HEAD = bytes.fromhex("302a300506032b6570032100")
VERIFY = """
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
given = json.load(sys.stdin)
try:
    Webhook(given["secret"]).verify(given["body"], given["headers"])
    print("good")
except WebhookVerificationError as error:
    print(f"bad: {error}")
"""


class SignatureTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            generators.needed("openssl")
            generators.install()
        except generators.Unavailable as lack:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(str(lack)) from lack
        cls.heard = []
        heard = cls.heard

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                heard.append((dict(self.headers.items()), body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.receiver = f"http://127.0.0.1:{server.server_port}/hooks"
        installation = Installation()
        installation.environment["PAYSTREAM_WEBHOOK_NETWORKS"] = "127.0.0.0/8"
        cls.daemon = cls.enterClassContext(installation)

    def test_libraries_of_others_believe_what_is_sent(self):
        wish = {"url": self.receiver, "signatures": ["v1", "v1a"]}
        endpoint = self.daemon.call("POST", "/v1/webhook-endpoints", wish)
        self.daemon.call("POST", f"/v1/webhook-endpoints/{endpoint['id']}/ping", {})
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.heard:
            if time.monotonic() > end:
                self.fail("nothing was sent")
            time.sleep(0.05)
        headers, body = self.heard[0]
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(self.shared(endpoint["secret"], headers, body), "good")
        self.assertIn("bad", self.shared(endpoint["secret"], headers, body + b" "))
        other = "whsec_" + base64.b64encode(bytes(32)).decode()
        self.assertIn("bad", self.shared(other, headers, body))

        public = endpoint["secrets"][0]["publicKey"]
        self.assertTrue(self.pair(public, headers, body))
        self.assertFalse(self.pair(public, headers, body + b" "))

    def shared(self, secret, headers, body):
        given = json.dumps({"secret": secret, "headers": headers, "body": body.decode()})
        words = [generators.VENV / "bin/python", "-c", VERIFY]
        done = subprocess.run(words, input=given, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.strip()

    def pair(self, public, headers, body):
        """Whether OpenSSL finds the signature of `v1a` good."""
        folder = pathlib.Path(self.daemon.folder)
        key = ED25519_HEAD + base64.b64decode(public.removeprefix("whpk_"))
        (folder / "key.der").write_bytes(key)
        signatures = [one[4:] for one in headers["webhook-signature"].split() if one.startswith("v1a,")]
        self.assertEqual(len(signatures), 1)
        (folder / "signature").write_bytes(base64.b64decode(signatures[0]))
        message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        (folder / "message").write_bytes(message)
        words = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", folder / "key.der", "-rawin"]
        words += ["-in", folder / "message", "-sigfile", folder / "signature"]
        return subprocess.run(words, capture_output=True, check=False, timeout=60).returncode == 0


if __name__ == "__main__":
    unittest.main()
