import { Outage, type Change, type Store, type Telemetry } from '@gateramp/core/ports';
import {
  firstRecord,
  keepHold,
  keepRecord,
  readHold,
  readRecord,
  type HistoryRecord,
  type HistoryReport,
} from './history-settings.js';
import { type Acknowledged, acknowledgedBy, missingIn, newest, TOLD_MAX } from './acknowledged.js';
import type { AcknowledgedLog } from './acknowledged-file.js';

interface HistoryParts {
  readonly store: Store;
  /** Determines the current history of the database; null if that is not possible. */
  readonly identify: () => Promise<string | null>;
  readonly logs: readonly AcknowledgedLog[];
  readonly telemetry: Pick<Telemetry, 'alarm' | 'failure' | 'note'>;
}

/**
 * Detects that the database was restored, or lost commits in a failover, and puts the installation on hold until an operator accepts it.
 */
export interface History {
  /** Refuses purchases and work while on hold; records acknowledged writes. */
  readonly store: Store;
  /** Call for each new connection. Throws, and starts a check, if the history of the database has changed. */
  readonly verify: (identity: string | null) => void;
  readonly isHeld: () => boolean;
  /** The id of the installation, and what is remembered of it outside of the database. */
  readonly installation: string;
  readonly logs: readonly AcknowledgedLog[];
  readonly close: () => Promise<void>;
}

const FLUSH_EVERY_MS = 250;
const CHECK_EVERY_MS = 2_000;
const REMEMBERED_MAX = 4 * TOLD_MAX;

const HELD =
  'The database was restored, or has lost commits in a failover. New purchases are refused until an operator has checked: gate recover status';

/** `checking` and `held` refuse the same operations; only an operator ends `held`. */
type State = 'clear' | 'checking' | 'held';

export async function openHistory(parts: HistoryParts): Promise<History> {
  const { store, telemetry } = parts;
  let state: State = 'checking';
  let acknowledged: Acknowledged[] = [];
  let unsaved: Acknowledged[] = [];
  let current = await parts.identify();
  if (current === null) telemetry.note('history_unknown', { reason: 'the database role may not read its identity' });
  let record = (await readRecord(store)) ?? (await firstRecord(store, current));

  const inspect = async (): Promise<void> => {
    state = 'checking';
    const held = await readHold(store);
    // An unknown loss becomes known once the record of acknowledged rows was put back.
    if (held !== null && held.reason !== 'unknown_history') return hold(held, { isNew: false });
    record = (await readRecord(store)) ?? record;
    const stored = await Promise.all(parts.logs.map((log) => log.read(record.installation)));
    const all = newest([...stored.flat(), ...acknowledged]).filter(({ at }) => at > record.acceptedAt);
    const missing = await missingIn(store, all);
    const hasChanged = isOther(record.identity, current);
    if (held !== null && missing.length === 0) return hold(held, { isNew: false });
    if (missing.length > 0 || (hasChanged && all.length === 0)) {
      const report = reportOf(record, current, all, missing);
      await keepHold(store, report);
      return hold(report, { isNew: true });
    }
    if (record.identity !== current && current !== null) {
      const next = { ...record, identity: current };
      await keepRecord(store, record, next);
      record = next;
      if (hasChanged) telemetry.note('history_changed_without_loss', { checked: all.length });
    }
    state = 'clear';
  };

  const hold = (report: HistoryReport, { isNew }: { readonly isNew: boolean }): void => {
    state = 'held';
    telemetry.alarm('history_changed', {
      reason: report.reason,
      missing: report.missing,
      checked: report.checked,
      since: report.since,
      is_new: isNew ? 1 : 0,
    });
  };

  const flush = async (): Promise<void> => {
    const batch = newest(unsaved);
    unsaved = [];
    if (batch.length === 0) return;
    await Promise.allSettled(parts.logs.map((log) => log.add(record.installation, batch)));
  };

  const check = async (): Promise<void> => {
    const seen = await parts.identify();
    if (isOther(current, seen)) {
      current = seen;
      return inspect();
    }
    if (state === 'checking') return inspect();
    if (state === 'held' && (await readHold(store)) === null) {
      acknowledged = [];
      await inspect();
    }
  };

  await inspect();
  let flushing: Promise<void> | null = null;
  const flushOnce = (): void => {
    flushing ??= flush().finally(() => (flushing = null));
  };
  const flushTimer = setInterval(flushOnce, FLUSH_EVERY_MS).unref();
  let runningCheck: Promise<void> | null = null;
  const checkOnce = (): void => {
    runningCheck ??= check()
      // The database is unavailable: the next check decides.
      .catch(() => undefined)
      .finally(() => (runningCheck = null));
  };
  const polling = setInterval(checkOnce, CHECK_EVERY_MS).unref();
  return {
    store: guarded(store, {
      isHeld: () => state !== 'clear',
      onCommitted: (change) => {
        const rows = acknowledgedBy(change, Date.now());
        acknowledged.push(...rows);
        unsaved.push(...rows);
        if (acknowledged.length > REMEMBERED_MAX) acknowledged = [...newest(acknowledged)];
        if (unsaved.length > REMEMBERED_MAX) unsaved = [...newest(unsaved)];
      },
    }),
    verify: (seen) => {
      if (!isOther(current, seen)) return;
      current = seen;
      state = 'checking';
      checkOnce();
      throw new Outage(HELD);
    },
    isHeld: () => state !== 'clear',
    installation: record.installation,
    logs: parts.logs,
    close: async () => {
      clearInterval(flushTimer);
      clearInterval(polling);
      await runningCheck;
      await flushing;
      await flush();
    },
  };
}

