"""Runs every test_*.py under a folder with unittest and writes 'PASSED FAILED' to a file.

usage: python3 deploy/python_suites.py FOLDER RESULT-FILE
"""

import pathlib
import sys
import unittest


class CountingResult(unittest.TextTestResult):
    """Counts what passed: a class that is skipped as a whole counts no test, and would be missed by subtraction."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main() -> int:
    folder, result_file = sys.argv[1:]
    suite = unittest.TestSuite()
    for file in sorted(pathlib.Path(folder).rglob("test_*.py")):
        # A loader takes one top folder only, and the suites lie in several.
        suite.addTests(unittest.TestLoader().discover(str(file.parent), file.name, str(file.parent)))
    result = unittest.TextTestRunner(verbosity=2, resultclass=CountingResult).run(suite)
    bad = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    pathlib.Path(result_file).write_text(f"{result.passed} {bad}\n", encoding="utf-8")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
