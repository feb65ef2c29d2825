import {
  assertBalanced,
  CLAIMED,
  type Balance,
  type LedgerEntry,
  type LegDocument,
  type LegsStore,
} from '@gateramp/provider-legs';
import type { Pool } from 'pg';
import { checkSchema, DEFAULT_SCHEMA, pooled } from './database.js';
import { isConflict } from './errors.js';

/** The schema and the statement timeout. */
export interface PostgresLegsStoreOptions {
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
  /** Statements that take longer are cancelled and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
}

interface DocumentRow extends Omit<LegDocument, 'dueAt' | 'body'> {
  /** `bigint`, as text. */
  readonly due_at: string | null;
  readonly body: string;
}

interface EntryRow {
  readonly id: string;
  readonly operation_id: string;
  readonly at: string;
  readonly postings: string;
}

/** The store of provider legs, in the database of the store: `legs({ store: postgresLegsStore(pool), … })`. Each call is one statement. */
export function postgresLegsStore(pool: Pool, options: PostgresLegsStoreOptions = {}): LegsStore {
  const schema = `"${checkSchema(options.schema ?? DEFAULT_SCHEMA)}"`;
  const database = pooled(pool, { queryTimeoutMs: options.queryTimeoutMs ?? 15_000, preparedStatements: false });
  const documents = `${schema}.leg_documents`;
  const entries = `${schema}.leg_entries`;
  const due = `due as materialized (
    select kind, id, due_at, $2::bigint as by_time from ${documents}
    where kind = $1 and due_at <= $2 order by due_at, id limit $3 for update skip locked)`;
  // As `due`, but documents of the sandboxes $5 are due by their times $6.
  const dueByOwnTimes = (names: string, sandboxes: string) => `candidates as materialized (
      select * from (
        select kind, id, due_at, $2::bigint as by_time from ${documents}
        where kind = $1 and due_at <= $2 and coalesce(${PARTNER}, '') <> all (${names})
        order by due_at, id limit $3 for update skip locked) of_mode
      union all
      select d.kind, d.id, d.due_at, s.by_time from ${sandboxes} as s(partner, by_time)
      cross join lateral (
        select kind, id, due_at from ${documents} where kind = $1 and ${PARTNER} = s.partner and due_at <= s.by_time
        order by due_at, id limit $3 for update skip locked) d),
    due as materialized (select * from candidates order by by_time - due_at desc, id limit $3)`;
  const dueOfSandboxes = dueByOwnTimes('$5::text[]', 'unnest($5::text[], $6::bigint[])');
  // Those that are held, or further ahead than the worker has read, are at time 0.
  const dueOfUnheld = `times as materialized (select * from ${schema}.times_of_claim($5, $6, $2, '')),
    ${dueByOwnTimes(`coalesce((select sandboxes from times), '{}')`, 'times, unnest(times.sandboxes, times.sandbox_nows)')}`;

  const documentsBy = async (text: string, ...values: readonly unknown[]) =>
    (await database.query<DocumentRow>(text, values)).map(asDocument);

  return {
    contract: 2,
    async now() {
      const text = 'select floor(extract(epoch from clock_timestamp()) * 1000)::text as at';
      const [row] = await database.query<{ at: string }>(text, []);
      if (row === undefined) throw new Error('The database did not return its time.');
      return Number(row.at);
    },

    async load(kind, id) {
      const [document] = await documentsBy(
        `select ${DOCUMENT} from ${documents} d where kind = $1 and id = $2`,
        kind,
        id,
      );
      return document ?? null;
    },

    async commit(change) {
      assertBalanced(change);
      const written = change.documents.map(({ dueAt, ...document }) => ({ ...document, due_at: dueAt }));
      const booked = change.entries.map(({ operationId, ...entry }) => ({ ...entry, operation_id: operationId }));
      const given = [written, booked, ...(change.audit === undefined ? [] : [change.audit])];
      const call =
        change.audit === undefined
          ? 'commit_legs($1::json, $2::json)'
          : 'commit_legs_audited($1::json, $2::json, $3::json)';
      try {
        const [row] = await database.query<{ done: boolean }>(
          `select ${schema}.${call} as done`,
          given.map((part) => JSON.stringify(part)),
        );
        return row?.done === true ? 'committed' : 'stale';
      } catch (error) {
        // Two changes met in a deadlock: this one wrote nothing, and is decided again on the other's result.
        if (isConflict(error)) return 'stale';
        throw error;
      }
    },

    claimDue: ({ kind, now, sandboxes = new Map(), skipsStepped = false, leaseMs, limit }) =>
      documentsBy(
        `with ${skipsStepped ? dueOfUnheld : sandboxes.size === 0 ? due : dueOfSandboxes},
        claimed as (
          update ${documents} d set version = d.version + 1${skipsStepped ? `, status = '${CLAIMED}'` : ''}, due_at = due.by_time + $4 from due
          where d.kind = due.kind and d.id = due.id returning d.*, due.by_time - due.due_at as late)
        select ${DOCUMENT} from claimed d order by late desc, id`,
        ...[kind, now, limit, leaseMs],
        ...(sandboxes.size === 0 && !skipsStepped ? [] : [[...sandboxes.keys()], [...sandboxes.values()]]),
      ),

    async removeDue({ kind, now, limit }) {
      const text = `with ${due} delete from ${documents} d using due where d.kind = due.kind and d.id = due.id returning 1`;
      return (await database.query(text, [kind, now, limit])).length;
    },

    listDue: ({ kind, partnerId, limit }) =>
      documentsBy(
        `select ${DOCUMENT} from ${documents} d where kind = $1 and due_at is not null
         ${partnerId === undefined ? '' : `and ${PARTNER} = $3`} order by due_at, id limit $2`,
        ...[kind, limit, ...(partnerId === undefined ? [] : [partnerId])],
      ),

    list({ kind, status, after, before, limit }) {
      const values = [kind, after ?? '', limit, ...[status, before].filter((one) => one !== undefined)];
      const ofStatus = status === undefined ? '' : 'and status = $4';
      const upTo = before === undefined ? '' : `and id < $${values.length}`;
      return documentsBy(
        `select ${DOCUMENT} from ${documents} d where kind = $1 and id > $2 ${ofStatus} ${upTo} order by id limit $3`,
        ...values,
      );
    },

    async entries(operationId) {
      const text = `select id, operation_id, at, postings::text as postings from ${entries} where operation_id = $1 order by at, id`;
      return (await database.query<EntryRow>(text, [operationId])).map(asEntry);
    },

    async listEntries({ from, to, after, limit }) {
      const text = `select id, operation_id, at, postings::text as postings from ${entries}
        where at >= $1 and at < $2 and (at, id) > ($3, $4) order by at, id limit $5`;
      const start = Math.max(from ?? FIRST, after?.at ?? FIRST);
      const values = [start, to ?? LAST, after?.at ?? FIRST, after?.id ?? '', limit];
      return (await database.query<EntryRow>(text, values)).map(asEntry);
    },

    async balances(operationId, before = LAST) {
      const text = `select p.account, p.currency, trim_scale(sum(p.amount))::text as amount
        from ${entries} e, json_to_recordset(e.postings) as p(account text, currency text, amount numeric)
        where e.at < $1 ${operationId === null ? '' : 'and e.operation_id = $2'}
        group by p.account, p.currency having sum(p.amount) <> 0 order by p.account collate "C", p.currency collate "C"`;
      const values = [before, ...(operationId === null ? [] : [operationId])];
      const rows = await database.query<Record<keyof Balance, string>>(text, values);
      return rows.map(({ account, currency, amount }) => ({ account, currency, amount }));
    },
  };
}

const FIRST = Number.MIN_SAFE_INTEGER;
const LAST = Number.MAX_SAFE_INTEGER;
const PARTNER = "(body ->> 'partnerId')";
const DOCUMENT = 'd.kind, d.id, d.version, d.status, d.due_at, d.body::text as body';

function asDocument({ kind, id, version, status, due_at: dueAt, body }: DocumentRow): LegDocument {
  // Written above from a document.
  const read = JSON.parse(body) as LegDocument['body'];
  return { kind, id, version, status, dueAt: dueAt === null ? null : Number(dueAt), body: read };
}

function asEntry({ id, operation_id: operationId, at, postings }: EntryRow): LedgerEntry {
  return { id, operationId, at: Number(at), postings: JSON.parse(postings) as LedgerEntry['postings'] };
}
