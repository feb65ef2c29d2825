import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { postgresPartitions } from '@gateramp/adapters-store-postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { scratchFolder } from '../../../tests/services/scratch-folder.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { eventually, postAsDemo, readyServer, type ReadyServer } from './running-server.js';

const PARTNER = '65f0c0ffee65f0c0ffee0001';

interface Plan {
  readonly tables: readonly {
    readonly table: string;
    readonly is_partitioned: boolean;
    readonly months_ahead: number | null;
    readonly partitions: readonly { readonly name: string }[];
  }[];
}

/** Each command is a separate process. */
describe('gate partition', () => {
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
  });
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await database.drop();
  });

  it('on converts the tables of a running server, which keeps serving and is not held after a restart', async () => {
    await create('before');
    expect((await plan()).tables.map(({ is_partitioned: is }) => is)).toEqual([false, false, false, false, false]);
    expect((await runGate('partition on', settings)).err).toContain('Pass --yes to confirm.');
    await gate('partition on --dry-run');
    expect((await plan()).tables[0]?.is_partitioned).toBe(false);
    const startedAt = Date.now();
    const { out } = await gate('partition on --yes --reason growth');
    expect(out).toContain('Changed: sessions, intents, transactions, events, deliveries');
    const after = await plan();
    expect(after.tables.map(({ months_ahead: months }) => months)).toEqual([3, 3, 3, 3, 3]);
    // The first border is at least a day ahead, so a month on whose last day this runs shares a partition with the next.
    const isLastDay = new Date(startedAt + 86_400_000).getUTCMonth() !== new Date(startedAt).getUTCMonth();
    expect(after.tables[0]?.partitions).toHaveLength(isLastDay ? 4 : 5);
    await create('after');
    server.process.kill('SIGKILL');
    server = await readyServer(settings);
    await create('restarted');
    expect((await gate('recover status')).out).not.toMatch(/on hold since/i);
    expect((await gate('audit list')).out).toMatch(/partition\.on +installation gate .* growth/);
  });

  it('a worker makes the months that are missing when it starts', async () => {
    const late = await migratedDatabase();
    onTestFinished(() => late.database.drop());
    const pool = new pg.Pool({ connectionString: late.database.url, max: 3 });
    onTestFinished(() => pool.end());
    const partitions = postgresPartitions(pool);
    await partitions.on(Date.now() - 100 * 86_400_000);
    const ahead = async () => (await partitions.monthsAhead(Date.now())).map((one) => one.ahead);
    expect(Math.max(...(await ahead()))).toBeLessThan(3);
    const worker = await readyServer(late.settings);
    onTestFinished(() => void worker.process.kill('SIGKILL'));
    expect(await eventually(async () => ((await ahead()).every((months) => months === 3) ? 'all' : null))).toBe('all');
  });

  it('drop archives a month that can be read back, keeps unfinished ones, and leaves an audit entry', async () => {
    const old = await migratedDatabase();
    onTestFinished(() => old.database.drop());
    const pool = new pg.Pool({ connectionString: old.database.url, max: 3 });
    onTestFinished(() => pool.end());
    await postgresPartitions(pool).on(Date.UTC(2025, 0, 15));
    await runGate('partners list', old.settings);
    const ended = `${Date.UTC(2025, 0, 20).toString(16).padStart(12, '0')}abcdefabcdef`;
    const add = (id: string, at: number, expiresAt: number) =>
      pool.query(
        `insert into gateramp.sessions (partner_id, mode, id, version, status, currency, created_at, expires_at, is_held, row)
         values ($1, 'test', $2, 1, 'open', 'EUR', $3, $4, false, '{"name":"Zoë", "amount": "1.00" }')`,
        [PARTNER, id, at, expiresAt],
      );
    await add(ended, Date.UTC(2025, 0, 20), Date.UTC(2025, 0, 21));
    await add(
      `${Date.UTC(2025, 2, 2).toString(16).padStart(12, '0')}abcdefabcdef`,
      Date.UTC(2025, 2, 2),
      Date.UTC(2040, 0),
    );
    const folder = scratchFolder('gate-archive-');
    const run = (command: string) => runGate(command, old.settings);
    expect((await run('partition drop --before 2025-06 --yes')).err).toMatch(
      /either --archive with a folder, or --without-archive/,
    );
    const dry = await run('partition drop --before 2025-06 --only purchases --dry-run');
    expect(dry.out).toMatch(/sessions_2025_03 +2025-04 +1 sessions open/);
    const { out, code, err } = await run(`partition drop --before 2025-06 --archive ${folder} --yes --json`);
    expect(code, err).toBe(0);
    const done = JSON.parse(out) as {
      readonly dropped: readonly string[];
      readonly kept: readonly { readonly partitions: readonly string[] }[];
    };
    expect(done.dropped).toContain('sessions_before_2025_02');
    expect(done.kept.map(({ partitions }) => partitions)).toEqual([['sessions_2025_03']]);
    const manifest = join(folder, 'sessions_before_2025_02.manifest.json');
    expect((await run(`partition verify ${manifest}`)).out).toBe(
      'sessions_before_2025_02.ndjson.gz is intact: 1 rows.',
    );
    const lines = gunzipSync(readFileSync(join(folder, 'sessions_before_2025_02.ndjson.gz'))).toString('utf8');
    await pool.query('create table public.restored (like gateramp.sessions)');
    await pool.query(
      'insert into public.restored select * from json_populate_record(null::public.restored, $1::json)',
      [lines],
    );
    const { rows } = await pool.query('select id, expires_at, row::text as row from public.restored');
    expect(rows).toEqual([
      { id: ended, expires_at: String(Date.UTC(2025, 0, 21)), row: '{"name":"Zoë", "amount": "1.00" }' },
    ]);
    writeFileSync(join(folder, 'sessions_before_2025_02.ndjson.gz'), gzipSync(lines.replace('1.00', '9.00')));
    expect(await run(`partition verify ${manifest}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is damaged'),
    });
    expect((await run('audit list')).out).toMatch(/partition\.drop +installation gate/);
  });

  it('refuses a data folder', async () => {
    const { code, err } = await runGate('partition plan', { GATE_DATA_DIR: '/tmp/nothing-here' });
    expect([code, err]).toEqual([1, 'Partitions require Postgres. GATE_DATA_DIR does not support them.']);
  });
});
