import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gateramp import Event, EventContext, Gate

gate = Gate("sk_test_gateramp_demo_secret_key", base_url="http://127.0.0.1:4242")


PRICE, CURRENCY = "25.00", "EUR"


def handle(event: Event, context: EventContext) -> None:
    print("verified", event.type, flush=True)
    if event.type != "gate_session.completed":
        return
    # Fulfill the order only if amount, currency and mode are as ordered.
    paid = (event.data.amount, event.data.currency, event.livemode)
    outcome = "paid" if paid == (PRICE, CURRENCY, False) else "not as ordered"
    print(outcome, event.data.amount, event.data.currency, event.data.tx_refid, flush=True)


receiver = gate.webhooks.receive(secret=os.environ["GATERAMP_WEBHOOK_SECRET"], handle=handle)


class Shop(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        receiver.http_server(self) if self.path == "/hooks" else self.send_error(404)

    def do_GET(self) -> None:
        self.buy() if self.path == "/" else self.send_error(404)

    def buy(self) -> None:
        session = gate.gate_sessions.create(amount=PRICE, currency=CURRENCY, return_url="http://localhost:4240/")
        checkout = "http://127.0.0.1:4244/?publishableKey=pk_test_gateramp_demo_publishable_key"
        self.send_response(303)
        # Browsers do not send what follows the #.
        self.send_header("Location", f"{checkout}#client_secret={session.client_secret}")
        self.end_headers()


print("The shop is open: http://localhost:3000", flush=True)
ThreadingHTTPServer(("127.0.0.1", 3000), Shop).serve_forever()
