"""Runs the shell blocks of docs/API.md, one after the other in one shell, against a daemon."""

import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from installation import ROOT, Installation  # noqa: E402

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED = re.compile(r"^.*\S {6}# (\S.*)$")


class ApiDocumentTests(unittest.TestCase):
    def test_every_block_runs_and_prints_what_it_says(self):
        text = (ROOT / "docs/API.md").read_text(encoding="utf-8")
        blocks = BLOCK.findall(text)
        # The first block reads the addresses of `make run`; here they come from the environment.
        self.assertTrue(blocks and blocks[0].startswith(". ./.paystream/dev.env"))
        blocks[0] = "\n".join(blocks[0].splitlines()[1:])
        script = "\n".join(blocks)
        expected = [found.group(1) for line in script.splitlines() if (found := EXPECTED.match(line))]
        expected = [words for words in expected if not words.startswith("the payer")]
        self.assertGreater(len(expected), 5)
        with Installation() as daemon:
            daemon.environment |= {
                "PAYSTREAM_URL": daemon.url,
                "PAYSTREAM_KEY": daemon.key,
                "PAYSTREAM_SANDBOX": daemon.sandbox,
            }
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=daemon.folder,
                env=daemon.environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        printed = [line.strip() for line in done.stdout.splitlines()]
        place = 0
        for words in expected:
            self.assertIn(words, printed[place:], f"after {printed[:place]} came {printed[place:]}")
            place = printed.index(words, place) + 1


if __name__ == "__main__":
    unittest.main()
