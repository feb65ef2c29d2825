import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { postAsDemo, readyServer, type ReadyServer } from './running-server.js';

interface Plan {
  readonly tables: readonly {
    readonly table: string;
    readonly is_partitioned: boolean;
    readonly months_ahead: number | null;
    readonly partitions: readonly { readonly name: string }[];
  }[];
}

/** Each command is a separate process. */
describe('gate partition', { timeout: 90_000 }, () => {
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  let server: ReadyServer;
  const create = (key: string) =>
    postAsDemo(
      server,
      '/v1/gate_sessions',
      { amount: '25.00', currency: 'EUR', return_url: `${server.origins.demo}/` },
      key,
    );
  const gate = async (command: string) => {
    const ran = await runGate(command, settings);
    expect(ran.code, ran.err).toBe(0);
    return ran;
  };
  const plan = async () => JSON.parse((await gate('partition plan --json')).out) as Plan;

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase());
    server = await readyServer(settings);
  }, 60_000);
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await database.drop();
  });

  it('on converts the tables under a running server, which goes on and is not held after a restart', async () => {
    await create('before');
    expect((await plan()).tables.map(({ is_partitioned: is }) => is)).toEqual([false, false, false, false, false]);
    expect((await runGate('partition on', settings)).err).toContain('Pass --yes to confirm.');
    await gate('partition on --dry-run');
    expect((await plan()).tables[0]?.is_partitioned).toBe(false);
    const { out } = await gate('partition on --yes --reason growth');
    expect(out).toContain('Changed: sessions, intents, transactions, events, deliveries');
    const after = await plan();
    expect(after.tables.map(({ months_ahead: months }) => months)).toEqual([3, 3, 3, 3, 3]);
    expect(after.tables[0]?.partitions).toHaveLength(5);
    await create('after');
    server.process.kill('SIGKILL');
    server = await readyServer(settings);
    await create('restarted');
    expect((await gate('recover status')).out).not.toMatch(/on hold since/i);
    expect((await gate('audit list')).out).toMatch(/partition\.on +installation gate .* growth/);
  });

  it('refuses a data folder', async () => {
    const { code, err } = await runGate('partition plan', { GATE_DATA_DIR: '/tmp/nothing-here' });
    expect([code, err]).toEqual([1, 'A data folder has no partitions. They are for large databases, in Postgres.']);
  });
});
