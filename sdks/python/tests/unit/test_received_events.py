"""Several processes that receive: no event is handled by two of them, and none is lost with one that crashes."""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path
from typing import Any, Dict, Generator, List, Optional, Tuple

from gateramp import Claim, Event, EventContext, InvalidRequestError, MemoryEvents, ReceivedEvent, Recorded, webhooks

from gateramp._receiver import HOOKS_MAX, WORKS_MAX

from ..receiving import SECRET, Heard, body_of
from ..spec import PACKAGE

PATIENCE_SECONDS = 60
EVENT = ReceivedEvent("e1", "s1", 1)


def ignore(error: Exception, event: Event) -> None:
    """These tests look at the answers."""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Claims(unittest.TestCase):
    """Each receiver is a process: it has nothing in common with the other but the store."""

    def test_a_second_process_is_answered_503_meanwhile_and_200_once_the_event_is_handled(self) -> None:
        store = MemoryEvents()
        begun, finish = threading.Event(), threading.Event()

        def handle(event: Event, context: EventContext) -> None:
            begun.set()
            self.assertTrue(finish.wait(PATIENCE_SECONDS))

        first, second = Heard(store=store, handle=handle), Heard(store=store)
        answers: List[Tuple[int, bytes]] = []
        running = threading.Thread(target=lambda: answers.append(first.take(body_of("e1"))))
        running.start()
        self.assertTrue(begun.wait(PATIENCE_SECONDS))
        status, answered = second.take(body_of("e1"))
        self.assertEqual((status, json.loads(answered)["error"]["reason"]), (503, "in_progress"))
        finish.set()
        running.join(PATIENCE_SECONDS)
        self.assertEqual(answers[0][0], 200)
        self.assertIn(b"duplicate", second.take(body_of("e1"))[1])
        self.assertEqual(second.events, [])

    def test_a_claim_is_taken_over_when_its_lease_has_ended_and_not_before(self) -> None:
        clock = Clock()
        store = MemoryEvents(now=clock)
        self.assertEqual(store.claim(EVENT, "crashed", 30), Claim("claimed"))
        other = Heard(store=store)
        clock.now = 29.9
        self.assertEqual(other.take(body_of("e1"))[0], 503)
        clock.now = 30.0
        self.assertEqual(other.take(body_of("e1"))[0], 200)
        self.assertEqual(other.events, [("e1", False)])

    def test_a_process_that_lost_its_lease_to_another_records_nothing_and_says_so(self) -> None:
        clock = Clock()
        store = MemoryEvents(now=clock)
        errors: List[str] = []

        def handle(event: Event, context: EventContext) -> None:
            clock.now = 30.0
            self.assertEqual(store.claim(EVENT, "another", 30).status, "claimed")

        slow = Heard(
            store=store, handle=handle, lease_seconds=30, on_error=lambda error, event: errors.append(str(error))
        )
        self.assertEqual(slow.take(body_of("e1"))[0], 500)
        self.assertIn("lease_seconds", errors[0])
        self.assertTrue(store.complete(EVENT, "another"))

    def test_what_one_has_failed_to_handle_another_handles_at_once(self) -> None:
        store = MemoryEvents()

        def handle(event: Event, context: EventContext) -> None:
            raise OSError("away")

        self.assertEqual(Heard(store=store, handle=handle, on_error=ignore).take(body_of("e1"))[0], 500)
        self.assertEqual(Heard(store=store).take(body_of("e1"))[0], 200)

    def test_a_store_that_is_away_is_a_delivery_that_comes_again(self) -> None:
        class Away(MemoryEvents):
            def __init__(self, method: str) -> None:
                super().__init__()
                setattr(self, method, self.fail)

            def fail(self, *_: object) -> Any:
                raise OSError("away")

        for method in ("claim", "complete"):
            errors: List[str] = []
            heard = Heard(store=Away(method), on_error=lambda error, event: errors.append(str(error)))
            self.assertEqual((heard.take(body_of("e1"))[0], errors), (500, ["away"]))

    def test_a_lease_that_is_no_finite_number_is_refused(self) -> None:
        for value in (float("nan"), float("inf"), -1):
            with self.assertRaises(InvalidRequestError):
                Heard(lease_seconds=value)

    def test_the_memory_store_forgets_when_very_many_came_after(self) -> None:
        store = MemoryEvents(kept_max=2)
        events = [ReceivedEvent(f"e{number}", f"s{number}", number) for number in (1, 2, 3)]
        for event in events:
            store.claim(event, "t", 60)
            self.assertTrue(store.complete(event, "t"))
        statuses = [store.claim(event, "t", 60).status for event in events]
        self.assertEqual(statuses, ["claimed", "handled", "handled"])

    def test_the_memory_store_keeps_a_limited_number_of_claims_and_forgets_only_ended_ones(self) -> None:
        clock = Clock()
        store = MemoryEvents(kept_max=2, now=clock)
        e1, e2, e3 = (ReceivedEvent(f"e{number}", None, None) for number in (1, 2, 3))
        for event in (e1, e2):
            self.assertEqual(store.claim(event, "t", 60).status, "claimed")
        self.assertEqual(store.claim(e3, "t", 60).status, "in_progress")
        clock.now = 60
        self.assertEqual(store.claim(e1, "again", 60).status, "claimed")
        self.assertEqual(store.claim(e3, "t", 60).status, "claimed")
        self.assertEqual([store.complete(event, "t") for event in (e1, e2, e3)], [False, False, True])
        self.assertTrue(store.complete(e1, "again"))

    def test_the_last_sequence_is_the_greatest_whatever_order_they_were_completed_in(self) -> None:
        store = MemoryEvents()
        for sequence in (1, 3, 2):
            event = ReceivedEvent(f"e{sequence}", "s1", sequence)
            store.claim(event, "t", 60)
            store.complete(event, "t")
        self.assertEqual(store.claim(ReceivedEvent("e4", "s1", 4), "t", 60), Claim("claimed", 3))