/** A move between a folder and Postgres changes the place but not the history. */
function isOther(before: string | null, now: string | null): boolean {
  if (before === null || now === null || before === now) return false;
  return before.split(':')[0] === now.split(':')[0];
}

function reportOf(
  record: HistoryRecord,
  identity: string | null,
  all: readonly Acknowledged[],
  missing: readonly Acknowledged[],
): HistoryReport {
  return {
    object: 'history_report',
    since: new Date().toISOString(),
    reason: missing.length > 0 ? 'rows_missing' : 'unknown_history',
    identity_before: record.identity,
    identity,
    checked: all.length,
    last_told_at: moment(all.at(-1)),
    missing: missing.length,
    first_missing_at: moment(missing[0]),
    last_missing_at: moment(missing.at(-1)),
    examples: missing,
  };
}

function moment(row: Acknowledged | undefined): string | null {
  return row === undefined ? null : new Date(row.at).toISOString();
}

interface Guard {
  readonly isHeld: () => boolean;
  readonly onCommitted: (change: Change) => void;
}

/** Reads are served while on hold, including the commits that they make to expire sessions, and those of the start. */
function guarded(store: Store, { isHeld, onCommitted }: Guard): Store {
  return {
    ...store,
    commit: async (change) => {
      if (isHeld() && !isHarmless(change)) throw new Outage(HELD);
      const outcome = await store.commit(change);
      if (outcome.kind === 'committed') onCommitted(change);
      return outcome;
    },
    claim: async (kind, request) => (isHeld() ? [] : store.claim(kind, request)),
    claimOne: async (kind, ...args) => (isHeld() ? null : store.claimOne(kind, ...args)),
    nextDue: async (...args) => (isHeld() ? null : store.nextDue(...args)),
    reap: async (request) => (isHeld() ? 0 : store.reap(request)),
  };
}

/** Neither a request with a key, nor a step, nor anything else that moves a purchase. */
function isHarmless({ idempotency, finishes, sessions, intents }: Change): boolean {
  if (idempotency !== null || finishes.length > 0) return false;
  return sessions.every(({ row }) => row.status === 'expired') && (sessions.length > 0 || intents.length === 0);
}
