import { decimal } from '@gateramp/core/domain';
import type { AuditWrite } from '@gateramp/core/ports';
import type {
  Balance,
  DueClaim,
  JsonValue,
  LedgerEntry,
  LegDocument,
  LegsChange,
  LegsStore,
} from './ports/legs-store.js';

/** The audit trail of the process, as `memoryStore()` has it. */
export interface MemoryAuditTrail {
  /** Adds the entries. Returns false and adds nothing if the trail does not end at the head that they continue. */
  appendAudit(audit: AuditWrite): boolean;
}

/**
 * A legs store in memory. Bodies are stored as text, so that callers share no mutable objects with the store. Changes with audit entries
 * need the trail: `memoryLegsStore(memoryStore())`.
 */
export function memoryLegsStore(trail: MemoryAuditTrail | null = null): LegsStore {
  const documents = new Map<string, Kept>();
  /** The documents with a due time, so that a claim does not scan ended ones. */
  const waiting = new Map<string, Kept>();
  const entries = new Map<string, LedgerEntry>();
  const entriesOf = new Map<string, LedgerEntry[]>();

  const write = (next: LegDocument): void => {
    const [key, kept] = [keyOf(next), keep(next)];
    documents.set(key, kept);
    if (kept.dueAt === null) waiting.delete(key);
    else waiting.set(key, kept);
  };

  /** Due documents, the longest due first; `by` is the present time of each one's sandbox or mode. */
  const dueOf = ({ kind, now, sandboxes, limit }: Omit<DueClaim, 'leaseMs'>) =>
    [...waiting.values()]
      .filter((kept) => kept.kind === kind)
      .map((kept) => ({ kept, by: sandboxes?.get(kept.partnerId ?? '') ?? now, dueAt: kept.dueAt ?? 0 }))
      .filter(({ by, dueAt }) => dueAt <= by)
      .toSorted((a, b) => a.dueAt - a.by - (b.dueAt - b.by) || (a.kept.id < b.kept.id ? -1 : 1))
      .slice(0, limit)
      .map(({ kept, by }) => ({ document: read(kept), by }));

  return {
    contract: 2,
    async load(kind, id) {
      const kept = documents.get(keyOf({ kind, id }));
      return kept === undefined ? null : read(kept);
    },

    async commit(change) {
      assertBalanced(change);
      const isStale =
        change.documents.some((next) => (documents.get(keyOf(next))?.version ?? 0) !== next.version - 1) ||
        change.entries.some(({ id }) => entries.has(id));
      if (isStale) return 'stale';
      if (change.audit !== undefined) {
        if (trail === null)
          throw new Error('Audit entries need a trail: pass it, as in memoryLegsStore(memoryStore()).');
        if (!trail.appendAudit(change.audit)) return 'stale';
      }
      for (const next of change.documents) write(next);
      for (const given of change.entries) {
        const entry = structuredClone(given);
        entries.set(entry.id, entry);
        entriesOf.set(entry.operationId, [...(entriesOf.get(entry.operationId) ?? []), entry]);
      }
      return 'committed';
    },

    async claimDue({ leaseMs, ...due }) {
      const claimed = dueOf(due).map(({ document, by }) => ({
        ...document,
        version: document.version + 1,
        dueAt: by + leaseMs,
      }));
      for (const document of claimed) write(document);
      return claimed;
    },

    async removeDue(due) {
      const removed = dueOf(due);
      for (const { document } of removed) {
        documents.delete(keyOf(document));
        waiting.delete(keyOf(document));
      }
      return removed.length;
    },

    async listDue({ kind, partnerId, limit }) {
      return [...waiting.values()]
        .filter((kept) => kept.kind === kind && (partnerId === undefined || kept.partnerId === partnerId))
        .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(read);
    },

    async list({ kind, status, after, before, limit }) {
      return [...documents.values()]
        .filter((kept) => kept.kind === kind && (status === undefined || kept.status === status))
        .filter(({ id }) => (after === null || id > after) && (before === undefined || id < before))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(read);
    },

    async entries(operationId) {
      const found = entriesOf.get(operationId) ?? [];
      return structuredClone(found.toSorted(byTime));
    },

    async listEntries({ from, to, after, limit }) {
      const found = [...entries.values()]
        .filter(({ at }) => (from === null || at >= from) && (to === null || at < to))
        .filter(({ at, id }) => after === null || at > after.at || (at === after.at && id > after.id))
        .toSorted(byTime)
        .slice(0, limit);
      return structuredClone(found);
    },

    async balances(operationId, before = Infinity) {
      const known = operationId === null ? [...entries.values()] : (entriesOf.get(operationId) ?? []);
      return sumPostings(known.filter(({ at }) => at < before).flatMap(({ postings }) => postings));
    },
  };
}

const byTime = (a: LedgerEntry, b: LedgerEntry) => a.at - b.at || (a.id < b.id ? -1 : 1);

interface Kept extends Omit<LegDocument, 'body'> {
  readonly text: string;
  readonly partnerId: string | null;
}

const keyOf = ({ kind, id }: Pick<LegDocument, 'kind' | 'id'>) => `${kind} ${id}`;

function keep({ body, ...rest }: LegDocument): Kept {
  return { ...rest, text: JSON.stringify(body), partnerId: partnerOf(body) };
}

function partnerOf(body: JsonValue): string | null {
  if (body === null || typeof body !== 'object' || !('partnerId' in body)) return null;
  return typeof body.partnerId === 'string' ? body.partnerId : null;
}

function read({ text, partnerId: _, ...rest }: Kept): LegDocument {
  // Serialised from a body above.
  return { ...rest, body: JSON.parse(text) as JsonValue };
}

/** Throws for a change with a ledger entry that does not add up to zero: a bug of the caller, which must never be stored. */
export function assertBalanced({ entries }: LegsChange): void {
  const crooked = entries.find(({ postings }) =>
    sumByCurrency(postings).some(([, sum]) => decimal.compare(sum, '0') !== 0),
  );
  if (crooked !== undefined) throw new Error(`Ledger entry ${crooked.id} does not add up to zero.`);
}

function sumByCurrency(postings: readonly Balance[]): readonly (readonly [currency: string, sum: string])[] {
  const sums = new Map<string, string>();
  for (const { currency, amount } of postings) sums.set(currency, decimal.add(sums.get(currency) ?? '0', amount));
  return [...sums];
}

/** Sums postings by account and currency, in alphabetical order and without zero balances. */
export function sumPostings(postings: readonly Balance[]): readonly Balance[] {
  const accounts = [...new Set(postings.map(({ account }) => account))].toSorted();
  return accounts.flatMap((account) =>
    sumByCurrency(postings.filter((posting) => posting.account === account))
      .filter(([, amount]) => decimal.compare(amount, '0') !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, amount]) => ({ account, currency, amount })),
  );
}
