"""Prints the ids of a list as it walks over it from a cursor; after one of them, it waits for a line of its input."""

from __future__ import annotations

import sys

from .world import gate

name, cursor, last = sys.argv[1:]
shop = gate()
lists = {"sessions": shop.gate_sessions, "transactions": shop.transactions, "deliveries": shop.webhooks.deliveries}
for item in lists[name].list(ending_before=cursor, limit=2):
    print(item.id, flush=True)
    if item.id == last:
        sys.stdin.readline()
