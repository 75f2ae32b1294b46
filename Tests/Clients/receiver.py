"""Hears webhooks with the client that openapi-python-client generated and PyPI's standardwebhooks, and handles each event once.

usage: receiver.py FOLDER PORT [feed], which keeps the book, and with `feed` the checkpoint up to which it read the feed at its start
"""

import http.server
import json
import os
import pathlib
import sys
import threading

from paystream_api import AuthenticatedClient
from paystream_api.api.events import list_events
from paystream_api.models import PublicEvent, PublicEventPage, PublicEventType
from paystream_api.types import UNSET
from standardwebhooks import Webhook, WebhookVerificationError

folder, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
book, checkpoint = folder / "book", folder / "checkpoint"
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
handled = set(book.read_text().split()) if book.exists() else set()
known = {word.value for word in PublicEventType}
lock = threading.Lock()


def handle(event):
    """What a shop does about an event; where it has a database, in one transaction with the event's id."""
    with lock:
        if event.id in handled:
            return
        with book.open("a") as file:
            file.write(event.id + "\n")
            file.flush()
            os.fsync(file.fileno())
        handled.add(event.id)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            self.answer(400)
            return
        given = json.loads(body)
        # Others are test events, or newer than this client: the feed has them when it is made anew.
        if given["type"] in known:
            handle(PublicEvent.from_dict(given))
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


def catch_up():
    """Reads what the feed has behind the checkpoint."""
    client = AuthenticatedClient(base_url=os.environ["PAYSTREAM_URL"], token=os.environ["PAYSTREAM_KEY"])
    while True:
        cursor = checkpoint.read_text() if checkpoint.exists() else UNSET
        page = list_events.sync(client=client, after=cursor)
        if not isinstance(page, PublicEventPage):
            sys.exit(f"refused: {page}")
        for event in page.items:
            handle(event)
        beside = checkpoint.with_suffix(".new")
        beside.write_text(page.next_)
        beside.replace(checkpoint)
        if not page.has_more:
            return


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
if "feed" in sys.argv[3:]:
    catch_up()
server.serve_forever()
