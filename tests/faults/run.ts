import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build, type Loader } from 'esbuild';
import { startPostgres } from '../services/postgres.js';
import { suites, type Suite } from './faults.js';
import { plantedIn, type Fault } from './planted.js';
import type { Verdict } from './verdict.js';

/**
 * `npm run test:faults [-- memory | Postgres | part of a title]`: plants each fault in its store, runs the published laws of a store
 * on it, and prints the law that caught it. Fails if fewer than 95 % of either are caught, or if a law fails without a fault.
 */
const CAUGHT_MIN = 0.95;
const LIMIT_MS = 120_000;
const AT_ONCE = 2;

const root = join(import.meta.dirname, '../..');
const bundles = join(root, 'node_modules/.cache/gateramp/faults');
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.sql': 'text' };

async function main(): Promise<void> {
  mkdirSync(bundles, { recursive: true });
  const wanted = process.argv[2] ?? '';
  // One server for each lane, because some laws observe a whole server.
  const servers = await Promise.all(Array.from({ length: AT_ONCE }, () => startPostgres()));
  try {
    for (const suite of suites) {
      const chosen = suite.faults.filter(({ title }) => `${suite.store}: ${title}`.includes(wanted));
      const urls = servers.map(({ url }) => url);
      if (chosen.length > 0 && !(await caughtEnough({ ...suite, faults: chosen }, urls))) process.exitCode = 1;
    }
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
    rmSync(bundles, { recursive: true, force: true });
  }
}

async function caughtEnough(suite: Suite, urls: readonly string[]): Promise<boolean> {
  const sound = await judged(suite, null, { name: 'sound', url: urls[0] ?? '' });
  if (sound.caughtBy !== null) throw new Error(`Without any fault a law fails: ${sound.caughtBy}\n${sound.said}`);
  const verdicts = new Map<Fault, Verdict>();
  const waiting = [...suite.faults.entries()];
  const work = async (url: string): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [nth, fault] = next;
      verdicts.set(fault, await judged(suite, fault, { name: String(nth), url }));
    }
  };
  await Promise.all(urls.map(work));

  for (const fault of suite.faults) say(lineOf(fault, verdicts.get(fault)?.caughtBy ?? null));
  const caught = [...verdicts.values()].filter(({ caughtBy }) => caughtBy !== null).length;
  const share = caught / suite.faults.length;
  say(
    `\n${suite.store}: ${caught} of ${suite.faults.length} planted faults were caught (${(share * 100).toFixed(1)} %).\n`,
  );
  return share >= CAUGHT_MIN;
}

const lineOf = ({ title, file }: Fault, caughtBy: string | null): string =>
  caughtBy === null ? `MISSED  ${title} (${file})` : `caught  ${title}\n          by ${caughtBy}`;

interface Lane {
  readonly name: string;
  readonly url: string;
}

/** Runs the laws on the store with a fault in a separate thread, because a fault may never end. */
async function judged(suite: Suite, fault: Fault | null, { name, url }: Lane): Promise<Verdict> {
  const bundle = join(bundles, `${name}.mjs`);
  const folder = join(root, suite.folder);
  await build({
    entryPoints: [join(import.meta.dirname, suite.judge)],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@gateramp/source'],
    external: ['fast-check', 'neverthrow', 'zod', 'jose', 'undici', 'pg'],
    logLevel: 'error',
    plugins: [
      {
        name: 'plant',
        setup: (build) => {
          build.onLoad({ filter: /\/(src|sql)\/.*\.(ts|sql)$/ }, ({ path }) => {
            const loader = LOADERS[extname(path)] ?? 'ts';
            const text = readFileSync(path, 'utf8');
            const isWhere = fault !== null && relative(folder, path).replaceAll('\\', '/') === fault.file;
            return { contents: isWhere ? plantedIn(text, fault) : text, loader };
          });
        },
      },
    ],
  });
  return new Promise((resolve) => {
    const worker = new Worker(bundle, { workerData: url });
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
