import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startSilentProxy } from '../../../tests/services/silent-proxy.js';
import { migratedDatabase } from './run-gate.js';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';

interface Scene {
  readonly server: ReadyServer;
  /** Runs a statement as an administrator. */
  readonly run: (sql: string) => Promise<unknown>;
  readonly name: string;
  readonly create: (key: string) => Promise<number>;
  readonly ready: () => Promise<unknown>;
}

async function scene(): Promise<Scene> {
  const { settings, database } = await migratedDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  admin.on('error', () => undefined);
  await admin.connect();
  onTestFinished(() => admin.end());
  const server = await readyServer(settings);
  onTestFinished(() => void server.process.kill('SIGKILL'));
  const headers = (key: string) => ({ authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': key });
  const body = { amount: '10.00', currency: 'EUR', return_url: `${server.origins.demo}/` };
  return {
    server,
    run: (sql) => admin.query(sql),
    name: new URL(database.url).pathname.slice(1),
    create: async (key) => (await call(`${server.origins.sandbox}/v1/gate_sessions`, headers(key), body)).status,
    ready: async () => {
      const { status, json } = await call(`${server.origins.ops}/ready`);
      return `${status} ${json.status} ${String(json.cause)}`;
    },
  };
}

const until = (ready: Scene['ready'], state: string) =>
  eventually(async () => ((await ready()) === state ? state : null));

const linesOf = (server: ReadyServer, text: string): number => server.stderr().split(text).length - 1;

it('/ready says database_locked while a transaction holds a lock on a table of commits', async () => {
  const { ready, run } = await scene();
  await until(ready, '200 ready null');
  await run('begin');
  await run('lock table gateramp.sessions in access exclusive mode');
  await until(ready, '503 unavailable database_locked');
  await run('rollback');
  await until(ready, '200 ready null');
});

it('/ready says database_full while commits find no space', async () => {
  const { ready, run, create } = await scene();
  await run(`create function gateramp.refuse_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  await run(
    `create trigger no_space before insert on gateramp.settings for each row execute function gateramp.refuse_full()`,
  );
  await until(ready, '503 unavailable database_full');
  await run('drop trigger no_space on gateramp.settings');
  await until(ready, '200 ready null');
  // The rehearsal of a commit writes to a file of its own; what only commits notice counts as well.
  await run(
    `create trigger no_space before insert on gateramp.sessions for each row execute function gateramp.refuse_full()`,
  );
  for (let n = 0; n < 3; n += 1) expect(await create(`full-${n}`)).toBe(503);
  await until(ready, '503 unavailable database_full');
  await run('drop trigger no_space on gateramp.sessions');
  expect(await create('full-0')).toBe(201);
  await until(ready, '200 ready null');
});

it('/ready says database_read_only, and the outage is over only once a commit has succeeded', async () => {
  const { server, ready, run, name, create } = await scene();
  const disconnect = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
  await run(`alter database "${name}" set default_transaction_read_only = on`);
  await run(disconnect);
  await until(ready, '503 unavailable database_read_only');
  expect(await create('read-only')).toBe(503);
  await eventually(async () => (linesOf(server, '"msg":"Outage"') > 0 ? true : null));
  await run(`alter database "${name}" set default_transaction_read_only = off`);
  await run(disconnect);
  await until(ready, '200 ready null');
  expect(linesOf(server, '"msg":"Outage over"')).toBe(0);
  expect(await create('read-only')).toBe(201);
  await eventually(async () => (linesOf(server, '"msg":"Outage over"') > 0 ? true : null));
});

it.each(['closed', 'silent'] as const)('/ready says database_unreachable while its port is %s', async (fault) => {
  const { settings, database } = await migratedDatabase();
  const url = new URL(database.url);
  const proxy = await startSilentProxy(Number(url.port));
  onTestFinished(() => proxy.stop());
  url.host = `127.0.0.1:${proxy.port}`;
  const server = await readyServer({ ...settings, DATABASE_URL: url.href });
  onTestFinished(() => void server.process.kill('SIGKILL'));
  const ready = async () => String((await call(`${server.origins.ops}/ready`)).json.cause);
  await until(ready, 'null');
  if (fault === 'silent') proxy.fallSilent();
  else await proxy.stop();
  await until(ready, 'database_unreachable');
});