class Endless(unittest.TestCase):
    """Waits for functions of the host have a limit: here the lease, which is shorter than the wait of the sender."""

    def setUp(self) -> None:
        self.join_threads()
        self.finish = threading.Event()
        self.addCleanup(self.finish.set)
        self.errors: List[str] = []

    def on_error(self, error: Exception, event: Event) -> None:
        self.errors.append(str(error))

    def hang(self, *_: object) -> Any:
        self.finish.wait(PATIENCE_SECONDS)

    def test_after_the_lease_the_next_delivery_runs_the_handler_again_and_the_late_one_records_nothing(self) -> None:
        clock = Clock()
        runs: List[int] = []
        completed: List[bool] = []
        late = threading.Event()

        class Store(MemoryEvents):
            def complete(self, event: ReceivedEvent, token: str) -> bool:
                completed.append(super().complete(event, token))
                late.set()
                return completed[-1]

        def handle(event: Event, context: EventContext) -> None:
            runs.append(len(runs))
            if len(runs) == 1:
                self.finish.wait(PATIENCE_SECONDS)

        # Long enough for the third delivery on a machine that pauses.
        heard = Heard(store=Store(now=clock), handle=handle, lease_seconds=3, on_error=self.on_error)
        for _ in range(2):
            status, answered = heard.take(body_of("e1"))
            self.assertEqual((status, json.loads(answered)["error"]["reason"]), (503, "in_progress"))
        self.assertEqual((runs, len(self.errors)), ([0], 1))
        clock.now = 3
        self.assertEqual(heard.take(body_of("e1"))[0], 200)
        self.assertEqual((runs, completed), ([0, 1], [True]))
        late.clear()
        self.finish.set()
        self.assertTrue(late.wait(PATIENCE_SECONDS))
        self.assertEqual(completed, [True, False])
        self.assertIn(b"duplicate", heard.take(body_of("e1"))[1])

    def test_a_transaction_that_the_database_has_ended_is_answered_503_and_the_next_delivery_is_handled(self) -> None:
        runs: List[int] = []

        def handle(event: Event, context: EventContext) -> None:
            runs.append(len(runs))
            if len(runs) == 1:
                self.finish.wait(PATIENCE_SECONDS)

        store = OneTransaction()
        heard = Heard(store=store, handle=handle, lease_seconds=0.2, on_error=self.on_error)
        # The second waits for the transaction of the first.
        for _ in range(2):
            self.assertEqual(heard.take(body_of("e1"))[0], 503)
        store.end_idle()
        patient = Heard(store=store, handle=handle, on_error=self.on_error)
        self.assertEqual(patient.take(body_of("e1"))[0], 200)
        self.finish.set()
        self.join_threads()
        self.assertEqual((runs, store.recorded), ([0, 1], ["e1"]))
        self.assertIn(b"duplicate", patient.take(body_of("e1"))[1])

    def test_deliveries_that_hang_hold_a_limited_number_of_threads(self) -> None:
        with unittest.mock.patch("gateramp._receiver.ANSWER_SECONDS", 0.01):
            heard = Heard(store=MemoryEvents(), handle=self.hang, on_error=self.on_error)
        for number in range(WORKS_MAX + 20):
            self.assertEqual(heard.take(body_of(f"e{number}"))[0], 503)
        self.assertLessEqual(len(self.threads()), WORKS_MAX)
        self.assertIn("deliveries", self.errors[-1])
        self.finish.set()
        self.join_threads()
        # The limit for an answer is short, so the first may be late.
        self.assertTrue(any(heard.take(body_of("last"))[0] == 200 for _ in range(1_000)))

    def test_handlers_that_never_end_give_up_their_places_with_their_leases_up_to_a_limit(self) -> None:
        late_max = 5
        runs: List[str] = []

        def handle(event: Event, context: EventContext) -> None:
            if event.id != "last":
                runs.append(event.id)
                self.finish.wait(PATIENCE_SECONDS)

        with unittest.mock.patch("gateramp._receiver.LATE_MAX", late_max):
            heard = Heard(store=MemoryEvents(), handle=handle, lease_seconds=0.01, on_error=self.on_error)
        for number in range(WORKS_MAX):
            heard.take(body_of(f"e{number}"))
        self.assertTrue(any(heard.take(body_of("last"))[0] == 200 for _ in range(1_000)))
        others = iter(range(WORKS_MAX, 2_000))
        while "deliveries are being handled" not in self.errors[-1]:
            heard.take(body_of(f"e{next(others)}"))
        self.assertLessEqual(len(runs), WORKS_MAX + late_max)

    def test_hooks_that_hang_hold_a_limited_number_of_threads(self) -> None:
        logger = logging.getLogger("gateramp")
        logger.disabled = True
        self.addCleanup(setattr, logger, "disabled", False)
        receiver = webhooks.receive(secret=SECRET, handle=self.hang, on_refused=self.hang)
        with unittest.mock.patch("gateramp._receiver.HOOK_SECONDS", 0.001):
            for _ in range(HOOKS_MAX + 20):
                self.assertEqual(receiver.receive(b"{}", "t=1,v1=00").status, 400)
        self.assertLessEqual(len(self.threads()), HOOKS_MAX)

    def threads(self) -> List[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "gateramp-webhook"]

    def join_threads(self) -> None:
        for thread in self.threads():
            thread.join(PATIENCE_SECONDS)

    def test_a_store_that_hangs_is_answered_503(self) -> None:
        for method in ("claim", "complete"):
            store = MemoryEvents()
            setattr(store, method, self.hang)
            self.assertEqual(Heard(store=store, lease_seconds=0.2, on_error=self.on_error).take(body_of("e1"))[0], 503)
        self.assertEqual(len(self.errors), 2)

    def test_hooks_that_raise_or_hang_change_no_answer(self) -> None:
        def raises(*_: object) -> None:
            raise OSError("of the hook")

        def handle(event: Event, context: EventContext) -> None:
            raise OSError("of the handler")

        for hook in (raises, self.hang):
            receiver = webhooks.receive(secret=SECRET, handle=handle, on_error=hook, on_refused=hook)
            header = webhooks.generate_test_header(body_of("e1"), SECRET)
            logger = logging.getLogger("gateramp")
            logger.disabled = True
            self.addCleanup(setattr, logger, "disabled", False)
            self.assertEqual(receiver.receive(body_of("e1"), header).status, 500)
            self.assertEqual(receiver.receive(b"{}", "t=1,v1=00").status, 400)


