import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { MOVE_SETTING, moveNoteText, readMoveNote } from '@gateramp/store-move';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { runGate, type Ran } from './run-gate.js';
import {
  programs,
  buyOnce,
  call,
  eventually,
  hooksOf,
  readyServer,
  runServer,
  type Origins,
  type ReadyServer,
} from './running-server.js';
import { isDeep } from '../../../tests/depth.js';
import { advanceClock } from '../../../tests/services/advance-clock.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';

const DEMO = { authorization: `Bearer ${DEMO_KEYS.secret}` };
const OPEN = { GATE_ALLOW_PRIVATE_WEBHOOKS: 'on', GATE_RATE_LIMITS: 'off', GATE_TEST_CLOCK: 'on' };

let dir: string;
let database: ScratchDatabase;
const running: ReadyServer[] = [];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gateramp-move-'));
  database = await createScratchDatabase();
});
afterEach(async () => {
  for (const { process } of running.splice(0)) process.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
  await database.drop();
});

const inFolder = () => ({ ...OPEN, GATE_DATA_DIR: dir });
/** The settings of a server after the move, according to the command's instructions. */
const inPostgres = () => ({
  ...OPEN,
  DATABASE_URL: database.url,
  GATE_MASTER_KEY: readFileSync(join(dir, 'master.key'), 'utf8').trim(),
});

async function started(settings: Readonly<Record<string, string>>): Promise<ReadyServer> {
  const server = await readyServer(settings);
  running.push(server);
  return server;
}

async function killed({ process, exited }: ReadyServer): Promise<void> {
  process.kill('SIGKILL');
  await exited;
}

const refused = async (settings: Readonly<Record<string, string>>): Promise<string> => {
  const server = runServer(settings);
  expect(await server.exited).toBe(1);
  return server.stderr();
};

const gate = (command: string, settings: Readonly<Record<string, string>> = inFolder()): Promise<Ran> =>
  runGate(command, settings);
const move = (more = ''): Promise<Ran> => gate(`move --to ${database.url}${more}`);

