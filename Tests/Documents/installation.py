"""A daemon and a sandbox of their own, on the PostgreSQL that PAYSTREAM_TEST_DATABASE_URL names."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS = 30


class Installation:
    """Starts in `with`, stops and removes everything afterwards."""

    def __init__(self, settings=None):
        self.settings = settings or {}
        self.binary = os.environ.get("PAYSTREAM_BINARY", str(ROOT / ".build/debug/paystream"))
        self.server = os.environ["PAYSTREAM_TEST_DATABASE_URL"]
        self.database = f"paystream_documents_{os.getpid()}"
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.children = []
        self.environment = dict(os.environ)
        self.url = self.key = self.sandbox = ""

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.terminate()
        for child in self.children:
            child.wait()
        self._sql(f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")
        shutil.rmtree(self.folder)

    def _start(self):
        self._sql(f"CREATE DATABASE {self.database} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'")
        master = self.folder / "master.key"
        self.environment |= {
            "DATABASE_URL": self.server.replace("/postgres?", f"/{self.database}?"),
            "PAYSTREAM_MASTER_KEY_FILE": str(master),
            "PAYSTREAM_LISTEN": "127.0.0.1:0",
        }
        self._run("migrate")
        self._run("keys", "master", str(master))
        self._run("merchants", "create", "documents")
        scopes = "commands,read,audit,admin"
        self.key = self._run("keys", "--merchant", "documents", "--scopes", scopes, "create", "documents").strip()
        self.sandbox = self._serve("sandbox")
        self.url = self._serve("serve")
        account = {
            "name": "ecommpay-demo",
            "provider": "ecommpay",
            "mode": "test",
            "settings": {
                "projectId": 42,
                "currencies": ["EUR"],
                "gateUrl": self.sandbox,
                "paymentPageUrl": f"{self.sandbox}/payment",
            }
            | self.settings,
            "secrets": {"secretKey": "sandbox-secret"},
        }
        self.call("POST", "/v1/accounts", account)
        self.call("PUT", "/v1/routing", {"accounts": ["ecommpay-demo"]})

    def _run(self, *words):
        done = subprocess.run(
            [self.binary, *words], env=self.environment, capture_output=True, text=True, check=False, timeout=120
        )
        if done.returncode != 0:
            raise AssertionError(f"paystream {' '.join(words)}: {done.stderr}")
        return done.stdout

    def _serve(self, command):
        """Starts a server and answers the address that it prints."""
        log = self.folder / f"{command}.log"
        with log.open("wb") as output:
            self.children.append(
                subprocess.Popen([self.binary, command], env=self.environment, stdout=output, stderr=output)
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            found = re.search(r"http://[0-9.]+:[0-9]+", log.read_text())
            if found:
                return found.group()
            time.sleep(0.05)
        raise AssertionError(f"paystream {command} does not start: {log.read_text()}")

    def _sql(self, statement):
        psql = os.path.join(os.environ.get("PAYSTREAM_PG_BIN", ""), "psql")
        subprocess.run([psql, "-X", "-q", "-d", self.server, "-c", statement], check=True, timeout=60)

    def call(self, method, path, body, key=None):
        request = urllib.request.Request(
            self.url + path,
            json.dumps(body).encode(),
            {
                "Authorization": f"Bearer {self.key}",
                "Content-Type": "application/json",
                "Idempotency-Key": key or f"set-up:{method}:{path}",
            },
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