class OneTransaction:
    """A database that runs one transaction at a time, and ends an idle one when the test says so."""

    def __init__(self) -> None:
        self.recorded: List[str] = []
        self._turn = threading.Lock()
        self._written: Optional[List[str]] = None

    @contextlib.contextmanager
    def transaction(self) -> Generator[List[str], None, None]:
        self._turn.acquire()
        written: List[str] = []
        self._written = written
        try:
            yield written
            if self._written is not written:
                raise OSError("the database has ended this transaction")
            self.recorded.extend(written)
        finally:
            if self._written is written:
                self.end_idle()

    def record(self, event: ReceivedEvent, transaction: List[str]) -> Recorded:
        is_new = event.id not in self.recorded
        if is_new:
            transaction.append(event.id)
        return Recorded(is_new)

    def end_idle(self) -> None:
        self._written = None
        self._turn.release()


class SqliteEvents:
    """The record of events next to the shop's own table."""

    def __init__(self, file: str) -> None:
        self._file = file
        with contextlib.closing(self.connect()) as connection:
            connection.execute(
                "create table if not exists events (id text primary key, session_id text, sequence integer)"
            )
            connection.execute("create table if not exists parcels (event_id text, packed_by text)")

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=PATIENCE_SECONDS, isolation_level=None)

    @contextlib.contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        with contextlib.closing(self.connect()) as connection:
            connection.execute("begin immediate")  # one writer at a time; closing without a commit rolls back
            yield connection
            connection.execute("commit")

    def record(self, event: ReceivedEvent, transaction: sqlite3.Connection) -> Recorded:
        last = transaction.execute("select max(sequence) from events where session_id = ?", (event.session_id,))
        (last_sequence,) = last.fetchone()
        row = (event.id, event.session_id, event.sequence)
        inserted = transaction.execute("insert or ignore into events values (?, ?, ?)", row)
        return Recorded(inserted.rowcount == 1, last_sequence)

    def parcels(self) -> Dict[str, int]:
        with contextlib.closing(self.connect()) as connection:
            return dict(connection.execute("select event_id, count(*) from parcels group by event_id").fetchall())


