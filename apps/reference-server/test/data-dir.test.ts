import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { runGate } from './run-gate.js';
import {
  programs,
  buyOnce,
  call,
  eventually,
  hooksOf,
  readyServer,
  runServer,
  type ReadyServer,
} from './running-server.js';
import { OTHER_MASTER_KEY } from './master-keys.js';

const DEMO = { authorization: `Bearer ${DEMO_KEYS.secret}` };

let parent: string;
let dir: string;
let settings: Readonly<Record<string, string>>;
const running: ReadyServer[] = [];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gateramp-data-'));
  dir = join(parent, 'data');
  settings = { GATE_DATA_DIR: dir, GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' };
});
afterEach(() => {
  for (const { process } of running.splice(0)) process.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

async function started(more: Readonly<Record<string, string>> = {}): Promise<ReadyServer> {
  const server = await readyServer({ ...settings, ...more });
  running.push(server);
  return server;
}

async function killed({ process, exited }: ReadyServer): Promise<void> {
  process.kill('SIGKILL');
  await exited;
}

async function create(origins: ReadyServer['origins'], key: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${origins.sandbox}/v1/gate_sessions`, {
    method: 'POST',
    headers: { ...DEMO, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: `${origins.demo}/` }),
  });
  return { status: response.status, body: await response.text() };
}

describe('a server with GATE_DATA_DIR', () => {
  it('serves a purchase end to end, with signed webhooks, and is ready and measured', async () => {
    const server = await started();
    const id = await buyOnce(server.origins);
    const hooks = await eventually(async () => {
      const found = await hooksOf(server.origins.demo, id);
      return found.some(({ type }) => type === 'gate_session.completed') ? found : null;
    });
    expect(hooks.every(({ verified }) => verified)).toBe(true);
    const readiness = async () => (await call(`${server.origins.ops}/ready`)).json;
    await expect.poll(readiness).toMatchObject({ status: 'ready', database: 'ok' });
    // The published key works only for a server without durable data.
    const known = await call(`${server.origins.pools}/v1/pools`, { authorization: `Bearer ${DEMO_KEYS.pools}` });
    expect(known.json).toMatchObject({ code: 'invalid_api_key' });
    const metrics = await (await fetch(`${server.origins.ops}/metrics`)).text();
    expect(metrics).toMatch(/gate_info\{.*store="sqlite"/);
    expect(metrics).toContain('gate_database_up 1');
    expect(metrics).toContain('gate_due_deliveries{mode="live"} 0');
    server.process.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  it('loses nothing it has acknowledged to kill -9: a repeat gets the same bytes, a payment under way goes on', async () => {
    const open = { GATE_RATE_LIMITS: 'off', GATE_TEST_CLOCK: 'on' };
    const first = await started(open);
    const keys = Array.from({ length: 20 }, () => crypto.randomUUID());
    const created = await Promise.all(keys.map((key) => create(first.origins, key)));
    expect(created.map(({ status }) => status)).toEqual(keys.map(() => 201));
    const paid = String(JSON.parse(created[0]?.body ?? '').id);
    const simulate = (origin: string, scenario: string) =>
      call(`${origin}/v1/test_helpers/gate_sessions/${paid}/simulate`, DEMO, { scenario });
    expect((await simulate(first.origins.sandbox, 'processing')).json.status).toBe('processing');
    first.process.kill('SIGKILL');
    await first.exited;

    const demoPort = new URL(first.origins.demo).port;
    const second = await started({ ...open, GATE_HTTP: 'express', GATE_DEMO_PORT: demoPort });
    expect(await Promise.all(keys.map((key) => create(second.origins, key)))).toEqual(created);
    expect((await simulate(second.origins.sandbox, 'succeed')).json.status).toBe('succeeded');
  });

  it('makes a master key that only its owner reads, and makes no second one for sealed rows', async () => {
    const first = await started();
    const path = join(dir, 'master.key');
    expect([
      statSync(path).mode & 0o777,
      statSync(dir).mode & 0o777,
      statSync(join(dir, 'gate.db')).mode & 0o777,
    ]).toEqual([0o600, 0o700, 0o600]);
    expect(Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')).toHaveLength(32);
    first.process.kill('SIGKILL');
    await first.exited;

    const wrong = runServer({ ...settings, GATE_MASTER_KEY: OTHER_MASTER_KEY });
    expect(await wrong.exited).toBe(1);
    expect(wrong.stderr()).toMatch(/GATE_MASTER_KEY: The stored pepper was encrypted with master key/);
    renameSync(path, join(parent, 'lost.key'));
    const lost = runServer(settings);
    expect(await lost.exited).toBe(1);
    expect(lost.stderr()).toContain('has a database and no master.key. Restore that file');
    expect(readdirSync(dir)).not.toContain('master.key');
  });

  it('begins no new installation where the database is gone or empty and its key is not', async () => {
    await killed(await started());
    for (const name of ['gate.db', 'gate.db-wal', 'gate.db-shm']) rmSync(join(dir, name), { force: true });
    const gone = runServer(settings);
    expect(await gone.exited).toBe(1);
    expect(gone.stderr()).toContain(`GATE_DATA_DIR: "${dir}" has a master.key and no gate.db. Restore gate.db`);
    expect(readdirSync(dir)).not.toContain('gate.db');
    writeFileSync(join(dir, 'gate.db'), '');
    const empty = runServer(settings);
    expect(await empty.exited).toBe(1);
    expect(empty.stderr()).toContain(`GATE_DATA_DIR: "${dir}" has a master.key and an empty gate.db. Restore gate.db`);
    expect(statSync(join(dir, 'gate.db')).size).toBe(0);
  });

  it('goes on with an installation that a power cut ended before anything was sealed', async () => {
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(dir, 'gate.db'), '');
    await killed(await started());
    const key = readFileSync(join(dir, 'master.key'));
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    const tables = openSqlite(join(dir, 'gate.db'));
    tables.connection();
    tables.close();
    await killed(await started());
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    const unsealed = openSqlite(join(dir, 'gate.db'));
    unsealed.connection();
    unsealed.close();
    writeFileSync(join(dir, 'master.key'), key, { mode: 0o600 });
    await started();
    expect(readFileSync(join(dir, 'master.key'))).toEqual(key);
  });

  it('refuses a folder that others may write, and says which command fixes it', async () => {
    mkdirSync(dir);
    for (const mode of [0o777, 0o770, 0o1777, 0o702]) {
      chmodSync(dir, mode);
      const refused = runServer(settings);
      expect(await refused.exited).toBe(1);
      expect(refused.stderr()).toContain(
        `GATE_DATA_DIR: other users may write to "${dir}" (mode ${mode.toString(8)}). Run: chmod 700 "${dir}"`,
      );
    }
    expect(readdirSync(dir)).toEqual([]);
    chmodSync(dir, 0o700);
    await started();
  });

  it('refuses a master key that others may read, also in a command', async () => {
    await killed(await started());
    const path = join(dir, 'master.key');
    const text = expect.stringContaining(`Run: chmod 600 "${path}"`);
    for (const mode of [0o640, 0o604]) {
      chmodSync(path, mode);
      const refused = runServer(settings);
      expect(await refused.exited).toBe(1);
      expect(refused.stderr()).toEqual(text);
      expect(await runGate('partners list', settings)).toMatchObject({ code: 1, err: text });
    }
  });

  it.each(['gate.db', 'gate.db-wal', 'master.key', 'server.lock'])(
    'follows no link at the place of %s',
    async (name) => {
      await killed(await started());
      renameSync(join(dir, name), join(parent, 'elsewhere'));
      symlinkSync(join(parent, 'elsewhere'), join(dir, name));
      const before = readFileSync(join(parent, 'elsewhere'));
      const refused = runServer(settings);
      expect(await refused.exited).toBe(1);
      expect(refused.stderr()).toContain(`${join(dir, name)} is a symbolic link. Replace it with a regular file.`);
      expect(readFileSync(join(parent, 'elsewhere'))).toEqual(before);
    },
  );

  it('writes its process id through no link', async () => {
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(parent, 'precious'), 'kept');
    symlinkSync(join(parent, 'precious'), join(dir, 'server.pid'));
    const server = await started();
    expect(readFileSync(join(parent, 'precious'), 'utf8')).toBe('kept');
    expect(readFileSync(join(dir, 'server.pid'), 'utf8')).toBe(`${server.process.pid}\n`);
  });

  it('lets no second server in whose lock file was removed', async () => {
    await started();
    rmSync(join(dir, 'server.lock'));
    const second = runServer(settings);
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toMatch(/GATE_DATA_DIR: another server \(process \d+\) uses/);
  });

  it('lets only its owner read what it keeps and copies, also in a folder that was there and is open to all', async () => {
    mkdirSync(dir, { mode: 0o755 });
    writeFileSync(join(dir, 'gate.db-wal'), ''); // a leftover of another process
    const server = await started();
    await create(server.origins, crypto.randomUUID());
    const copy = join(dir, 'copy.db');
    expect(await runGate(`backup ${copy}`, settings)).toMatchObject({ code: 0 });
    const readable = readdirSync(dir).filter((name) => (statSync(join(dir, name)).mode & 0o077) !== 0);
    expect(readable).toEqual([]);
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(['gate.db', 'gate.db-wal', 'gate.db-shm', 'copy.db']));
  });

  it('does not start without the pepper of the rows it would serve, and puts no other in its place', async () => {
    const first = await started();
    await create(first.origins, crypto.randomUUID());
    first.process.kill('SIGKILL');
    await first.exited;
    const file = openSqlite(join(dir, 'gate.db'));
    file.connection().run("delete from settings where name = 'pepper'");
    const lost = runServer(settings);
    expect(await lost.exited).toBe(1);
    expect(lost.stderr()).toMatch(
      /^ {2}GATE_DATA_DIR: The pepper is missing from the settings, .*Restore the file from a backup/m,
    );
    expect(await sqliteStore(file).readSetting('pepper')).toBeNull();
    file.close();
  });

  it('says to a second server on the folder whose it is, and lets it in once that one is gone, however it went', async () => {
    const first = await started();
    const second = runServer(settings);
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toContain(`GATE_DATA_DIR: another server (process ${first.process.pid}) uses "${dir}".`);
    first.process.kill('SIGKILL');
    await first.exited;
    await started();
  });

  it('says so when it may not write, and what cannot run then', async () => {
    const first = await started();
    first.process.kill('SIGKILL');
    await first.exited;
    const other = openSqlite(join(dir, 'gate.db'));
    other.connection().exec('begin immediate');
    const blocked = runServer(settings);
    expect(await blocked.exited).toBe(1);
    expect(blocked.stderr()).toMatch(
      /^Gateramp cannot start\. .*\n {2}GATE_DATA_DIR: ".*data" cannot be used: database is locked\n$/m,
    );
    const command = await runGate('partners create --name Shop --origin https://shop.example', settings);
    expect([command.code, command.err]).toEqual([
      1,
      expect.stringMatching(
        /^The command cannot run\. .*\n {2}GATE_DATA_DIR: ".*data" cannot be used: database is locked$/,
      ),
    ]);
    other.close();
  });

  it('says what does not go together', async () => {
    const both = runServer({ ...settings, DATABASE_URL: 'postgres://u@127.0.0.1:1/d', GATE_ROLE: 'api' });
    expect(await both.exited).toBe(1);
    expect(both.stderr()).toContain('GATE_DATA_DIR: is set together with DATABASE_URL');
    expect(both.stderr()).toContain('GATE_ROLE: a data folder supports a single server');
    writeFileSync(join(parent, 'file'), '');
    const nowhere = runServer({ GATE_DATA_DIR: join(parent, 'file', 'data') });
    expect(await nowhere.exited).toBe(1);
    expect(nowhere.stderr()).toMatch(/GATE_DATA_DIR: ".*data" cannot be used: ENOTDIR/);
  });
});

describe('the gate command line while it runs', () => {
  it('changes partners and keys of the running server', async () => {
    const server = await started();
    const gate = (command: string) => runGate(command, settings);
    const made = await gate('partners create --name Shop --origin https://shop.example');
    expect([made.code, made.err]).toEqual([0, '']);
    const id = /[0-9a-f]{24}/.exec(made.out)?.[0] ?? '';
    const key = (await gate(`keys issue --partner ${id} --mode test`)).out.trim();
    const list = () => call(`${server.origins.sandbox}/v1/gate_sessions`, { authorization: `Bearer ${key}` });
    expect((await list()).status).toBe(200);
    expect((await gate(`keys revoke ${key} --yes`)).code).toBe(0);
    expect((await list()).status).toBe(401);
  });

  it('copies all of it into a file while it runs, from which a server goes on', async () => {
    const server = await started();
    const key = crypto.randomUUID();
    const created = await create(server.origins, key);
    const copy = join(parent, 'copy');
    const backup = `backup ${join(parent, 'copy.db')} --actor ada --reason nightly`;
    expect(await runGate(backup, settings)).toMatchObject({ code: 0, err: '' });
    const again = await runGate(`backup ${join(parent, 'copy.db')}`, settings);
    expect([again.code, again.err]).toEqual([1, `${join(parent, 'copy.db')} already exists.`]);
    const nowhere = await runGate(`backup ${join(parent, 'none', 'copy.db')}`, settings);
    expect([nowhere.code, nowhere.err]).toEqual([
      1,
      expect.stringMatching(/^Could not copy to .*none\/copy\.db: ENOENT/),
    ]);
    const [entry] = JSON.parse((await runGate('audit list --json', settings)).out) as readonly unknown[];
    expect(entry).toMatchObject({
      action: 'installation.backup',
      target: { type: 'backup', id: join(parent, 'copy.db') },
      actor: { id: 'ada' },
      reason: 'nightly',
    });
    const unsigned = await runGate(`backup ${join(parent, 'unsigned.db')}`, {
      ...settings,
      GATE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    });
    expect([unsigned.code, unsigned.err]).toEqual([
      0,
      expect.stringMatching(/^Warning: this is not recorded in the audit trail\. /),
    ]);
    server.process.kill('SIGKILL');
    await server.exited;

    mkdirSync(copy);
    renameSync(join(parent, 'copy.db'), join(copy, 'gate.db'));
    copyFileSync(join(dir, 'master.key'), join(copy, 'master.key'));
    const demoPort = new URL(server.origins.demo).port;
    const restored = await started({ GATE_DATA_DIR: copy, GATE_DEMO_PORT: demoPort, GATE_RATE_LIMITS: 'off' });
    expect((await create(restored.origins, key)).status).toBe(503);
    expect(await runGate('recover accept --yes', { GATE_DATA_DIR: copy })).toMatchObject({ code: 0 });
    expect(
      await eventually(async () => {
        const found = await create(restored.origins, key);
        return found.status === 503 ? null : found;
      }),
    ).toEqual(created);
  });

  it('leaves no copy that is not whole when it is killed', async () => {
    const first = await started();
    first.process.kill('SIGKILL');
    await first.exited;
    const large = 'x'.repeat(30_000_000);
    const file = openSqlite(join(dir, 'gate.db'));
    await sqliteStore(file).swapSetting('large', null, large);
    file.close();
    const copy = join(parent, 'copy.db');
    const gate = spawn(process.execPath, [programs.gate, 'backup', copy], {
      env: { PATH: process.env['PATH'], ...settings },
      stdio: 'ignore',
    });
    const gone = once(gate, 'exit');
    while (!readdirSync(parent).some((name) => name.startsWith('copy.db')))
      await new Promise((resolve) => setImmediate(resolve));
    gate.kill('SIGKILL');
    await gone;
    // Nothing, or everything if the command was faster.
    const found = openSqlite(copy);
    const kept = existsSync(copy) ? await sqliteStore(found).readSetting('large') : large;
    found.close();
    expect(kept?.length).toBe(large.length);
  });

  it('says nothing of it when the reader closes its output', async () => {
    await started();
    const env = { PATH: process.env['PATH'], ...settings };
    const gate = spawn(process.execPath, [programs.gate, 'partners', 'list'], { env, stdio: 'pipe' });
    gate.stdout.destroy();
    let said = '';
    gate.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const code = await new Promise((resolve) => gate.on('close', resolve));
    expect([code, said]).toEqual([0, '']);
  });

  it('begins no installation by the way', async () => {
    const ran = await runGate('partners list', settings);
    expect([ran.code, ran.err]).toEqual([
      1,
      `The command cannot run. Fix this problem:\n  GATE_DATA_DIR: there is no installation in "${dir}"; start the server on it once.`,
    ]);
  });
});
