"""Runs the programs of docs/examples against a daemon, as they stand there."""

import base64
import hashlib
import hmac
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

import generators  # noqa: E402
from installation import ROOT, Installation  # noqa: E402

EXAMPLES = ROOT / "docs/examples"
# The example of the standard itself.
STANDARD = {
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "timestamp": "1614265330",
    "signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    "body": b'{"test": 2432232314}',
}


class ExampleTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            generators.needed("node", "tsc", "curl", "openssl")
        except generators.Unavailable as lack:
            if os.environ.get("CI") == "true":
                raise
            raise unittest.SkipTest(str(lack)) from lack
        cls.daemon = cls.enterClassContext(Installation())
        cls.environment = dict(os.environ) | {"PAYSTREAM_URL": cls.daemon.url, "PAYSTREAM_KEY": cls.daemon.key}
        sources = sorted((EXAMPLES / "typescript").glob("*.ts"))
        out = generators.compiled(sources, cls.daemon.folder)
        cls.languages = {
            "curl": ["bash", EXAMPLES / "curl/{}.sh"],
            "python": [sys.executable, EXAMPLES / "python/{}.py"],
            "typescript": ["node", out / "{}.js"],
        }

    def program(self, language, name):
        runner, file = self.languages[language]
        return [runner, str(file).format(name)]

    def test_each_makes_a_payment_and_gives_a_part_of_it_back(self):
        for language in self.languages:
            with self.subTest(language):
                order = f"{language}-1"
                # Once more with the same order: the same payment, and no second refund.
                for _ in range(2):
                    printed = generators.run([*self.program(language, "pay"), order], self.environment)
                    self.assertEqual(printed.split("\n"), [f"{order} is paid", f"{order} is partiallyRefunded", ""])

    def test_each_believes_what_is_signed_and_nothing_else(self):
        standard = STANDARD | {"tolerance": "9999999999"}
        now = {"body": b'{"id":"evt_1"}', "timestamp": str(int(time.time())), "tolerance": "300"}
        fresh = self.signed(standard | now)
        old = self.signed(standard | now | {"timestamp": str(int(time.time()) - 301)})
        cases = [
            (standard, True),
            (standard | {"body": b'{"test": 2432232315}'}, False),
            (standard | {"id": "msg_other"}, False),
            (standard | {"signature": "v1,AAAA " + STANDARD["signature"]}, True),
            (standard | {"signature": "v1a," + STANDARD["signature"][3:]}, False),
            (standard | {"secret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}, False),
            (fresh, True),
            (old, False),
        ]
        trap = self.daemon.folder / "trap"
        cases += [
            (standard | {"timestamp": time}, False)
            for time in (f"PATH[$(touch {trap})]", "1+1", "", "0x10", "-1", "NaN", "1614265330.0", "1e9", "\u0661")
        ]
        cases += [(standard | {"signature": text}, False) for text in ("", "v1,", "v1,\u00e9", "v1", "v1,%%%%", "\u2028")]
        for language in self.languages:
            for case, is_good in cases:
                with self.subTest(language, **case):
                    self.assertEqual(self.believes(language, case), is_good)
        self.assertFalse(trap.exists(), "a header was run")

    @staticmethod
    def signed(case):
        key = base64.b64decode(case["secret"].removeprefix("whsec_"))
        message = f"{case['id']}.{case['timestamp']}.".encode() + case["body"]
        return case | {"signature": "v1," + base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()}

    def believes(self, language, case):
        done = subprocess.run(
            [*self.program(language, "webhook"), case["id"], case["timestamp"], case["signature"]],
            env=self.environment | {"WEBHOOK_SECRET": case["secret"], "WEBHOOK_TOLERANCE": case["tolerance"]},
            input=case["body"],
            capture_output=True,
            check=False,
            timeout=60,
        )
        self.assertNotIn(b"Traceback", done.stderr)
        self.assertEqual(done.stdout.strip(), b"good" if done.returncode == 0 else b"", done.stderr)
        return done.returncode == 0


if __name__ == "__main__":
    unittest.main()