PROCESS = """
import os, sys
from gateramp import webhooks
from tests.unit.test_received_events import SECRET, SqliteEvents, body_of

def handle(event, context):
    context.transaction.execute("insert into parcels values (?, ?)", (event.id, str(os.getpid())))
    if len(sys.argv) > 2:
        os._exit(9)  # after it has written, before the commit

receiver = webhooks.receive(secret=SECRET, store=SqliteEvents(sys.argv[1]), handle=handle)
for id in sys.stdin.read().split():
    body = body_of(id)
    print(receiver.receive(body, webhooks.generate_test_header(body, SECRET)).status)
"""


class Transactions(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(Path(folder.name) / "shop.db")
        self.store = SqliteEvents(self.file)

    def process(self, *args: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-B", "-c", PROCESS, self.file, *args]
        environment = {"PYTHONPATH": os.pathsep.join([str(PACKAGE), *filter(None, sys.path)])}
        return subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def test_two_processes_that_race_pack_one_parcel_for_each_event(self) -> None:
        ids = [f"e{number}" for number in range(40)]
        racing = [self.process() for _ in range(2)]
        for one in racing:
            assert one.stdin is not None
            one.stdin.write("\n".join(ids))
            one.stdin.close()
        for one in racing:
            assert one.stdout is not None and one.stderr is not None
            with one.stdout, one.stderr:
                self.assertEqual((one.stdout.read().split(), one.stderr.read()), (["200"] * len(ids), ""))
            one.wait(PATIENCE_SECONDS)
        self.assertEqual(self.store.parcels(), {id: 1 for id in ids})

    def test_what_a_process_wrote_that_crashed_before_its_commit_is_gone_and_another_handles_the_event(self) -> None:
        crashing = self.process("crash")
        crashing.communicate("e1", PATIENCE_SECONDS)
        self.assertEqual((crashing.returncode, self.store.parcels()), (9, {}))

        def pack(event: Event, context: EventContext) -> None:
            context.transaction.execute("insert into parcels values (?, 'here')", (event.id,))

        receiver = webhooks.receive(secret=SECRET, store=self.store, handle=pack)
        for _ in range(2):
            header = webhooks.generate_test_header(body_of("e1"), SECRET)
            self.assertEqual(receiver.receive(body_of("e1"), header).status, 200)
        self.assertEqual(self.store.parcels(), {"e1": 1})

    def test_a_handler_that_raises_leaves_neither_record_nor_writes_and_hears_of_later_events(self) -> None:
        fails = [True]
        stale: List[str] = []

        def pack(event: Event, context: EventContext) -> None:
            context.transaction.execute("insert into parcels values (?, 'here')", (event.id,))
            if context.is_stale:
                stale.append(event.id)
            if fails[0]:
                raise OSError("away")

        heard = Heard(store=self.store, handle=pack, on_error=ignore)
        self.assertEqual((heard.take(body_of("e3", 3))[0], self.store.parcels()), (500, {}))
        fails[0] = False
        for id, sequence in (("e3", 3), ("e2", 2), ("e4", 4)):
            self.assertEqual(heard.take(body_of(id, sequence))[0], 200)
        self.assertEqual((stale, self.store.parcels()), (["e2"], {"e2": 1, "e3": 1, "e4": 1}))
