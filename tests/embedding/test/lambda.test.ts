import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { inProcessScheduler, memoryRateLimits } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../tools/build.mjs';
import { scratchDatabase } from '../../services/scratch-database.js';
import { bundle } from '../lambda/bundle.js';

const run = promisify(execFile);
const here = import.meta.dirname;
const KEY = 'sk_test_lambda_secret_key';

// Bundles take what is published, so the packages are built first.
beforeAll(async () => void (await build()), 120_000);

describe.each(['esm', 'cjs'] as const)('a lambda bundled as %s', (format) => {
  it('creates a session on Postgres with nothing but its own file', async () => {
    const { url } = await scratchDatabase();
    const masterKey = randomBytes(32);
    await seed(url, masterKey);
    const folder = emptyFolder();
    const file = join(folder, format === 'esm' ? 'handler.mjs' : 'handler.cjs');
    await bundle(join(here, '../lambda/handler.ts'), file, format);
    const answer = await invoke(file, { DATABASE_URL: url, GATE_MASTER_KEY: masterKey.toString('base64') });
    expect(answer).toMatchObject({ statusCode: 201, headers: { 'content-type': expect.stringContaining('json') } });
    expect(JSON.parse(answer.body)).toMatchObject({ object: 'gate_session', status: 'open', mode: 'test' });
  });

  it('keeps a SQLite file, with its native part next to the bundle', async () => {
    const folder = emptyFolder();
    const entry = join(folder, 'entry.mjs');
    writeFileSync(
      entry,
      `import { sqliteStore } from '${resolved('packages/adapters-store-sqlite/dist/index.js')}';
       sqliteStore(process.env.FILE).swapSetting('written-by', null, 'the bundle').then(console.log);`,
    );
    const outfile = join(folder, `sqlite.${format === 'esm' ? 'mjs' : 'cjs'}`);
    await bundle(entry, outfile, format);
    mkdirSync(join(folder, 'node_modules'));
    for (const name of ['libsql', '@libsql', '@neon-rs', 'detect-libc'])
      symlinkSync(resolved(`node_modules/${name}`), join(folder, 'node_modules', name));
    const { stdout } = await run(process.execPath, [outfile], { env: { FILE: join(folder, 'gate.db') } });
    expect(stdout.trim()).toBe('the bundle');
  });
});

const resolved = (path: string): string => join(here, '../../..', path);

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-lambda-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a deployment does once: tables, a partner, a key. */
async function seed(url: string, masterKey: Uint8Array): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  await migrate(pool);
  const ports = { scheduler: inProcessScheduler(), limits: memoryRateLimits(), providers: [] };
  const { admin } = createGate({ store: postgresStore(pool), masterKey, ...ports });
  const partner = await admin.createPartner({ name: 'Acme', allowedOrigins: ['https://shop.example'] });
  await admin.addKey(partner.id, KEY);
  await pool.end();
}

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Runs the bundle in a process of its own, as the platform would, with one event. */
async function invoke(file: string, env: Readonly<Record<string, string>>): Promise<LambdaAnswer> {
  const event = {
    rawPath: '/v1/gate_sessions',
    rawQueryString: '',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': 'order-1' },
    body: JSON.stringify({ amount: '10.00', currency: 'EUR', return_url: 'https://shop.example/done' }),
    isBase64Encoded: false,
    requestContext: { http: { method: 'POST', sourceIp: '203.0.113.7' } },
  };
  const program = `import(process.argv[1]).then(({ handler }) => handler(JSON.parse(process.argv[2])))
    .then((answer) => { process.stdout.write(JSON.stringify(answer), () => process.exit(0)); });`;
  const { stdout } = await run(process.execPath, ['-e', program, file, JSON.stringify(event)], { env });
  // The program prints what the handler answers.
  return JSON.parse(stdout) as LambdaAnswer;
}
