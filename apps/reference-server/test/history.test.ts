import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { aCreate } from '@gateramp/conformance';
import { isOutage, type Store } from '@gateramp/core/ports';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { acceptHistory, readHold } from '../src/history/history-settings.js';
import { openHistory } from '../src/history/history.js';
import type { Acknowledged, SeenHead } from '../src/history/acknowledged.js';
import { watchAuditHead } from '../src/history/audit-head.js';
import { acknowledgedFile, type AcknowledgedLog, redisLog } from '../src/history/acknowledged-file.js';
import { runGate, type Ran } from './run-gate.js';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';
import { createScratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY } from './master-keys.js';

function logInMemory(): AcknowledgedLog {
  const kept: Acknowledged[] = [];
  const heads: SeenHead[] = [];
  return {
    read: () => Promise.resolve([...kept]),
    add: async (_, told) => void kept.push(...told),
    readHead: () => Promise.resolve(heads.at(-1) ?? null),
    keepHead: async (_, head) => void heads.push(head),
  };
}

async function opened(store: Store, identity: string | null, logs: readonly AcknowledgedLog[]) {
  const alarms: string[] = [];
  const telemetry = {
    alarm: (name: string) => void alarms.push(name),
    failure: () => undefined,
    note: () => undefined,
  };
  const history = await openHistory({ store, identify: () => Promise.resolve(identity), logs, telemetry });
  onTestFinished(() => history.close());
  return { history, alarms };
}

describe('a database with another history', () => {
  it('is served where nothing acknowledged is missing, as after a synchronous failover', async () => {
    const [store, log] = [memoryStore(), logInMemory()];
    const before = await opened(store, 'postgres:one/1', [log]);
    await before.history.store.commit(aCreate('kept'));
    await before.history.close();
    const after = await opened(store, 'postgres:one/2', [log]);
    expect([after.history.isHeld(), after.alarms]).toEqual([false, []]);
    expect(await after.history.store.commit(aCreate('more'))).toEqual({ kind: 'committed' });
  });

  it('is held where it is not known what was acknowledged, and served once that is accepted', async () => {
    const store = memoryStore();
    await (await opened(store, 'postgres:one/1', [])).history.close();
    const { history, alarms } = await opened(store, 'postgres:two/1', []);
    expect([history.isHeld(), alarms]).toEqual([true, ['history_changed']]);
    const refused = await history.store.commit(aCreate('refused')).catch((error: unknown) => error);
    expect(isOutage(refused)).toBe(true);
    expect(await readHold(store)).toMatchObject({ reason: 'unknown_history', missing: 0 });
    await acceptHistory(store, Date.now());
    expect((await opened(store, 'postgres:two/1', [])).history.isHeld()).toBe(false);
  });

  it('is held where something acknowledged is missing, whatever it says of itself', async () => {
    const [store, restored, log] = [memoryStore(), memoryStore(), logInMemory()];
    const { history } = await opened(store, null, [log]);
    await history.store.commit(aCreate('told'));
    await history.close();
    await restored.swapSetting('history', null, (await store.readSetting('history')) ?? '');
    expect((await opened(restored, null, [log])).history.isHeld()).toBe(true);
    expect(await readHold(restored)).toMatchObject({ reason: 'rows_missing', missing: 1, checked: 1 });
  });

  it('gives out no work while it is held', async () => {
    const store = memoryStore();
    await (await opened(store, 'postgres:one/1', [])).history.close();
    const create = aCreate('owed');
    await store.commit(create);
    const { history } = await opened(store, 'postgres:two/1', []);
    expect(await history.store.nextDue('test')).toBeNull();
  });

  it('that comes from a data folder is a move, and no restore', async () => {
    const store = memoryStore();
    await (await opened(store, 'folder:token', [])).history.close();
    expect((await opened(store, 'postgres:one/1', [])).history.isHeld()).toBe(false);
  });
});

type Compared = Awaited<ReturnType<Parameters<typeof watchAuditHead>[0]['audit']['compare']>>;

