"""Runs every test_*.py under a folder with unittest, writes 'PASSED FAILED' to a file and adds what failed to another.

usage: python3 deploy/python_suites.py FOLDER RESULT-FILE FAILED-FILE
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
    folder, result_file, failed_file = sys.argv[1:]
    suite = unittest.TestSuite()
    for file in sorted(pathlib.Path(folder).rglob("test_*.py")):
        # A loader takes one top folder only, and the suites lie in several.
        suite.addTests(unittest.TestLoader().discover(str(file.parent), file.name, str(file.parent)))
    result = unittest.TextTestRunner(verbosity=2, resultclass=CountingResult).run(suite)
    named = [test for test, _ in result.failures + result.errors] + result.unexpectedSuccesses
    bad = len(named)
    with open(failed_file, "a", encoding="utf-8") as file:
        file.writelines(f"{test}\n" for test in named)
    pathlib.Path(result_file).write_text(f"{result.passed} {bad}\n", encoding="utf-8")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
