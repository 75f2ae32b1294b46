"""Generators of clients, from an environment of their own under .paystream/, and the compiler of TypeScript."""

import os
import pathlib
import shutil
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "deploy/clients-requirements.txt"
VENV = pathlib.Path(os.environ.get("PAYSTREAM_CLIENTS_VENV", ROOT / ".paystream/clients"))
INSTALL_SECONDS = 300
RUN_SECONDS = 120


class Unavailable(Exception):
    """A generator or a compiler is not here and can't be had."""


def needed(*programs):
    """Fails where a program of Debian's is not on PATH."""
    for program in programs:
        if shutil.which(program) is None:
            raise Unavailable(f"no {program} on PATH; deploy/bootstrap.sh --clients installs it")


def document(daemon, folder):
    """The OpenAPI document as the daemon serves it."""
    file = pathlib.Path(folder) / "openapi.json"
    with urllib.request.urlopen(daemon.url + "/openapi.json", timeout=30) as answer:
        file.write_bytes(answer.read())
    return file


def run(words, environment=None, cwd=None):
    """Runs a program to its good end and gives all that it printed."""
    done = subprocess.run(
        [str(word) for word in words],
        env=environment,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=RUN_SECONDS,
    )
    if done.returncode != 0:
        raise AssertionError(f"{words[0]} ends with {done.returncode}: {done.stdout[-4000:]}")
    return done.stdout


def install():
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
            raise Unavailable(f"the generators can't be installed: {done.stdout}{done.stderr}")
    shutil.copyfile(REQUIREMENTS, marker)


def python_client(openapi, folder):
    """Generates the package `paystream_api` with openapi-python-client; a warning is an error."""
    install()
    config = pathlib.Path(__file__).parent / "openapi-python-client.yaml"
    package = pathlib.Path(folder) / "paystream_api"
    said = run(
        [
            VENV / "bin/openapi-python-client", "generate", "--fail-on-warning", "--meta", "none",
            "--path", openapi, "--config", config, "--output-path", package,
        ]
    )
    return package, said


def typescript_client(openapi, folder):
    """Generates the folder `paystream` with OpenAPI Generator's typescript-fetch."""
    install()
    package = pathlib.Path(folder) / "paystream"
    said = run(
        [
            VENV / "bin/openapi-generator-cli", "generate", "-g", "typescript-fetch",
            "-i", openapi, "-o", package,
            # Without the document's webhooks: they are what a receiver answers, and become calls without types.
            "--global-property=apis,models,supportingFiles",
            # Without checks of every answer, newer members and words pass; and Debian's compiler takes it.
            "--additional-properties=withoutRuntimeChecks=true",
        ]
    )
    return package, said


def compiled(program, folder):
    """Compiles a program with all that it imports, by Debian's tsc; gives the JavaScript."""
    out = pathlib.Path(folder) / "out"
    run(
        [
            "tsc", "--strict", "--target", "es2020", "--module", "commonjs",
            "--moduleResolution", "node", "--lib", "es2020,dom", "--outDir", out, *program,
        ],
        cwd=folder,
    )
    return out
