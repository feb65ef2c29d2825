import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MASTER_KEY } from '../../../apps/reference-server/test/master-keys.js';
import { eventually, readyServer, type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { startPostgres, type TestPostgres } from '../../services/postgres.js';
import { createSession, startBuyers, type Seen } from '../buyers.js';

const BUYERS = 8;
const CREATED_EACH = 40;

async function query<Row extends pg.QueryResultRow>({ url }: TestPostgres, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Two servers: the second streams from the first, which confirms a commit only once the second has it on its disk. */
async function replicated(): Promise<readonly [primary: TestPostgres, standby: TestPostgres]> {
  const primary = await startPostgres();
  await query(primary, 'checkpoint');
  await primary.kill();
  const standby = await startPostgres({
    copyOf: join(primary.folder, 'data'),
    files: { 'standby.signal': '' },
    settings: { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby` },
  });
  await primary.start();
  await query(primary, "alter system set synchronous_standby_names = '*'");
  await query(primary, 'select pg_reload_conf()');
  await eventually(async () => {
    const [row] = await query(primary, "select from pg_stat_replication where sync_state = 'sync'");
    return row ?? null;
  });
  return [primary, standby];
}

/** Every key names one session, also those of requests whose outcome was unknown; each announced itself once, and was delivered. */
async function expectEverythingIn(server: TestPostgres, seen: Seen): Promise<void> {
  expect(seen.unknown).toBeGreaterThan(0);
  const sessions = await query<{ id: string }>(server, 'select id from gateramp.sessions');
  expect(sessions.map(({ id }) => id).toSorted()).toEqual([...seen.acknowledged.values()].toSorted());
  const [events] = await query<{ many: string }>(
    server,
    "select count(*) as many from gateramp.events where type = 'gate_session.created'",
  );
  expect(Number(events?.many)).toBe(BUYERS * CREATED_EACH);
  await eventually(async () => {
    const [delivered] = await query<{ many: string }>(
      server,
      "select count(*) as many from gateramp.deliveries where status = 'delivered'",
    );
    return Number(delivered?.many) === BUYERS * CREATED_EACH ? true : null;
  });
}

describe('two Postgres servers in synchronous replication', { timeout: 900_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-failover-'));
  let primary: TestPostgres;
  let standby: TestPostgres;
  const servers: ReadyServer[] = [];
  const serve = async (...hosts: readonly TestPostgres[]): Promise<ReadyServer> => {
    const places = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const server = await readyServer({
      DATABASE_URL: `postgres://postgres@${places}/postgres?target_session_attrs=read-write`,
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_STATE_FILE: join(folder, 'acknowledged.json'),
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      GATE_RATE_LIMITS: 'off',
    });
    servers.push(server);
    return server;
  };
  const end = async (server: ReadyServer): Promise<void> => {
    server.process.kill('SIGTERM');
    await server.exited;
  };
  const databases: TestPostgres[] = [];
  const pair = async (): ReturnType<typeof replicated> => {
    const both = await replicated();
    databases.push(...both);
    return both;
  };
  beforeAll(async () => {
    [primary, standby] = await pair();
  });

  afterAll(async () => {
    for (const { process: child } of servers) child.kill('SIGKILL');
    await Promise.all(databases.map((one) => one.stop().catch(() => undefined)));
    rmSync(folder, { recursive: true, force: true });
  });

  it('lose nothing acknowledged when the first dies under load and the second takes over', async () => {
    const server = await serve(primary, standby);
    const seen = startBuyers(server, { buyers: BUYERS, each: CREATED_EACH });
    await Promise.race([seen.done, eventually(async () => (seen.acknowledged.size > 60 ? true : null))]);
    await primary.kill();
    await query(standby, 'select pg_promote()');
    await seen.done;
    await expectEverythingIn(standby, seen);
    await end(server);
  });

  it('are told apart when the old primary comes back: it is held, and the new one is served', async () => {
    await primary.start();
    // What an operator does who does not know that it is an old one: without its standby no commit would ever return.
    await query(primary, 'alter system reset synchronous_standby_names');
    await query(primary, 'select pg_reload_conf()');
    const old = await serve(primary);
    const refused = await createSession(old, 'on-the-old-primary');
    expect(refused?.status).toBe(503);
    expect(old.stderr()).toContain('history_changed');
    await end(old);
    const current = await serve(standby);
    expect((await createSession(current, 'on-the-new-primary'))?.status).toBe(201);
    await end(current);
  });

  it('lose nothing acknowledged when the first turns read-only under load and the second takes over', async () => {
    const [first, second] = await pair();
    const server = await serve(first, second);
    const seen = startBuyers(server, { buyers: BUYERS, each: CREATED_EACH });
    await Promise.race([seen.done, eventually(async () => (seen.acknowledged.size > 60 ? true : null))]);
    await query(first, 'alter system set default_transaction_read_only = on');
    await query(first, 'select pg_reload_conf()');
    await eventually(async () => (seen.unknown > 0 ? true : null));
    await query(second, 'select pg_promote()');
    await seen.done;
    await expectEverythingIn(second, seen);
    // The first still answers.
    expect(await query(first, 'show transaction_read_only')).toEqual([{ transaction_read_only: 'on' }]);
    await end(server);
  });
});
