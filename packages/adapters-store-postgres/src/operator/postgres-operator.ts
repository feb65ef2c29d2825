import type { ApiKey, Mode, Partner, Scope } from '@gateramp/core';
import { deliveryEndpoint, PAUSED_LANE, type Instant } from '@gateramp/core/domain';
import type { Pool } from 'pg';
import { pooled } from '../database.js';
import { parseRow, type RowText } from '../reads/row-text.js';
import { checkSchema, DEFAULT_SCHEMA } from '../schema.js';
import { backlog, type Backlog } from './backlog.js';
import { resealPackages } from './reseal-packages.js';
import { resealSecrets } from './reseal-secrets.js';

/**
 * What operators ask of the store's tables and no request ever does. The keys of one partner, with their last use, are the store's own
 * `listKeys`. Errors are as the store's: a database that is away or too slow is an error with `outage: true`.
 */
export interface PostgresOperator {
  /** What waits for a worker in one mode at `now`. Reads the heads of indexes only, so it may be asked every few seconds. */
  backlog(mode: Mode, now: Instant): Promise<Backlog>;
  /**
   * Does what commits do, and fails where they fail: a table is locked, the disk is full, or Postgres only reads, as after a
   * failover. Answers with the time there, in epoch milliseconds.
   */
  probe(): Promise<Instant>;
  /** All of them, ordered by id. */
  partners(): Promise<readonly Partner[]>;
  /** Keys whose hash begins so, at most two: enough to see that one is not meant alone. */
  keysLike(hashStart: string): Promise<readonly ApiKey[]>;
  /** Deliveries that a webhook endpoint is still to be sent, those of a paused one included. */
  waitingDeliveries(scope: Scope): Promise<number>;
  /**
   * Puts what `reseal` makes of it in the place of every sealed webhook secret; for a new master key. What changes
   * meanwhile stays as it was changed. What `reseal` throws ends it, and it may be run again. Returns how many
   * endpoints there are.
   */
  resealSecrets(reseal: (sealed: string, owner: Scope) => string): Promise<number>;
  /** The same for every KYC package of `postgresKycVault`. Returns how many there are. */
  resealPackages(reseal: (sealed: string) => string): Promise<number>;
}

/** Which schema, and how long a statement may take. */
export interface PostgresOperatorOptions {
  /** Where `migrate` has put the tables; `gateramp` by default. */
  readonly schema?: string;
  /** A statement that takes longer is given up and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
}

/** `pool` stays the caller's: it is neither opened nor closed here. */
export function postgresOperator(pool: Pool, options: PostgresOperatorOptions = {}): PostgresOperator {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const database = pooled(pool, { queryTimeoutMs: options.queryTimeoutMs ?? 15_000, preparedStatements: false });
  const probe = `select "${schema}".rehearse_commit() as now`;
  const allPartners = `select row::text as row from "${schema}".partners order by id`;
  const keysBetween = `select row::text as row from "${schema}".api_keys where hash >= $1 and hash < $2 order by hash limit 2`;
  const waiting = `select count(*)::int as many from "${schema}".delivery_queue
    where lane in ('first', 'retry', '${PAUSED_LANE}') and endpoint = $1`;
  return {
    backlog: backlog(database, schema),
    probe: async () => (await database.query<{ now: number }>(probe, []))[0]?.now ?? NaN,
    partners: async () => (await database.query<RowText>(allPartners, [])).map((row) => parseRow<Partner>(row)),
    // "g" follows every hexadecimal digit.
    keysLike: async (hashStart) =>
      (await database.query<RowText>(keysBetween, [hashStart, `${hashStart}g`])).map((row) => parseRow<ApiKey>(row)),
    waitingDeliveries: async (scope) =>
      (await database.query<{ many: number }>(waiting, [deliveryEndpoint({ ...scope, target: 'webhook' })]))[0]?.many ??
      0,
    resealSecrets: resealSecrets(database, schema),
    resealPackages: resealPackages(database, schema),
  };
}
