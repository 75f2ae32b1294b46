"""Follows the feed with the client that openapi-python-client generated, and writes each event down once.

usage: follow.py FOLDER, which keeps the checkpoint and the book
"""

import os
import pathlib
import sys
import time

import httpx

from paystream_api import AuthenticatedClient
from paystream_api.api.events import list_events
from paystream_api.models import Problem, PublicEventPage
from paystream_api.types import UNSET

folder = pathlib.Path(sys.argv[1])
checkpoint, book = folder / "checkpoint", folder / "book"
client = AuthenticatedClient(
    base_url=os.environ["PAYSTREAM_URL"], token=os.environ["PAYSTREAM_KEY"], timeout=httpx.Timeout(60)
)
cursor = checkpoint.read_text() if checkpoint.exists() else UNSET
handled = set(book.read_text().split()) if book.exists() else set()

while True:
    try:
        page = list_events.sync(client=client, after=cursor, limit=3, wait=20)
    except httpx.TransportError:
        time.sleep(0.2)
        continue
    if isinstance(page, Problem) and (page.status == 429 or page.status >= 500):
        # It is busy, or starting.
        time.sleep(1)
        continue
    if not isinstance(page, PublicEventPage):
        sys.exit(f"refused: {page}")
    with book.open("a") as file:
        for event in page.items:
            if event.id in handled:
                continue
            # What a shop does about an event; where it has a database, in one transaction with the checkpoint.
            handled.add(event.id)
            file.write(event.id + "\n")
            file.flush()
    cursor = page.next_
    beside = checkpoint.with_suffix(".new")
    beside.write_text(cursor)
    beside.replace(checkpoint)
