"""A shop that sells mugs: `python3 shop.py`, then open http://127.0.0.1:3000."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Dict, Optional
from urllib.parse import urlsplit

from gateramp import Event, EventContext, Gate, GateError

PORT = int(os.environ.get("PORT", "3000"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://127.0.0.1:{PORT}")
CHECKOUT_URL = os.environ.get("GATE_CHECKOUT_URL", "http://127.0.0.1:4244")
BASE_URL = os.environ.get("GATE_BASE_URL", "http://127.0.0.1:4242")


def is_loopback(url: str) -> bool:
    return re.fullmatch(r"localhost|127(\.\d{1,3}){3}|::1", urlsplit(url).hostname or "") is not None


def secret(name: str, published: str) -> str:
    """The keys and the secret of examples/seed.json are public, so they are defaults on loopback addresses only."""
    given = os.environ.get(name, published if is_loopback(SHOP_URL) and is_loopback(BASE_URL) else "")
    if given == "":
        raise SystemExit(f"Set {name}. Its default is published, and for loopback addresses only.")
    return given


PUBLISHABLE_KEY = secret("GATE_PUBLISHABLE_KEY", "pk_test_example_shop_publishable_key")
WEBHOOK_SECRET = secret("GATE_WEBHOOK_SECRET", "whsec_example_shop_signing_secret")
SECRET_KEY = secret("GATE_SECRET_KEY", "sk_test_example_shop_secret_key")
IS_LIVE = SECRET_KEY.startswith("sk_live_")

gate = Gate(SECRET_KEY, base_url=BASE_URL)

PRICE = "25.00"
CURRENCY = "EUR"
FORM = b"<form method=post action=/orders><button>Buy</button></form>"
PAGE = b"<!doctype html><title>Mugs</title><h1>A mug, 25.00 EUR</h1>" + FORM


class Orders:
    """The shop's own table."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.row_factory = sqlite3.Row
        self._database.execute("create table orders (id text primary key, amount text not null, currency text not null,"
            " status text not null, tx_refid text)")

    def open(self, id: str) -> None:
        with self._lock, self._database as database:
            database.execute("insert into orders values (?, ?, ?, 'open', null)", (id, PRICE, CURRENCY))

    def paid(self, id: str, tx_refid: str) -> bool:
        """Returns False if it was already paid: deliveries arrive at least once, and a mug is sent once."""
        with self._lock, self._database as database:
            changed = database.execute(
                "update orders set status = 'paid', tx_refid = ? where id = ? and status = 'open'", (tx_refid, id)
            )
            return changed.rowcount == 1

    def find(self, id: str) -> Optional[Dict[str, str]]:
        with self._lock:
            row = self._database.execute("select * from orders where id = ?", (id,)).fetchone()
        return None if row is None else dict(row)


orders = Orders()


def send_mugs(event: Event, context: EventContext) -> None:
    """Called once for each event with a valid signature. Mugs are sent only for this event type."""
    if event.type != "gate_session.completed":
        return
    session = event.data
    order = orders.find(session.user_reference or "")
    if order is None or order["status"] != "open":
        return
    # Sessions with other terms, or of test mode in a live shop, may have the same reference. Amounts are returned as sent.
    ordered = (IS_LIVE, order["amount"], order["currency"])
    if (event.livemode, session.amount, session.currency) != ordered:
        print(f"order {order['id']} was not paid as ordered: session {session.id}", flush=True)
    elif orders.paid(order["id"], session.tx_refid):
        print(f"order {order['id']} is paid: send the mug", flush=True)


receiver = gate.webhooks.receive(secret=WEBHOOK_SECRET, handle=send_mugs)


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/":
            self.answer(200, PAGE, {"Content-Type": "text/html"})
            return
        order = orders.find(self.path[len("/orders/") :]) if self.path.startswith("/orders/") else None
        self.answer(404 if order is None else 200, json.dumps(order).encode(), {"Content-Type": "application/json"})

    def do_POST(self) -> None:
        if self.path == "/hooks":
            receiver.http_server(self)  # reads the raw bytes itself
        elif self.path == "/orders":
            self.buy()
        else:
            self.answer(404)

    def buy(self) -> None:
        """The shop sets the price, never the browser. The order's id is the idempotency key: one session per order."""
        id = str(uuid.uuid4())
        orders.open(id)
        try:
            session = gate.gate_sessions.create(
                amount=PRICE,
                currency=CURRENCY,
                flow="on_ramp",
                return_url=f"{SHOP_URL}/orders/{id}",
                user_reference=id,
                idempotency_key=id,
            )
        except GateError as error:
            print(f"no checkout for order {id}: {error.code}, request {error.request_id}")
            self.answer(502, b"The checkout cannot be reached. Nothing was charged.")
            return
        # Browsers do not send what follows the #, so no server logs the secret.
        location = f"{CHECKOUT_URL}/?publishableKey={PUBLISHABLE_KEY}#client_secret={session.client_secret}"
        self.answer(303, headers={"Location": location})

    def answer(self, status: int, body: bytes = b"", headers: Optional[Dict[str, str]] = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Shop)
    print(f"The shop is open: {SHOP_URL}", flush=True)
    server.serve_forever()