describe('a remembered end of the audit trail', () => {
  const at = (sequence: number): SeenHead => ({ sequence, digest: `digest${sequence}`, at: sequence });
  const watched = async (log: AcknowledgedLog, compare: (seen: SeenHead | null) => Compared) => {
    const alarms: unknown[] = [];
    const telemetry = { alarm: (name: string, fields?: object) => void alarms.push([name, fields]) };
    const audit = { compare: (seen: SeenHead | null) => Promise.resolve(compare(seen)) };
    const parts = { audit, installation: 'one', logs: [log], isHeld: () => false, telemetry };
    const watch = await watchAuditHead(parts);
    onTestFinished(() => watch.close());
    return { watch, alarms };
  };

  it('raises one alarm in each process when the trail goes back, until that is accepted', async () => {
    const log = logInMemory();
    let trail = { head: at(1), isSetBack: false };
    const seen: (SeenHead | null)[] = [];
    const compare = (one: SeenHead | null) => {
      seen.push(one);
      return trail;
    };
    const { watch, alarms } = await watched(log, compare);
    for (const head of [at(2), at(3)]) {
      trail = { head, isSetBack: false };
      await watch.check();
    }
    trail = { head: at(2), isSetBack: true };
    await watch.check();
    await watch.check();
    const alarm = ['audit_set_back', { seen: '3.digest3', end: '2.digest2' }];
    expect([alarms, watch.isSetBack()]).toEqual([[alarm], true]);
    expect(seen).toEqual([null, at(1), at(2), at(3), at(3)]);
    const restarted = await watched(log, compare);
    expect([restarted.alarms, seen.at(-1)]).toEqual([[alarm], at(3)]);
    trail = { head: at(2), isSetBack: false };
    await restarted.watch.check();
    expect([restarted.watch.isSetBack(), await log.readHead('one')]).toEqual([false, at(2)]);
  });

  it('is kept in a file together with acknowledged rows, and in Redis, where the latest of racing processes wins', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'gateramp-history-')), 'told.json');
    const file = await acknowledgedFile(path);
    await Promise.all([file.add('one', []), file.keepHead('one', at(1), null), file.add('one', [])]);
    const again = await acknowledgedFile(path);
    expect([await again.readHead('one'), await again.readHead('two')]).toEqual([at(1), null]);
    const redis = new Redis(await testRedisUrl());
    onTestFinished(() => void redis.disconnect());
    const [log, installation] = [redisLog(redis), crypto.randomUUID()];
    expect(await log.readHead(installation)).toBeNull();
    await log.keepHead(installation, at(3), null);
    await log.keepHead(installation, at(2), at(1));
    expect(await log.readHead(installation)).toEqual(at(3));
    await log.keepHead(installation, at(2), at(3));
    expect(await log.readHead(installation)).toEqual(at(2));
  });
});

it('a server whose audit trail is cut at its end together with its head raises an alarm, also after a restart', async () => {
  const database = await createScratchDatabase();
  onTestFinished(() => database.drop());
  const state = mkdtempSync(join(tmpdir(), 'gateramp-history-'));
  const settings = {
    ...{ DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY, GATE_RATE_LIMITS: 'off' },
    GATE_STATE_FILE: join(state, 'told.json'),
  };
  const server = await readyServer(settings);
  const head = async () =>
    String((await database.query("select value from gateramp.settings where name = 'audit_head'"))[0]?.['value']);
  const before = await head();
  expect(await runGate('partners create --name Eve', settings)).toMatchObject({ code: 0 });
  const [seen = ''] = /^\d+\.[0-9a-f]+/.exec(await head()) ?? [];
  await eventually(async () =>
    readFileSync(settings.GATE_STATE_FILE, 'utf8').includes(seen.split('.')[1] ?? '-') ? true : null,
  );
  await database.query(`delete from gateramp.audit_entries where sequence > ${Number.parseInt(before)}`);
  await database.query(`update gateramp.settings set value = '${before}' where name = 'audit_head'`);
  const alarm = (one: ReadyServer) =>
    eventually(() => Promise.resolve(one.stderr().includes('"alarm":"audit_set_back"') ? true : null));
  await alarm(server);
  expect(server.stderr()).toContain(seen);
  server.process.kill('SIGTERM');
  await server.exited;
  expect(await runGate('audit verify', settings)).toMatchObject({ code: 0 });
  const missing = await runGate(`audit verify --at-least ${seen}`, settings);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.err).toContain('missing at the end');
  const restarted = await readyServer(settings);
  onTestFinished(() => void restarted.process.kill('SIGKILL'));
  await alarm(restarted);
  expect(await runGate('audit accept --reason restored', settings)).toMatchObject({ code: 0 });
  const accepted = (await head()).split('.')[1] ?? '-';
  await eventually(async () => (readFileSync(settings.GATE_STATE_FILE, 'utf8').includes(accepted) ? true : null));
});

const DEMO = { authorization: `Bearer ${DEMO_KEYS.secret}` };

const create = ({ origins }: ReadyServer) =>
  call(
    `${origins.sandbox}/v1/gate_sessions`,
    { ...DEMO, 'idempotency-key': crypto.randomUUID() },
    { amount: '10.00', currency: 'EUR', return_url: `${origins.demo}/` },
  );
const retrieve = ({ origins }: ReadyServer, id: unknown) =>
  call(`${origins.sandbox}/v1/gate_sessions/${String(id)}`, DEMO);

/** Reads continue, purchases are refused, and the report contains the missing rows; then an operator accepts it. */
async function expectHeldUntilAccepted(
  server: ReadyServer,
  settings: Readonly<Record<string, string>>,
  { kept, lost }: { readonly kept: unknown; readonly lost: unknown },
): Promise<void> {
  await eventually(async () => ((await call(`${server.origins.ops}/ready`)).json.cause === 'held' ? true : null));
  expect([(await retrieve(server, kept)).status, (await retrieve(server, lost)).status]).toEqual([200, 404]);
  expect((await create(server)).status).toBe(503);
  const status = await runGate('recover status', settings);
  expect(status.out).toContain(`session ${String(lost)} of partner`);
  expect(server.stderr()).toContain('"alarm":"history_changed"');
  expect(await runGate('recover accept --dry-run', settings)).toMatchObject({ code: 0, err: 'Nothing was changed.' });
  expect(await runGate('recover accept', settings)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^1 acknowledged rows will be given up as lost\..* Pass --yes to confirm\.$/),
  });
  const accepted = await runGate('recover accept --yes --json', settings);
  expect(JSON.parse(accepted.out)).toMatchObject({ object: 'history_report', missing: 1, is_dry_run: false });
  await eventually(async () => ((await create(server)).status === 201 ? true : null));
  expect((await runGate('recover status', settings)).out).toContain('No recovery is needed');
}

