import { spawnSync } from 'node:child_process';
import { DROPPED, torn } from '../../services/power-cut/disk-image.js';
import { readNotes, type Judgement } from '../audit/audit.js';
import type { Facts, Run } from '../audit/facts.js';
import type { Counts } from '../audit/law.js';
import { percentile } from '../audit/percentile.js';
import { rowOf } from '../audit/row-of.js';
import { race, startReceiver, startShoppers, type ChaosResult, type Say } from '../chaos.js';
import type { Form } from '../forms.js';
import { pause } from '../lib/ask.js';
import { chance, seedOf } from '../lib/chance.js';
import type { Supervised } from '../lib/supervised.js';
import { overdueInFile, PROVIDER_LOG, readFile } from './file-database.js';
import { FILE_LAWS } from './file-laws.js';
import { openFileWorld, type FileWorld } from './file-world.js';

/**
 * Runs the reference server in one process on one data file under load, with kills and power failures, and checks the result
 * against the laws. `inspect` receives the facts before the check.
 */
export async function fileChaos(
  whole: Form,
  {
    say = () => undefined,
    inspect = () => undefined,
  }: { readonly say?: Say; readonly inspect?: (facts: Facts) => void } = {},
): Promise<ChaosResult> {
  const form = { ...whole, creates: whole.file.creates, purchases: whole.file.purchases };
  const world = await openFileWorld();
  let passed = false;
  try {
    const { stoppedAt, ...run } = await faultsUnderLoad(world, form, say);
    const facts: Facts = {
      form,
      run,
      exits: world.exits,
      faults: world.counts,
      cuts: { links: 0, atRandom: 0, afterCommit: 0 },
      ...readNotes(world.folder, form),
      opening: {},
      database: readFile(world.database, stoppedAt),
    };
    inspect(facts);
    const result = judgeFile(facts);
    passed = result.rows.every(({ isKept }) => isKept);
    return { ...result, passed, folder: passed ? null : world.folder };
  } finally {
    await world.close(!passed);
  }
}

export function judgeFile(facts: Facts): Judgement {
  return { rows: FILE_LAWS.map(({ law, check }) => rowOf(law, check(facts))), counts: countsOf(facts) };
}

/** A shop that has had no answer for a while sends no further requests: the only process is down half of the time. */
const IN_FLIGHT_MAX = 24;
const LOOKS_EVERY_MS = 200;

async function faultsUnderLoad(world: FileWorld, form: Form, say: Say): Promise<Run & { stoppedAt: number }> {
  await keepProviderLog(world);
  const server = world.start();
  await server.ready();
  const receiver = await startReceiver(world, form);
  const shoppers = await startShoppers(world, form, {
    durationMs: form.file.loadMs,
    inFlightMax: IN_FLIGHT_MAX,
  });
  const from = Date.now();
  say(`one process on one file: ${form.file.kills} × kill -9 · ${form.file.powerCuts} × power cut`);
  await Promise.race([killOften(world, server, form), receiver.failed, ...shoppers.map(({ failed }) => failed)]);
  const to = Date.now();
  shoppers.forEach(({ finish }) => finish());
  await server.ready();
  await race(world, form);
  await Promise.all(shoppers.map(({ ended }) => ended));
  const quietUntil = Date.now() + form.file.quietMs;
  while (Date.now() < quietUntil && overdueInFile(world.database, 0).length > 0) await pause(LOOKS_EVERY_MS);
  const overdue = overdueInFile(world.database, form.overdueMs);
  const stoppedAt = Date.now();
  await server.stop('SIGTERM');
  receiver.finish();
  await receiver.ended;
  const never = { from: 0, to: 0 };
  return { phases: { crash: { from, to }, cuts: never, redis: never }, quietMs: stoppedAt - to, overdue, stoppedAt };
}

/** If a start takes longer than this, the server also runs longer before the next fault: clients wait for minutes only. */
const USUAL_START_MS = 1_000;
const SLOWNESS_MAX = 8;

/** Kills and power failures in random order, each after the server has run for a while. */
async function killOften(world: FileWorld, server: Supervised, { file, seed }: Form): Promise<void> {
  const luck = chance(seedOf(seed, 'file'));
  const kinds = [
    ...Array.from({ length: file.kills }, () => 'kill' as const),
    ...Array.from({ length: file.powerCuts }, () => 'cut' as const),
  ];
  const mixed = kinds.map((kind) => ({ kind, order: luck.next() })).sort((one, other) => one.order - other.order);
  for (const { kind } of mixed) {
    const began = performance.now();
    await server.ready();
    const slowness = (performance.now() - began) / USUAL_START_MS;
    await pause(luck.between(...file.servesMs) * Math.min(SLOWNESS_MAX, Math.max(1, slowness)));
    world.fate = kind === 'kill' ? null : luck.isHit(0.5) ? DROPPED : torn(luck.next);
    await server.kill();
    world.counts['server'] = (world.counts['server'] ?? 0) + 1;
  }
  world.fate = null;
}

/** Added to the file by a process on the same disk, while no server has it open. */
async function keepProviderLog(world: FileWorld): Promise<void> {
  const first = world.start();
  await first.ready();
  await first.stop();
  const script = `import('libsql').then(({ default: Libsql }) => { const file = new Libsql(process.argv[1]); file.exec(process.argv[2]); file.close(); })`;
  const made = spawnSync(process.execPath, ['-e', script, world.database, PROVIDER_LOG], {
    env: { ...process.env, ...world.disk.env },
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`The provider's log cannot be kept: ${made.stderr}`);
  world.disk.outlive();
}

function countsOf({ acks, unanswered, refused, received, database, faults, run }: Facts): Counts {
  const accepted = received.filter(({ answered }) => answered === 200).map(({ event }) => event);
  return {
    'creates acknowledged': acks.length,
    'of them after a refusal or a lost answer': acks.filter(({ tries }) => tries > 1).length,
    'kills / power cuts / calls that cuts took away': `${faults['server'] ?? 0} / ${faults['power_cut'] ?? 0} / ${faults['calls_forgotten'] ?? 0}`,
    'events / requests at the receivers': `${database.events.length} / ${received.length}`,
    'duplicates (acknowledged more than once)': accepted.length - new Set(accepted).size,
    'answers 503 / none': `${refused.filter(({ status }) => status === 503).length} / ${unanswered.length}`,
    'create p99, slowest with all tries': `${percentile(
      acks.map(({ ms }) => ms),
      0.99,
    )} / ${percentile(
      acks.map(({ allMs }) => allMs),
      1,
    )} ms`,
    'faults took': `${((run.phases.crash.to - run.phases.crash.from) / 1000).toFixed(0)} s`,
  };
}
