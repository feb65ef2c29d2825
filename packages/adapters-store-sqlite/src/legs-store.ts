import {
  assertBalanced,
  sumPostings,
  type DueClaim,
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
  const entriesOf = (db: Connection, operationId: string | null): readonly LedgerEntry[] => {
    const where = operationId === null ? '' : 'where operation_id = ?';
    const text = `select ${ENTRY} from leg_entries ${where} order by at, id`;
    return db.all<EntryRow>(text, ...(operationId === null ? [] : [operationId])).map(asEntry);
  };

  return {
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

    entries: async (operationId) => entriesOf(database.connection(), operationId),

    balances: async (operationId) =>
      sumPostings(entriesOf(database.connection(), operationId).flatMap(({ postings }) => postings)),
  };
}

const PARTNER = "body ->> 'partnerId'";
/** Excludes documents of the partners in the JSON array: `DUE_OF_PARTNER` reads these by the time of their sandboxes. */
const DUE = `select id, due_at as dueAt from leg_documents
  where kind = ? and due_at <= ? and coalesce(${PARTNER}, '') not in (select value from json_each(?)) order by due_at, id limit ?`;
const DUE_OF_PARTNER = `select id, due_at as dueAt from leg_documents
  where kind = ? and ${PARTNER} = ? and due_at <= ? order by due_at, id limit ?`;

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
