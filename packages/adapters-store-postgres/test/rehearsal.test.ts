import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aCreate } from '@gateramp/conformance';
import { isOutage } from '@gateramp/core/ports';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { runAccount } from '../../../tests/services/postgres-binaries.js';
import { startPostgres } from '../../../tests/services/postgres.js';
import { postgresOperator } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

it.each(['sessions', 'events', 'deliveries', 'idempotency_keys', 'tasks'])(
  'the probe fails while %s are locked, as commits do, and passes once they are free',
  async (table) => {
    const pool = await testPool();
    onTestFinished(() => pool.end());
    const schema = await freshSchema(pool);
    const operator = postgresOperator(pool, { schema });
    const holder = await pool.connect();
    await holder.query(`begin; lock table "${schema}".${table} in share mode`);
    expect(isOutage(await failureOf(operator.probe()))).toBe(true);
    await holder.query('rollback');
    holder.release();
    expect(await operator.probe()).toBeGreaterThan(0);
  },
);

it.runIf(process.getuid?.() === 0)(
  'the probe fails while the disk is full, as creates do and updates do not, and passes once there is room',
  async () => {
    const disk = smallDisk('24m');
    const postgres = await startPostgres();
    onTestFinished(async () => {
      await postgres.stop();
      disk.remove();
    });
    const admin = new pg.Pool({ connectionString: postgres.url, max: 1 });
    await admin.query(`create tablespace small location '${disk.folder}'`);
    await admin.query('create database small tablespace small');
    await admin.end();
    const pool = new pg.Pool({ connectionString: postgres.url.replace(/\/postgres$/, '/small') });
    pool.on('error', () => undefined);
    onTestFinished(() => pool.end());
    const schema = await freshSchema(pool);
    const [operator, store] = [postgresOperator(pool, { schema }), postgresStore(pool, { schema })];
    await store.swapSetting('pepper', null, 'one');
    expect(await operator.probe()).toBeGreaterThan(0);
    await pool.query('create table junk (text text)');
    for (const rows of [1000, 1])
      while (
        (await failureOf(pool.query(`insert into junk select repeat('x', 1900) from generate_series(1, ${rows})`))) ===
        null
      );
    let failure: unknown = null;
    for (let nth = 0; nth < 1000 && failure === null; nth += 1)
      failure = await failureOf(store.commit(aCreate(`full-${nth}`)));
    expect(isOutage(failure)).toBe(true);
    expect(await store.swapSetting('pepper', 'one', 'two')).toBe('two');
    expect(isOutage(await failureOf(operator.probe()))).toBe(true);
    await pool.query('drop table junk');
    await pool.query('checkpoint');
    expect(await operator.probe()).toBeGreaterThan(0);
    expect(await store.commit(aCreate('after'))).toEqual({ kind: 'committed' });
  },
);

/** A separate file system in memory. */
function smallDisk(size: string): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0777`, 'tmpfs', folder]);
  const account = runAccount();
  if (account !== null) chownSync(folder, account.uid, account.gid);
  return {
    folder,
    remove: () => {
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}
