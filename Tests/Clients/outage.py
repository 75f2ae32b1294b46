"""Lets an hour go by for the webhooks of a daemon whose receiver is away, without waiting for it."""

import os
import subprocess
import time

HOUR = 3600
PATIENCE_SECONDS = 60
# Moves everything that deliveries know of time into the past, as if so much of it had gone by.
PASS = """
UPDATE paystream.webhook_delivery SET created_at = created_at - '{0} s'::interval, begun_at = begun_at - '{0} s'::interval,
    next_at = next_at - '{0} s'::interval, ended_at = ended_at - '{0} s'::interval;
UPDATE paystream.webhook_attempt SET at = at - '{0} s'::interval;
UPDATE paystream.webhook_cursor SET failing_since = failing_since - '{0} s'::interval;
"""
# How many wait, whether one is on the wire, and seconds until the next attempt.
WAITING = """
SELECT count(*), coalesce(bool_or(is_running), false), coalesce(min(extract(epoch FROM next_at - clock_timestamp())), 0)
  FROM paystream.webhook_delivery WHERE endpoint = '{0}' AND state = 1
"""


def passes(daemon, endpoint, least, seconds=HOUR):
    """Lets the time go by from attempt to attempt; each is made, and fails; so many deliveries wait at least."""
    gone = 0.0
    while gone < seconds:
        step = min(_pause(daemon, endpoint, least) + 0.01, seconds - gone)
        _run(daemon, PASS.format(step))
        gone += step


def _pause(daemon, endpoint, least):
    """Seconds until the next attempt, once the last one is written down."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        count, is_running, pause = _run(daemon, WAITING.format(endpoint.removeprefix("whe_"))).split("|")
        if int(count) >= least and is_running == "f" and float(pause) > 0:
            return float(pause)
        if time.monotonic() > end:
            raise AssertionError(f"{count} deliveries wait, not {least}; running: {is_running}, due in {pause} s")
        time.sleep(0.05)


def _run(daemon, statements):
    psql = os.path.join(os.environ.get("PAYSTREAM_PG_BIN", ""), "psql")
    done = subprocess.run(
        [psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", daemon.environment["DATABASE_URL"], "-c", statements],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.strip()