async function create(origins: Origins, key: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${origins.sandbox}/v1/gate_sessions`, {
    method: 'POST',
    headers: { ...DEMO, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: `${origins.demo}/` }),
  });
  return { status: response.status, body: await response.text() };
}

/** The folder of a stopped server with data. `demo` is the address of the shop that requests name, which is served again later. */
async function aFolder(): Promise<{
  readonly demo: Readonly<Record<string, string>>;
  readonly sessions: readonly string[];
}> {
  const server = await started(inFolder());
  const sessions = [];
  for (let nth = 0; nth < 3; nth += 1) sessions.push((await create(server.origins, `key-${nth}`)).body);
  await killed(server);
  return { demo: { GATE_DEMO_PORT: new URL(server.origins.demo).port }, sessions };
}

describe('gate move', () => {
  it('takes everything to Postgres, where it goes on: replays, payments, retries, revoked keys, the test clock', async () => {
    const first = await started(inFolder());
    const created = await create(first.origins, 'a-key');
    const bought = await buyOnce(first.origins);
    const paid = String(JSON.parse(created.body).id);
    const simulate = (origins: Origins, scenario: string) =>
      call(`${origins.sandbox}/v1/test_helpers/gate_sessions/${paid}/simulate`, DEMO, { scenario });
    expect((await simulate(first.origins, 'processing')).json.status).toBe('processing');
    const partner = /[0-9a-f]{24}/.exec((await gate('partners create --name Shop --origin https://shop.example')).out);
    const [kept, revoked] = [
      (await gate(`keys issue --partner ${partner?.[0]} --mode test`)).out.trim(),
      (await gate(`keys issue --partner ${partner?.[0]} --mode test`)).out.trim(),
    ];
    await gate(`keys revoke ${revoked}`);
    // Nothing listens there any more, so the next event waits for its second attempt.
    expect(
      await gate(`endpoints set --partner ${partner?.[0]} --mode test --url http://127.0.0.1:9/hooks`),
    ).toMatchObject({ code: 0 });
    const mine = { authorization: `Bearer ${kept}` };
    const body = { amount: '5.00', currency: 'EUR', return_url: 'https://shop.example/' };
    const waiting = await call(
      `${first.origins.sandbox}/v1/gate_sessions`,
      { ...mine, 'idempotency-key': 'waits' },
      body,
    );
    expect(waiting.status).toBe(201);
    const deliveries = (origins: Origins) =>
      call(`${origins.sandbox}/v1/webhooks/deliveries?session_id=${String(waiting.json.id)}`, mine).then(
        // A list of deliveries, according to the contract.
        ({ json }) => json as unknown as { readonly data: readonly { readonly attempt_count: number }[] },
      );
    await eventually(async () => ((await deliveries(first.origins)).data[0]?.attempt_count === 1 ? true : null));
    // On a slow machine the second attempt would be due before the end of the test.
    await gate(`endpoints pause --partner ${partner?.[0]} --mode test`);
    const { data: retrying } = await deliveries(first.origins);
    await advanceClock(first.origins.sandbox, DEMO_KEYS.secret, 10);
    const lists = (origins: Origins) =>
      Promise.all(
        ['gate_sessions', 'transactions', 'events'].map((noun) => call(`${origins.sandbox}/v1/${noun}?limit=3`, DEMO)),
      );
    const listed = (await lists(first.origins)).map(({ json }) => JSON.stringify(json));
    await killed(first);

    const moved = await move();
    expect([moved.code, moved.err]).toEqual([0, expect.stringMatching(/^partner: 2 of 2\n/)]);
    expect(moved.out).toMatch(
      /^All data is now in postgres:\/\/.*\n {2}DATABASE_URL .*\n {2}GATE_MASTER_KEY .*master\.key/m,
    );
    expect(moved.out).not.toContain(new URL(database.url).password || 'no password');
    expect(await moves(inPostgres())).toEqual([['installation.move', 'data_folder', dir]]);

    const second = await started({ ...inPostgres(), GATE_DEMO_PORT: new URL(first.origins.demo).port });
    expect(await create(second.origins, 'a-key')).toEqual(created);
    expect((await lists(second.origins)).map(({ json }) => JSON.stringify(json))).toEqual(listed);
    expect((await deliveries(second.origins)).data).toEqual(retrying);
    expect((await simulate(second.origins, 'succeed')).json.status).toBe('succeeded');
    const session = (key: string) =>
      call(`${second.origins.sandbox}/v1/gate_sessions/${String(waiting.json.id)}`, { authorization: `Bearer ${key}` });
    expect([(await session(kept)).status, (await session(revoked)).status]).toEqual([200, 401]);
    const asked = Date.now();
    const { json: clock } = await call(`${second.origins.sandbox}/v1/test_helpers/clock`, DEMO);
    expect(Date.parse(String(clock['now']))).toBeGreaterThan(asked + 9_000);
    // Its webhook secret was copied, and can be opened.
    const hooks = await eventually(async () => {
      const found = await hooksOf(second.origins.demo, paid);
      return found.some(({ type }) => type === 'gate_session.completed') ? found : null;
    });
    expect(hooks.every(({ verified }) => verified)).toBe(true);
    expect((await call(`${second.origins.sandbox}/v1/gate_sessions/${bought}`, DEMO)).json.status).toBe('completed');
  });

  it('leaves a folder that no process serves or changes, and says where it went', async () => {
    await aFolder();
    expect((await move()).code).toBe(0);
    const { host, pathname } = new URL(database.url);
    const place = `GATE_DATA_DIR: "${dir}" has moved to postgres://${host}${pathname} and is served there`;
    expect(await refused(inFolder())).toContain(place);
    expect((await gate('partners list')).err).toContain(place);
    // The process died after everything had arrived, before it wrote that to the folder.
    const file = openSqlite(join(dir, 'gate.db'));
    const { text, note } = await readMoveNote(sqliteStore(file));
    if (note?.state !== 'left') throw new Error(`The folder is ${note?.state ?? 'not moved'}.`);
    await sqliteStore(file).swapSetting(MOVE_SETTING, text, moveNoteText({ ...note, state: 'leaving' }));
    file.close();
    expect((await move()).code).toBe(0);
    expect(await moves(inPostgres())).toHaveLength(1);
    // A repeated command only repeats the instructions.
    const again = await move();
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('GATE_MASTER_KEY')]);
    expect((await gate(`move --to postgres://${host}/elsewhere`)).err).toMatch(/^This installation has moved to /);
  });

  it('does nothing while a server runs, nor into a database that has rows, and lets the folder be served on', async () => {
    const server = await started(inFolder());
    const beside = await move();
    expect([beside.code, beside.err]).toEqual([
      1,
      expect.stringMatching(/another server \(process \d+\) uses .*Stop it first\.$/),
    ]);
    await killed(server);
    const other = await started({ ...OPEN, DATABASE_URL: database.url, GATE_MASTER_KEY: inPostgres().GATE_MASTER_KEY });
    await killed(other);
    const filled = await move();
    expect([filled.code, filled.err]).toEqual([
      1,
      expect.stringMatching(/^ {2}--to: The schema "gateramp" is not empty/m),
    ]);
    const away = await gate('move --to postgres://nobody@127.0.0.1:1/nowhere');
    expect([away.code, away.err]).toEqual([
      1,
      expect.stringMatching(/--to: Postgres at 127\.0\.0\.1:1 cannot be reached/),
    ]);
    await started(inFolder());
  });

  it.runIf(isDeep)('goes on where it was killed; until it has ended neither place is served', async () => {
    const { sessions, demo } = await aFolder();
    await gate('migrate', { DATABASE_URL: database.url });
    const inTheWay = new pg.Client({ connectionString: database.url });
    await inTheWay.connect();
    await inTheWay.query('begin; lock table gateramp.events in share mode');
    const child = spawn(process.execPath, [programs.gate, 'move', '--to', database.url], {
      env: { PATH: process.env['PATH'], ...inFolder() },
    });
    await eventually(async () => {
      const waits = await database.query(
        "select 1 from pg_locks where not granted and relation = 'gateramp.events'::regclass",
      );
      return waits.length > 0 ? true : null;
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await inTheWay.query('rollback');
    await inTheWay.end();
    expect(await database.query('select count(*)::int as many from gateramp.sessions')).toEqual([{ many: 3 }]);
    expect(await refused(inPostgres())).toContain('DATABASE_URL: a move into this database is not complete.');
    expect(await refused(inFolder())).toContain(`GATE_DATA_DIR: "${dir}" is being moved to postgres://`);

    // Any error of Postgres during the copy.
    await database.query('alter table gateramp.events add constraint none check (false) not valid');
    expect(await move()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The move was interrupted\. --to: Postgres says: .*\n.* Run the same command again/m),
    });
    await database.query('alter table gateramp.events drop constraint none');

    expect(await move()).toMatchObject({ code: 0 });
    const second = await started({ ...inPostgres(), ...demo });
    const again = await Promise.all([0, 1, 2].map(async (nth) => (await create(second.origins, `key-${nth}`)).body));
    expect(again).toEqual(sessions);
  });

  it('comes back to the folder, but not unawares once the database has been served', async () => {
    const { sessions, demo } = await aFolder();
    await gate('migrate', { DATABASE_URL: database.url });
    await database.query('alter table gateramp.events add constraint none check (false) not valid');
    expect((await move()).err).toContain('The move was interrupted.');
    const gone = await gate('move --to postgres://nobody@127.0.0.1:1/nowhere --back');
    expect(gone.err).toMatch(/^It is being moved to postgres:/);
    expect(await move(' --back')).toMatchObject({ code: 0, out: expect.stringContaining('is served again') });
    expect(await refused(inPostgres())).toContain('DATABASE_URL: the move into this database was undone');
    const back = await started({ ...inFolder(), ...demo });
    expect((await create(back.origins, 'key-0')).body).toBe(sessions[0]);
    await create(back.origins, 'key-3');
    await killed(back);
    expect((await move()).err).toMatch(/--to: The schema ".*" holds the data of another move/);

    await database.query('drop schema gateramp cascade');
    expect([(await move()).code, (await move(' --back')).code]).toEqual([0, 0]);
    const { host, pathname } = new URL(database.url);
    const place = ['installation.move_back', 'database', `postgres://${host}${pathname}`];
    expect(await moves(inFolder())).toEqual([place, place]);
    await database.query('drop schema gateramp cascade');
    expect(await move()).toMatchObject({ code: 0 });
    // A command that only reads has changed nothing.
    expect(await gate('partners list', inPostgres())).toMatchObject({ code: 0 });
    expect(await eventually(async () => unlessInUse(await move(' --back')))).toMatchObject({ code: 0 });
    await database.query('drop schema gateramp cascade');
    expect(await move()).toMatchObject({ code: 0 });
    const made = await gate('partners create --name Shop --origin https://shop.example', inPostgres());
    expect(made.code).toBe(0);
    expect((await eventually(async () => unlessInUse(await move(' --back')))).err).toContain(
      'That database has been served, or changed by a command',
    );
    const served = await started(inPostgres());
    expect((await move(' --back')).err).toContain('A server or a gate command is using that database');
    await killed(served);
    expect((await eventually(async () => unlessInUse(await move(' --back')))).err).toContain(
      'That database has been served',
    );
    expect(await move(' --back --lose-what-came-since')).toMatchObject({ code: 0 });
    await started(inFolder());
  });

  it.runIf(isDeep)('does not come back while a server runs that began at the same moment', async () => {
    await aFolder();
    expect(await move()).toMatchObject({ code: 0 });
    await killed(await started(inPostgres()));
    await eventually(async () => ((await serversThere()) === 0 ? true : null));
    const inTheWay = new pg.Client({ connectionString: database.url });
    await inTheWay.connect();
    await inTheWay.query('begin; lock table gateramp.settings in share mode');
    const back = move(' --back --lose-what-came-since');
    await eventually(async () => {
      const waits = await database.query(
        "select 1 from pg_locks where not granted and relation = 'gateramp.settings'::regclass",
      );
      return waits.length > 0 ? true : null;
    });
    // Connects as a server does. A real server may time out on the lock and exit before the check.
    const server = new pg.Client({ connectionString: database.url, application_name: 'gateramp all' });
    await server.connect();
    await inTheWay.query('rollback');
    await inTheWay.end();
    expect((await back).err).toContain('A server or a gate command is using that database');
    await server.end();
    expect(await refused(inFolder())).toContain('has moved to');
    await started(inPostgres());
  });
});

/** The moves that the audit trail records, newest first. */
async function moves(settings: Readonly<Record<string, string>>): Promise<readonly (readonly string[])[]> {
  const { out, err } = await gate('audit list --limit 500 --json', settings);
  expect(err).toBe('');
  expect((await gate('audit verify', settings)).out).toContain('The audit trail is intact');
  const entries = JSON.parse(out) as readonly { action: string; target: { type: string; id: string } }[];
  return entries
    .filter(({ action }) => action.startsWith('installation.'))
    .map(({ action, target }) => [action, target.type, target.id]);
}

const serversThere = async (): Promise<number> => {
  const [row] = await database.query(
    "select count(*)::int as many from pg_stat_activity where datname = current_database() and application_name like 'gateramp all%'",
  );
  return Number(row?.['many']);
};

/** Postgres notices the end of a process's connections with a short delay. */
function unlessInUse(ran: Ran): Ran | null {
  return ran.err.includes('A server or a gate command is using') ? null : ran;
}
