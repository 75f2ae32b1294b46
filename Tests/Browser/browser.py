"""A real Chromium, driven by a pinned Playwright from an environment of its own under .paystream/."""

import contextlib
import os
import pathlib
import shutil
import site
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "deploy/browser-requirements.txt"
VENV = pathlib.Path(os.environ.get("PAYSTREAM_BROWSER_VENV", ROOT / ".paystream/browser"))
INSTALL_SECONDS = 300
# How long a page may take to show what is expected of it.
PATIENCE_MILLISECONDS = 15_000


class Unavailable(Exception):
    """Chromium or Playwright is not here and can't be had."""


@contextlib.contextmanager
def pages():
    """Gives a function that opens a page of a fresh payer, without cookies of others; closes everything afterwards."""
    program = os.environ.get("PAYSTREAM_CHROMIUM") or shutil.which("chromium")
    if program is None:
        raise Unavailable("no chromium on PATH; deploy/bootstrap.sh --browser installs it")
    _install()
    site.addsitedir(str(VENV / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Chromium's own sandbox refuses root and needs rights that containers lack; every page here is our own.
        chromium = playwright.chromium.launch(
            executable_path=program, headless=True, chromium_sandbox=False, args=["--disable-dev-shm-usage"]
        )

        def page(**context):
            opened = chromium.new_context(**context).new_page()
            opened.set_default_timeout(PATIENCE_MILLISECONDS)
            return opened

        try:
            yield page
        finally:
            chromium.close()


def accessibility(page):
    """What axe finds wrong on a page: rule and place, by the rules of WCAG 2.2 AA and good practice."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


def _install():
    """Makes the environment, again when a pinned version changes."""
    marker = VENV / ".installed"
    if marker.exists() and marker.read_bytes() == REQUIREMENTS.read_bytes():
        return
    shutil.rmtree(VENV, ignore_errors=True)
    VENV.parent.mkdir(parents=True, exist_ok=True)
    pip = [str(VENV / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "--requirement"]
    for command in ([sys.executable, "-m", "venv", str(VENV)], [*pip, str(REQUIREMENTS)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS)
        if done.returncode != 0:
            raise Unavailable(f"playwright can't be installed: {done.stdout}{done.stderr}")
    shutil.copyfile(REQUIREMENTS, marker)
