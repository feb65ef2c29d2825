import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ApiKey, Mode, Partner, Scope, WebhookEndpoint } from '@gateramp/core';
import { deliveryEndpoint, PAUSED_LANE, type Instant } from '@gateramp/core/domain';
import { type Backlog, BACKLOG_COUNT_MAX, type OperatorReads, OVERDUE_MS } from '@gateramp/core/ports';
import type { SqliteDatabase } from './database.js';
import { parsed } from './rows.js';
import { marks } from './marks.js';
import { unfinishedWork } from './unfinished-work.js';

/** Operations on the file that operators need and requests do not. */
export interface SqliteOperator extends OperatorReads {
  /** The work that waits for a worker in one mode at `now`. */
  backlog(mode: Mode, now: Instant): Promise<Backlog>;
  /** Writes and syncs one small row, which reveals a full or read-only disk. Returns the time in epoch milliseconds. */
  probe(): Promise<Instant>;
  /** Up to two keys whose hash has this prefix: enough to detect that a prefix is ambiguous. */
  keysLike(hashStart: string): Promise<readonly ApiKey[]>;
  /** The number of deliveries that a webhook endpoint has yet to receive, including those of a paused one. */
  waitingDeliveries(scope: Scope): Promise<number>;
  /**
   * Replaces every sealed webhook secret with the result of `reseal`, for a new master key. Returns the number of endpoints.
   */
  resealSecrets(reseal: (sealed: string, owner: Scope) => string): Promise<number>;
  /** The same for every KYC package. Returns the number of packages. */
  resealPackages(reseal: (sealed: string) => string): Promise<number>;
  /**
   * Copies the database, while it is in use, as of one moment. The target must not exist yet, and appears once it is
   * complete. Blocks this process meanwhile.
   */
  backup(path: string): Promise<void>;
}

/** Creates the `SqliteOperator` of a file. */
export function sqliteOperator({ connection, write }: SqliteDatabase): SqliteOperator {
  const count = (text: string, ...values: readonly (string | number)[]): number =>
    connection().all<{ many: number }>(
      `select count(*) as many from (${text} limit ${BACKLOG_COUNT_MAX})`,
      ...values,
    )[0]?.many ?? 0;
  const due = (table: string, mode: Mode, now: Instant): number =>
    count(`select 1 from ${table} where mode = ? and free_at <= ?`, mode, now);
  return {
    contract: 2,
    ...unfinishedWork({ connection }),
    marks: marks({ connection }),
    backlog: async (mode, now) => ({
      dueDeliveries: dueDeliveries(mode, now),
      overdueDeliveries: dueDeliveries(mode, now - OVERDUE_MS),
      dueTasks: due('tasks', mode, now),
      overdueTasks: due('tasks', mode, now - OVERDUE_MS),
      heldSessions: count('select 1 from sessions where mode = ? and held_since is not null', mode),
    }),
    probe: () =>
      write((db) => {
        db.run("insert or replace into settings (name, value) values ('probed', ?)", String(Date.now()));
        return Date.now();
      }),
    partners: async () =>
      connection()
        .all<{ row: string }>('select row from partners order by id')
        .map((row) => parsed<Partner>(row)),
    // "g" sorts after every hexadecimal digit.
    keysLike: async (hashStart) =>
      connection()
        .all<{ row: string }>(
          'select row from api_keys where hash >= ? and hash < ? order by hash limit 2',
          ...[hashStart, `${hashStart}g`],
        )
        .map((row) => parsed<ApiKey>(row)),
    waitingDeliveries: async (scope) =>
      connection().all<{ many: number }>(
        `select count(*) as many from deliveries where mode = ? and lane in ('first', 'retry', '${PAUSED_LANE}') and endpoint = ?
          and free_at is not null`,
        ...[scope.mode, deliveryEndpoint({ ...scope, target: 'webhook' })],
      )[0]?.many ?? 0,
    resealSecrets: (reseal) =>
      write((db) => {
        const rows = db.all<{ row: string }>('select row from endpoints');
        for (const endpoint of rows.map((row) => parsed<WebhookEndpoint>(row))) {
          const secrets = endpoint.secrets.map((secret) => ({ ...secret, sealed: reseal(secret.sealed, endpoint) }));
          const text = 'update endpoints set row = ? where partner_id = ? and mode = ?';
          db.run(text, JSON.stringify({ ...endpoint, secrets }), endpoint.partnerId, endpoint.mode);
        }
        return rows.length;
      }),
    resealPackages: (reseal) =>
      write((db) => {
        const rows = db.all<{ session_id: string; sealed: string }>('select session_id, sealed from kyc_packages');
        for (const { session_id: id, sealed } of rows)
          db.run('update kyc_packages set sealed = ? where session_id = ?', reseal(sealed), id);
        return rows.length;
      }),
    backup: async (path) => copyInto(path, (draft) => connection().run('vacuum into ?', draft)),
  };

  /** Counted per endpoint, as the queue is organized. */
  function dueDeliveries(mode: Mode, now: Instant): number {
    return count(
      `select 1 from queue_heads h join deliveries d on d.mode = h.mode and d.lane = h.lane and d.endpoint = h.endpoint
       where h.mode = ? and h.lane <> '${PAUSED_LANE}' and h.free_at <= ? and d.free_at <= ?`,
      ...[mode, now, now],
    );
  }
}

/**
 * Writes under another name until the copy is complete: a partial copy opens as an empty database. The file is created empty first, with
 * private permissions, since the copy contains everything.
 */
function copyInto(path: string, write: (draft: string) => void): void {
  if (existsSync(path)) throw new Error(`${path} already exists.`);
  const draft = `${path}.${process.pid}.part`;
  writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
  try {
    write(draft);
    renameSync(draft, path);
  } finally {
    for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true });
  }
}
