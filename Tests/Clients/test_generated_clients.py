"""Generates clients from the OpenAPI document that a daemon serves, compiles them and makes a payment with each."""

import compileall
import json
import os
import pathlib
import shutil
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Documents")]

import generators  # noqa: E402
from installation import Installation  # noqa: E402

HERE = pathlib.Path(__file__).parent
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
        cls.daemon = cls.enterClassContext(Installation())
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
