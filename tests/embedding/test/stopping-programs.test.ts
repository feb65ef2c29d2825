import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inProcessScheduler, memoryRateLimits } from '@gateramp/adapters-store-memory';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { createGate } from '@gateramp/core';
import pg from 'pg';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../tools/build.mjs';
import { freePort } from '../../services/ports.js';
import { scratchDatabase } from '../../services/scratch-database.js';
import { startLoad } from '../stopping/load.js';

const REQUESTS = 500;

const FOLDER = join(import.meta.dirname, '../stopping');

// The programs use the packages as they are published.
beforeAll(async () => void (await build()), 120_000);

/** The programs of docs/embedding.md, as processes on Postgres. */
it.each([
  ['express', '/sandbox'],
  ['fastify', '/sandbox'],
  ['node-http', ''],
])(
  '%s ends with 0 at SIGTERM and SIGINT, and every session that it created has been answered',
  async (name, prefix) => {
    const { url } = await scratchDatabase();
    const masterKey = randomBytes(32);
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    onTestFinished(() => pool.end());
    const key = await secretKeyIn(pool, masterKey);
    const port = await freePort();
    const env = {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL: url,
      GATE_MASTER_KEY: masterKey.toString('base64'),
    };
    const program = ['--import', 'tsx', join(FOLDER, `${name}.ts`)];
    const server = spawn(process.execPath, program, { env, stdio: ['ignore', 'inherit', 'pipe'] });
    let complaints = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const exited = once(server, 'exit');
    onTestFinished(() => void server.kill('SIGKILL'));

    const load = startLoad(`http://127.0.0.1:${port}${prefix}`, key);
    await Promise.race([load.created(REQUESTS), exited]);
    server.kill('SIGTERM');
    server.kill('SIGINT');
    expect(await exited, complaints).toEqual([0, null]);

    const asked = await load.end();
    const answered = asked.filter(({ status }) => status === 201);
    expect(answered.length).toBeGreaterThanOrEqual(REQUESTS);
    expect(asked.filter(({ status }) => ![201, 503, 'lost'].includes(status))).toEqual([]);
    // A session without an answer would be a request that was accepted and then lost.
    const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from gateramp.sessions');
    expect(rows).toEqual([{ count: answered.length }]);
  },
);

/** What a deployment does once: tables, a partner, a key. */
async function secretKeyIn(pool: pg.Pool, masterKey: Uint8Array): Promise<string> {
  await migrate(pool);
  const ports = { scheduler: inProcessScheduler(), limits: memoryRateLimits(), providers: [] };
  const { admin } = createGate({ store: postgresStore(pool), masterKey, ...ports });
  const origins = ['https://shop.example'];
  const partner = await admin.createPartner({ name: 'Acme', allowedOrigins: origins, rateLimitFactor: 1_000 });
  return (await admin.issueKey(partner.id, { mode: 'test', type: 'secret' })).text;
}