it('a folder whose gate.db was replaced by a backup starts held, and resumes once an operator accepts the loss', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-history-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dir = join(folder, 'data');
  const settings = { GATE_DATA_DIR: dir, GATE_RATE_LIMITS: 'off' };
  const first = await readyServer(settings);
  const kept = (await create(first)).json.id;
  expect(await runGate(`backup ${join(folder, 'backup.db')}`, settings)).toMatchObject({ code: 0 });
  const lost = (await create(first)).json.id;
  first.process.kill('SIGTERM');
  await first.exited;
  for (const beside of ['-wal', '-shm']) rmSync(join(dir, `gate.db${beside}`), { force: true });
  copyFileSync(join(folder, 'backup.db'), join(dir, 'gate.db'));
  const server = await readyServer({ ...settings, GATE_DEMO_PORT: new URL(first.origins.demo).port });
  onTestFinished(() => void server.process.kill('SIGKILL'));
  await expectHeldUntilAccepted(server, settings, { kept, lost });
});

it('a folder restored without told.json says so, and lists what is missing once that file was put back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [dir, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const settings = { GATE_DATA_DIR: dir, GATE_RATE_LIMITS: 'off' };
  const first = await readyServer(settings);
  mkdirSync(copy, { mode: 0o700 });
  expect(await runGate(`backup ${join(copy, 'gate.db')}`, settings)).toMatchObject({ code: 0 });
  const lost: unknown[] = [];
  for (let nth = 0; nth < 120; nth += 1) lost.push((await create(first)).json.id);
  first.process.kill('SIGTERM');
  await first.exited;
  copyFileSync(join(dir, 'master.key'), join(copy, 'master.key'));
  const restored = { ...settings, GATE_DATA_DIR: copy, GATE_DEMO_PORT: new URL(first.origins.demo).port };
  const status = async (options = ''): Promise<Ran> => runGate(`recover status${options}`, { GATE_DATA_DIR: copy });
  const startedOnce = async (): Promise<string> => {
    const server = await readyServer(restored);
    server.process.kill('SIGTERM');
    await server.exited;
    return server.stderr();
  };

  expect(await startedOnce()).toContain('the folder has no told.json');
  expect((await status()).out).toContain('copy told.json from the previous folder into this one, and start again');

  copyFileSync(join(dir, 'told.json'), join(copy, 'told.json'));
  await startedOnce();
  const cut = await status();
  expect(cut.out.match(/^ {2}session /gm)).toHaveLength(100);
  expect(cut.err).toBe('Only the newest 100 of 120 missing rows are listed. Pass --all, or --json.');
  const all = await status(' --all');
  for (const id of lost) expect(all.out).toContain(`session ${String(id)} of partner`);
  const { missing, examples } = JSON.parse((await status(' --json')).out) as Report;
  expect([missing, examples.map(({ id }) => id)]).toEqual([120, lost]);
});

interface Report {
  readonly missing: number;
  readonly examples: readonly { readonly id: string }[];
}

it('a server whose database is replaced by an earlier one while it runs holds, and reports what is missing', async () => {
  const database = await createScratchDatabase();
  const [name, snapshot, away] = [new URL(database.url).pathname.slice(1), 'snapshot', 'away'].map((text, nth) =>
    nth === 0 ? text : `${new URL(database.url).pathname.slice(1)}_${text}`,
  );
  const admin = new pg.Client({ connectionString: await testDatabaseUrl() });
  await admin.connect();
  onTestFinished(async () => {
    await admin.query(`drop database if exists ${away} with (force)`);
    await admin.end();
    await database.drop();
  });
  const closed = async (of: string | undefined): Promise<void> => {
    await admin.query(`alter database ${of} allow_connections false`);
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${of}'`);
    await eventually(async () => {
      const { rowCount } = await admin.query(`select from pg_stat_activity where datname = '${of}'`);
      return rowCount === 0 ? true : null;
    });
  };
  const settings = { DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY, GATE_RATE_LIMITS: 'off' };
  const server = await readyServer(settings);
  onTestFinished(() => void server.process.kill('SIGKILL'));
  const kept = (await create(server)).json.id;
  await closed(name);
  await admin.query(`create database ${snapshot} template ${name}`);
  await admin.query(`alter database ${name} allow_connections true`);
  const lost = await eventually(async () =>
    ((made) => (made.status === 201 ? made.json.id : null))(await create(server)),
  );
  await closed(name);
  await admin.query(`alter database ${name} rename to ${away}`);
  await admin.query(`alter database ${snapshot} rename to ${name}`);
  await expectHeldUntilAccepted(server, settings, { kept, lost });
});
