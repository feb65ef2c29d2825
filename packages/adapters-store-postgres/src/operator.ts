import type { ApiKey, Mode, Partner, Scope, WebhookEndpoint } from '@gateramp/core';
import { deliveryEndpoint, type Instant, PAUSED_LANE } from '@gateramp/core/domain';
import type { Backlog, OperatorReads } from '@gateramp/core/ports';
import type { Pool } from 'pg';
import { checkSchema, type Database, DEFAULT_SCHEMA, pooled } from './database.js';
import type { Distribution } from './distribution/distribution.js';
import { backlog } from './reads/backlog.js';
import { marks } from './reads/marks.js';
import { readPage } from './reads/reading.js';
import { parseRow, type RowText } from './reads/row-by-key.js';
import { IN_INDEX_ORDER, type ReadHead, unfinishedWork } from './reads/unfinished-work.js';

/**
 * Operations on the store's tables that operators need and requests do not. The keys of one partner, with their last use, are available
 * from the store's `listKeys`. Errors are like those of the store: an unavailable or slow database is an error with `outage: true`.
 */
export interface PostgresOperator extends OperatorReads {
  /** The work that waits for a worker in one mode at `now`. Reads only the heads of indexes, so it may be called every few seconds. */
  backlog(mode: Mode, now: Instant): Promise<Backlog>;
  /**
   * Writes like a commit and fails where commits would: a locked table, a full disk, or a read-only Postgres, as after a failover. Returns
   * the database's time in epoch milliseconds.
   */
  probe(): Promise<Instant>;
  /** Up to two keys whose hash has this prefix: enough to detect that a prefix is ambiguous. */
  keysLike(hashStart: string): Promise<readonly ApiKey[]>;
  /** The number of deliveries that a webhook endpoint has yet to receive, including those of a paused one. */
  waitingDeliveries(scope: Scope): Promise<number>;
  /**
   * Replaces every sealed webhook secret with the result of `reseal`, for a new master key. Concurrent changes of an endpoint are kept.
   * Rejects with the error of `reseal`, and may then be run again. Returns the number of endpoints.
   */
  resealSecrets(reseal: (sealed: string, owner: Scope) => string): Promise<number>;
  /** The same for every KYC package of `postgresKycVault`. Returns the number of packages. */
  resealPackages(reseal: (sealed: string) => string): Promise<number>;
}

/** The schema and the statement timeout. */
export interface PostgresOperatorOptions {
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
  /** Statements that take longer are cancelled and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
  /**
   * As in `postgresStore`: the tables are distributed by partner. Counts and lists then query all nodes, and the probe writes a reference
   * table instead of locking the tables of commits.
   */
  readonly distribution?: Distribution | null;
}

/** The caller owns `pool`: it is neither opened nor closed here. */
export function postgresOperator(pool: Pool, options: PostgresOperatorOptions = {}): PostgresOperator {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const queryTimeoutMs = options.queryTimeoutMs ?? 15_000;
  const database = pooled(pool, { queryTimeoutMs, preparedStatements: false });
  const readHead: ReadHead = (statement) =>
    readPage(pool, (ask) => ask(statement), {
      pageTimeoutMs: queryTimeoutMs,
      waitMs: queryTimeoutMs,
      keepsPlans: false,
      statementOf: database.statementOf,
      planning: IN_INDEX_ORDER,
    });
  const probe = `select "${schema}".rehearse_commit() as now`;
  const allPartners = `select row::text as row from "${schema}".partners order by id`;
  const keysBetween = `select row::text as row from "${schema}".api_keys where hash >= $1 and hash < $2 order by hash limit 2`;
  const waiting = `select count(*)::int as many from "${schema}".delivery_queue
    where lane in ('first', 'retry', '${PAUSED_LANE}') and endpoint = $1`;
  return {
    contract: 2,
    ...unfinishedWork(readHead, schema),
    marks: marks(database, schema),
    backlog: backlog(readHead, schema),
    probe: async () => (await database.query<{ now: number }>(probe, []))[0]?.now ?? NaN,
    partners: async () => (await database.query<RowText>(allPartners, [])).map((row) => parseRow<Partner>(row)),
    // "g" sorts after every hexadecimal digit.
    keysLike: async (hashStart) =>
      (await database.query<RowText>(keysBetween, [hashStart, `${hashStart}g`])).map((row) => parseRow<ApiKey>(row)),
    waitingDeliveries: async (scope) =>
      (await database.query<{ many: number }>(waiting, [deliveryEndpoint({ ...scope, target: 'webhook' })]))[0]?.many ??
      0,
    resealSecrets: resealSecrets(database, schema),
    resealPackages: resealPackages(database, schema),
    ...options.distribution?.operator(database, schema),
  };
}

/** Replaces an endpoint only if it is unchanged since it was read: a concurrent change is already sealed with the new key. */
export function resealSecrets(
  database: Database,
  schema: string,
): (reseal: (sealed: string, owner: Scope) => string) => Promise<number> {
  const read = `select row::text as row from "${schema}".endpoints`;
  const replace = `update "${schema}".endpoints set row = $4 where partner_id = $1 and mode = $2 and row::text = $3`;
  return async (reseal) => {
    const rows = await database.query<RowText>(read, []);
    for (const found of rows) {
      const endpoint = parseRow<WebhookEndpoint>(found);
      const secrets = endpoint.secrets.map((secret) => ({ ...secret, sealed: reseal(secret.sealed, endpoint) }));
      await database.query(replace, [
        endpoint.partnerId,
        endpoint.mode,
        found.row,
        JSON.stringify({ ...endpoint, secrets }),
      ]);
    }
    return rows.length;
  };
}

interface PackageRow {
  readonly session_id: string;
  readonly sealed: string;
}

const BATCH = 100;

/** Replaces a package only if it is unchanged since it was read: a concurrent one is already sealed with the new key. */
export function resealPackages(
  database: Database,
  schema: string,
): (reseal: (sealed: string) => string) => Promise<number> {
  const read = `select session_id, sealed from "${schema}".kyc_packages where session_id > $1 order by session_id limit ${BATCH}`;
  const replace = `update "${schema}".kyc_packages set sealed = $3 where session_id = $1 and sealed = $2`;
  return async (reseal) => {
    let count = 0;
    for (let after = ''; ;) {
      const rows = await database.query<PackageRow>(read, [after]);
      for (const { session_id: sessionId, sealed } of rows) {
        await database.query(replace, [sessionId, sealed, reseal(sealed)]);
        after = sessionId;
      }
      count += rows.length;
      if (rows.length < BATCH) return count;
    }
  };
}
