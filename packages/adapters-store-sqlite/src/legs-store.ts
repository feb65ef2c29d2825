import {
  assertBalanced,
  sumPostings,
  type Balance,
  type DueClaim,
  type EntriesQuery,
  type LedgerEntry,
  type LegDocument,
  type LegsStore,
} from '@gateramp/provider-legs';
import { appendAudit } from './audit.js';
import type { Connection } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { RollbackWithResult } from './group-commit.js';
import { insert, update } from './write-row.js';

interface DocumentRow extends Omit<LegDocument, 'dueAt' | 'body'> {
  readonly dueAt: number | null;
  readonly body: string;
}

interface EntryRow extends Omit<LedgerEntry, 'postings'> {
  readonly postings: string;
}

const DOCUMENT = 'kind, id, version, status, due_at as dueAt, body';
const ENTRY = 'id, operation_id as operationId, at, postings';

/** The store of provider legs, in the file of the store: `legs({ store: sqliteLegsStore(database), … })`. */
export function sqliteLegsStore(database: SqliteDatabase): LegsStore {
  return {
    contract: 2,
    async load(kind, id) {
      const text = `select ${DOCUMENT} from leg_documents where kind = ? and id = ?`;
      const [row] = database.connection().all<DocumentRow>(text, kind, id);
      return row === undefined ? null : asDocument(row);
    },

    commit: async (change) => {
      assertBalanced(change);
      return database.write((db) => {
        const isWritten =
          change.documents.every((document) => writeDocument(db, document)) &&
          change.entries.every((entry) => writeEntry(db, entry)) &&
          appendAudit(db, change.audit ?? null);
        if (!isWritten) throw new RollbackWithResult<'stale'>('stale');
        return 'committed';
      });
    },

    claimDue: (claim) =>
      database.write((db) => {
        const text = `update leg_documents set version = version + 1, due_at = ? where kind = ? and id = ? returning ${DOCUMENT}`;
        return dueOf(db, claim).flatMap(({ id, by }) =>
          db.all<DocumentRow>(text, by + claim.leaseMs, claim.kind, id).map(asDocument),
        );
      }),

    removeDue: ({ kind, now, limit }) =>
      database.write((db) =>
        db.run(
          `delete from leg_documents where kind = ? and id in (select id from (${DUE}))`,
          ...[kind, kind, now, '[]', limit],
        ),
      ),

    async listDue({ kind, partnerId, limit }) {
      const ofPartner = partnerId === undefined ? [] : [partnerId];
      const text = `select ${DOCUMENT} from leg_documents where kind = ? and due_at is not null
        ${partnerId === undefined ? '' : `and ${PARTNER} = ?`} order by due_at, id limit ?`;
      return database
        .connection()
        .all<DocumentRow>(text, kind, ...ofPartner, limit)
        .map(asDocument);
    },

    async list({ kind, status, after, before, limit }) {
      const ofStatus = status === undefined ? [] : [status];
      const upTo = before === undefined ? [] : [before];
      const text = `select ${DOCUMENT} from leg_documents
        where kind = ? ${status === undefined ? '' : 'and status = ?'} and id > ? ${before === undefined ? '' : 'and id < ?'}
        order by id limit ?`;
      return database
        .connection()
        .all<DocumentRow>(text, kind, ...ofStatus, after ?? '', ...upTo, limit)
        .map(asDocument);
    },

    async entries(operationId) {
      const text = `select ${ENTRY} from leg_entries where operation_id = ? order by at, id`;
      return database.connection().all<EntryRow>(text, operationId).map(asEntry);
    },

    listEntries: async (query) => pageOf(database.connection(), query),

    async balances(operationId, before = LAST) {
      const db = database.connection();
      if (operationId === null) return sumPostings(sumOfPages(db, before));
      const text = `select ${ENTRY} from leg_entries where operation_id = ? and at < ?`;
      const found = db.all<EntryRow>(text, operationId, before).map(asEntry);
      return sumPostings(found.flatMap(({ postings }) => postings));
    },
  };
}

const PARTNER = "body ->> 'partnerId'";
/** Excludes documents of the partners in the JSON array: `DUE_OF_PARTNER` reads these by the time of their sandboxes. */
const DUE = `select id, due_at as dueAt from leg_documents
  where kind = ? and due_at <= ? and coalesce(${PARTNER}, '') not in (select value from json_each(?)) order by due_at, id limit ?`;
const DUE_OF_PARTNER = `select id, due_at as dueAt from leg_documents
  where kind = ? and ${PARTNER} = ? and due_at <= ? order by due_at, id limit ?`;

const FIRST = Number.MIN_SAFE_INTEGER;
const LAST = Number.MAX_SAFE_INTEGER;
/** The ledger may be larger than memory, so it is summed in pages. */
const ENTRIES_PER_PAGE = 1_000;

function pageOf(db: Connection, { from, to, after, limit }: EntriesQuery): readonly LedgerEntry[] {
  const text = `select ${ENTRY} from leg_entries where at >= ? and at < ? and (at, id) > (?, ?) order by at, id limit ?`;
  // The index is entered at one time; the comparison of pairs skips entries of that time.
  const start = Math.max(from ?? FIRST, after?.at ?? FIRST);
  return db.all<EntryRow>(text, start, to ?? LAST, after?.at ?? FIRST, after?.id ?? '', limit).map(asEntry);
}

function sumOfPages(db: Connection, before: number): readonly Balance[] {
  let sums: readonly Balance[] = [];
  for (let after: EntriesQuery['after'] = null; ;) {
    const page = pageOf(db, { from: null, to: before, after, limit: ENTRIES_PER_PAGE });
    sums = sumPostings([...sums, ...page.flatMap(({ postings }) => postings)]);
    const last = page.at(-1);
    if (last === undefined || page.length < ENTRIES_PER_PAGE) return sums;
    after = last;
  }
}

interface Due {
  readonly id: string;
  readonly dueAt: number;
  /** The present time of its sandbox or mode. */
  readonly by: number;
}

function dueOf(db: Connection, { kind, now, sandboxes = new Map(), limit }: DueClaim): readonly Due[] {
  const ofMode = db
    .all<Omit<Due, 'by'>>(DUE, kind, now, JSON.stringify([...sandboxes.keys()]), limit)
    .map((due) => ({ ...due, by: now }));
  const ofSandboxes = [...sandboxes].flatMap(([partnerId, by]) =>
    db.all<Omit<Due, 'by'>>(DUE_OF_PARTNER, kind, partnerId, by, limit).map((due) => ({ ...due, by })),
  );
  return [...ofMode, ...ofSandboxes]
    .toSorted((a, b) => a.dueAt - a.by - (b.dueAt - b.by) || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

function writeDocument(db: Connection, { kind, id, version, status, dueAt, body }: LegDocument): boolean {
  const columns = { version, status, due_at: dueAt, body: JSON.stringify(body) };
  return version === 1
    ? insert(db, 'leg_documents', { kind, id, ...columns })
    : update(db, 'leg_documents', columns, { kind, id, version: version - 1 });
}

function writeEntry(db: Connection, { id, operationId, at, postings }: LedgerEntry): boolean {
  return insert(db, 'leg_entries', { id, operation_id: operationId, at, postings: JSON.stringify(postings) });
}

function asDocument({ body, ...rest }: DocumentRow): LegDocument {
  // Written above from a document.
  return { ...rest, body: JSON.parse(body) as LegDocument['body'] };
}

function asEntry({ postings, ...rest }: EntryRow): LedgerEntry {
  return { ...rest, postings: JSON.parse(postings) as LedgerEntry['postings'] };
}
