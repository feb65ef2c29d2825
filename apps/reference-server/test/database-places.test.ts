import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCertificate } from '../../../tests/services/certificate.js';
import { startPgBouncer } from '../../../tests/services/pgbouncer.js';
import { give, runAccount } from '../../../tests/services/postgres-binaries.js';
import { startPostgres } from '../../../tests/services/postgres.js';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { startTransactionPooler } from '../../../tests/services/transaction-pooler.js';
import { databaseHosts } from '../src/database/hosts.js';
import { migrateDatabase } from '../src/database/migrate-database.js';
import { databaseError, openDatabase, withPatientPool } from '../src/database/open-database.js';
import { MASTER_KEY } from './master-keys.js';
import { runGate } from './run-gate.js';
import { eventually, runServer } from './running-server.js';

const configOf = (url: string) => ({ url, connectionsMax: 2, isBehindProxy: false, isDistributed: false });
const faultOf = (url: string): Promise<string> =>
  migrateDatabase(configOf(url), () => undefined).then(
    () => 'none',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

/** The ports used by the server's own connections, and by those of a migration. */
async function portsOf(url: string): Promise<readonly unknown[]> {
  const ask = 'select inet_server_port() as port';
  const config = configOf(url);
  const patient = await withPatientPool(config, async (pool) => (await pool.query(ask)).rows[0]?.port as unknown);
  const database = openDatabase(config, 'gateramp test', () => undefined);
  onTestFinished(() => database.close());
  return [patient, (await database.opsPool.query(ask)).rows[0]?.port, (await database.pool.query(ask)).rows[0]?.port];
}

/** New transactions of open connections are affected too. */
async function makeReadOnly(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('alter system set default_transaction_read_only = on');
  await client.query('select pg_reload_conf()');
  await eventually(async () =>
    (await client.query('show default_transaction_read_only')).rows[0]?.default_transaction_read_only === 'on'
      ? true
      : null,
  );
  await client.end();
}

describe('DATABASE_URL', () => {
  it('names one host or several, or a Unix socket, without anything secret in what is shown', () => {
    expect(databaseHosts('postgres://u:secret@a:5432,b/gate?target_session_attrs=read-write&sslmode=require')).toEqual({
      urls: ['postgres://u:secret@a:5432/gate?sslmode=require', 'postgres://u:secret@b/gate?sslmode=require'],
      needsWrites: true,
      places: 'a:5432, b:5432',
      database: 'gate',
    });
    expect(databaseHosts('postgres://u@a/gate')).toMatchObject({ needsWrites: false, places: 'a:5432' });
    expect(databaseHosts('postgres://u@a,b/gate?target_session_attrs=any')).toMatchObject({ needsWrites: false });
    expect(databaseHosts('postgres://u@/gate?host=/var/run/postgresql')).toMatchObject({
      places: '/var/run/postgresql',
    });
    for (const wrong of [
      'mysql://a/b',
      'postgres://',
      'postgres:///gate',
      'postgres://a,/gate',
      'postgres://a/b?target_session_attrs=standby',
    ])
      expect(databaseHosts(wrong)).toBeNull();
  });

  it('with several hosts connects to the one that is reachable and accepts writes', async () => {
    const [primary, standby] = await Promise.all([
      startPostgres(),
      startPostgres({ settings: { default_transaction_read_only: 'on' } }),
    ]);
    onTestFinished(async () => void (await Promise.all([primary.stop(), standby.stop()])));
    const url = (...ports: readonly number[]) =>
      `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
    expect(await portsOf(url(1, primary.port))).toEqual([primary.port, primary.port, primary.port]);
    expect(await portsOf(url(standby.port, primary.port))).toEqual([primary.port, primary.port, primary.port]);
    expect(await portsOf(`${url(standby.port, primary.port)}?target_session_attrs=any`)).toEqual([
      standby.port,
      standby.port,
      standby.port,
    ]);
    expect(await faultOf(url(1, standby.port))).toMatch(
      /127\.0\.0\.1:1, 127\.0\.0\.1:\d+ cannot be reached \(The server is read-only/,
    );
  });

  it('with several hosts serves every process and command when the first is down or read-only, and stops using one that becomes read-only', async () => {
    const [old, next] = await Promise.all([startPostgres(), startPostgres()]);
    onTestFinished(async () => void (await Promise.all([old.stop(), next.stop()])));
    const places = [1, old.port, next.port].map((port) => `127.0.0.1:${port}`).join(',');
    const url = `postgres://postgres@${places}/postgres`;
    const settings = { DATABASE_URL: url, GATE_MASTER_KEY: MASTER_KEY };
    const ask = 'select inet_server_port() as port';
    const write = 'create table if not exists written (at int)';
    const database = openDatabase({ ...configOf(url), connectionsMax: 4 }, 'gateramp test', () => undefined);
    onTestFinished(() => database.close());
    const ports = async (): Promise<readonly unknown[]> => {
      const all = [database.pool, database.pool, database.pool, database.opsPool];
      const asked = await Promise.all(all.map((pool) => pool.query<{ port: number }>(ask)));
      return [...new Set(asked.map(({ rows }) => rows[0]?.port))];
    };
    expect(await ports()).toEqual([old.port]);
    await makeReadOnly(old.url);
    // The connections stay open: the first write finds out, and no connection is used for another statement.
    await eventually(async () => ((await database.pool.query(write).catch(() => null)) === null ? null : true));
    expect(await ports()).toEqual([next.port]);

    for (const command of ['migrate', 'partners list', 'recover status', 'audit verify', 'partition plan'])
      expect(await runGate(command, settings), command).toMatchObject({ code: 0 });
    for (const role of ['api', 'worker', 'all']) {
      const server = runServer({ ...settings, GATE_ROLE: role });
      onTestFinished(() => void server.process.kill('SIGKILL'));
      await server.printed(/"event":"ready"/);
      server.process.kill('SIGTERM');
      expect(await server.exited).toBe(0);
    }
  }, 300_000);

  it('may name a Unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gs-'));
    chmodSync(folder, 0o777);
    const postgres = await startPostgres({ settings: { unix_socket_directories: folder } });
    onTestFinished(async () => {
      await postgres.stop();
      rmSync(folder, { recursive: true });
    });
    expect(await portsOf(`postgres://postgres@/postgres?host=${folder}&port=${postgres.port}`)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('that cannot get TLS, or gets a certificate of an unknown authority, is refused with the reason', async () => {
    const { certificate, key, remove } = createCertificate();
    const account = runAccount();
    for (const path of [dirname(key), key]) give(path, account);
    const [plain, encrypted] = await Promise.all([
      startPostgres(),
      startPostgres({ settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key } }),
    ]);
    onTestFinished(async () => {
      await Promise.all([plain.stop(), encrypted.stop()]);
      remove();
    });
    expect(await faultOf(`${plain.url}?sslmode=verify-full`)).toContain('does not offer TLS, but sslmode requires it');
    expect(await faultOf(`${encrypted.url}?sslmode=verify-full`)).toContain(
      'a certificate that is not signed by a known authority',
    );
    expect(await faultOf(`${encrypted.url}?sslmode=verify-full&sslrootcert=${certificate}`)).toBe('none');
    const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    expect(String(databaseError(expired, plain.url))).toContain('an expired certificate');
  });

  it('that leads to a proxy which pools by transaction is refused without GATE_DATABASE_PROXY', async () => {
    const { url } = await scratchDatabase();
    for (const start of [startTransactionPooler, startPgBouncer]) {
      const pooler = await start(url);
      expect(await faultOf(pooler.url)).toContain('a transaction-pooling proxy is in use');
      expect(await migrateDatabase({ ...configOf(pooler.url), isBehindProxy: true }, () => undefined)).toEqual(
        expect.any(Array),
      );
      await pooler.stop();
    }
    expect(await faultOf(url)).toBe('none');
  });

  it('may lead through PgBouncer that pools by session and ignores start-up parameters', async () => {
    const { url } = await scratchDatabase();
    const ignored = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout';
    const pooler = await startPgBouncer(url, {
      pool_mode: 'session',
      default_pool_size: 8,
      ignore_startup_parameters: ignored,
    });
    onTestFinished(pooler.stop);
    expect(await faultOf(pooler.url)).toBe('none');
    const database = openDatabase(configOf(pooler.url), 'gateramp test', () => undefined);
    onTestFinished(() => database.close());
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
