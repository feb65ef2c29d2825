import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createTestGate } from '@gateramp/testing';
import { root } from './lib/workspaces.mjs';

/**
 * `npm run executed`: how many files of the engine a create over HTTP, an attempt to deliver and the settlement of a session execute, by
 * V8's coverage. A file counts if one of its functions runs; what runs as it is imported does not. With a name, the files are listed:
 * `npm run executed -- create`.
 */
const CORE = pathToFileURL(join(root, 'packages/core/src/')).href;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true });

const t = await createTestGate();
const key = t.keys.secret.test;
const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const create = (idempotencyKey: string) => t.request('POST', '/v1/gate_sessions', { key, body, idempotencyKey });

// Once before it is measured, so that what is made at the first call does not count.
const { json: first } = await create('warm');
await t.settle(String(first['id']));
await t.clock.advance('1m');

let created = '';
const executed = {
  create: await executedBy(async () => (created = String((await create('counted')).json['id']))),
  deliver: await executedBy(() => t.gate.runDue()),
  settle: await executedBy(() => t.settle(created)),
};
for (const [name, files] of Object.entries(executed)) {
  process.stdout.write(`${name}: ${files.length} files of the engine\n`);
  if (process.argv.includes(name)) process.stdout.write(files.map((file) => `  ${file}\n`).join(''));
}

async function executedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(CORE))
    .filter(({ functions }) => functions.some(({ ranges: [range] }) => range !== undefined && isCalled(range)))
    .map(({ url }) => relative(fileURLToPath(CORE), fileURLToPath(url)))
    .toSorted();
}

/** The function that begins with the file is the module itself. */
function isCalled({ startOffset, count }: { readonly startOffset: number; readonly count: number }): boolean {
  return startOffset > 0 && count > 0;
}
