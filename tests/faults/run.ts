import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { faults } from './faults.js';
import type { Verdict } from './judge.js';
import { plantedIn, type Fault } from './planted.js';

/**
 * `npm run test:faults [-- part of a title]`: plants each fault in the memory store, runs the published laws of a store over it, and says
 * which law caught it. Fails when fewer than 95 % are caught, or when a law fails without any fault.
 */
const CAUGHT_MIN = 0.95;
const LIMIT_MS = 60_000;
const AT_ONCE = 2;

const root = join(import.meta.dirname, '../..');
const store = join(root, 'packages/adapters-store-memory/src');
const folder = join(root, 'node_modules/.cache/gateramp/faults');

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sound = await judged(null, 'sound');
  if (sound.caughtBy !== null) throw new Error(`Without any fault a law fails: ${sound.caughtBy}\n${sound.said}`);
  const wanted = process.argv[2] ?? '';
  const chosen = faults.filter(({ title }) => title.includes(wanted));
  const verdicts = new Map<Fault, Verdict>();
  const waiting = [...chosen.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [nth, fault] = next;
      verdicts.set(fault, await judged(fault, String(nth)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  rmSync(folder, { recursive: true, force: true });

  for (const fault of chosen) say(lineOf(fault, verdicts.get(fault)?.caughtBy ?? null));
  const caught = [...verdicts.values()].filter(({ caughtBy }) => caughtBy !== null).length;
  const share = caught / chosen.length;
  say(`\n${caught} of ${chosen.length} planted faults were caught (${(share * 100).toFixed(1)} %).`);
  process.exitCode = share >= CAUGHT_MIN ? 0 : 1;
}

const lineOf = ({ title, file }: Fault, caughtBy: string | null): string =>
  caughtBy === null ? `MISSED  ${title} (${file})` : `caught  ${title}\n          by ${caughtBy}`;

/** The laws over the store with that fault, in a thread of their own: a fault may well be one that never ends. */
async function judged(fault: Fault | null, name: string): Promise<Verdict> {
  const bundle = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, 'judge.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@gateramp/source'],
    external: ['fast-check', 'neverthrow', 'zod', 'jose', 'undici'],
    logLevel: 'error',
    plugins: [
      {
        name: 'plant',
        setup: (build) => {
          build.onLoad({ filter: /adapters-store-memory\/src\/.*\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8');
            const isWhere = fault !== null && relative(store, path).replaceAll('\\', '/') === fault.file;
            return { contents: isWhere ? plantedIn(text, fault) : text, loader: 'ts' };
          });
        },
      },
    ],
  });
  return new Promise((resolve) => {
    const worker = new Worker(bundle);
    const give = (verdict: Verdict): void => {
      clearTimeout(limit);
      resolve(verdict);
      void worker.terminate();
    };
    const limit = setTimeout(() => give({ caughtBy: 'the time limit: a law never ended', said: '' }), LIMIT_MS);
    worker.once('message', (verdict: Verdict) => give(verdict));
    worker.once('error', (error) => give({ caughtBy: `an error outside any law: ${error.message}`, said: '' }));
  });
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await main();
