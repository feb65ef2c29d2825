import { join } from 'node:path';

import { audit, overdueNow, type Finished, type Judgement } from './audit/audit.js';
import type { PhaseName, Run } from './audit/facts.js';
import { cutEvents } from './faults/cuts.js';
import { killEvents } from './faults/kills.js';
import { redisEvents } from './faults/redis-faults.js';
import { carryOut, summaryOf, type FaultEvent } from './faults/schedule.js';
import { pause } from './lib/ask.js';
import type { Form } from './forms.js';
import { chance, seedOf, type Chance } from './lib/chance.js';
import type { Helper } from './lib/helper-process.js';
import {
  hasten,
  keepProviderLog,
  openWorld,
  startServers,
  stopServers,
  withClient,
  type Connections,
  type World,
} from './world.js';

const hastenEveryMs = 400;
const catchesUpEveryMs = 200;

export type Say = (line: string) => void;

export interface ChaosResult extends Judgement {
  readonly passed: boolean;
  /** Keeps the logs if a law was broken. */
  readonly folder: string | null;
}

/**
 * Runs the reference server in several processes under load while processes, connections, Postgres and Redis are killed, cut,
 * flushed and paused. Then the auditor compares the logs of clients, receivers and the provider with the database. `say`
 * receives progress, one line at a time; `inspect` receives the finished run before its logs and its database are
 * removed.
 */
export async function chaos(
  form: Form,
  {
    say = () => undefined,
    inspect = async () => undefined,
  }: { readonly say?: Say; readonly inspect?: (finished: Finished) => Promise<void> } = {},
): Promise<ChaosResult> {
  const world = await openWorld(form);
  let passed = false;
  try {
    const run = await faultsUnderLoad(world, form, say);
    const result = await audit({ world, form, run });
    await inspect({ world, form, run });
    passed = result.rows.every((row) => row.isKept);
    return { ...result, passed, folder: passed ? null : world.folder };
  } finally {
    await world.close(!passed);
  }
}

async function faultsUnderLoad(world: World, form: Form, say: Say): Promise<Run> {
  await startServers(world, form, { throughProxy: false, withRedis: false });
  await keepProviderLog(world);
  const receiver = await startReceiver(world, form);
  const load = { durationMs: 0.95 * durationOf(form), inFlightMax: form.inFlightMax };
  const clients = [...(await startShoppers(world, form, load)), await startOffice(world, form, load.durationMs)];
  const stopHastening = startHastening(world);
  const phase = async (name: PhaseName, servers: Connections | null, eventsOf: (luck: Chance) => FaultEvent[]) => {
    if (servers !== null) await startServers(world, form, servers);
    world.phase = name;
    const { durationMs } = form[name];
    const events = eventsOf(chance(seedOf(form.seed, name)));
    say(`${name}, ${durationMs / 1000} s: ${summaryOf(events)}`);
    const from = Date.now();
    await Promise.race([carryOut(events, durationMs), receiver.failed, ...clients.map(({ failed }) => failed)]);
    return { from, to: Date.now() };
  };
  const phases = {
    crash: await phase('crash', null, (luck) => killEvents(luck, form.crash, world)),
    cuts: await phase('cuts', { throughProxy: true, withRedis: false }, (luck) => cutEvents(luck, form.cuts, world)),
    redis: await phase('redis', { throughProxy: false, withRedis: true }, (luck) =>
      redisEvents(luck, form.redis, world),
    ),
  };
  const lastFaultAt = Date.now();
  world.phase = 'quiet';
  await stopHastening();
  clients.forEach(({ finish }) => finish());
  say(`race: ${form.race.requests} creates over ${form.race.keys} keys from ${form.race.processes} processes`);
  await race(world, form);
  await Promise.all(clients.map(({ ended }) => ended));
  await pause(Math.max(0, lastFaultAt + form.quietMs - Date.now()));
  const overdue = await withClient(world, async (client) => {
    // A slow machine may need longer for the backlog.
    const until = Date.now() + form.catchUpMs;
    while (Date.now() < until && (await overdueNow(client, 0)).length > 0) await pause(catchesUpEveryMs);
    return overdueNow(client, form.overdueMs);
  });
  const quietMs = Date.now() - lastFaultAt;
  await stopServers(world, 'SIGTERM');
  receiver.finish();
  await receiver.ended;
  return { phases, quietMs, overdue };
}

/** The addresses of the servers and the receivers. */
export interface Stage extends Pick<World, 'folder' | 'origins' | 'checkouts' | 'partners' | 'receiverPort' | 'help'> {
  readonly office?: World['office'];
}

export function startReceiver(world: Stage, form: Form): Promise<Helper> {
  const { office } = world;
  return world.help('partner-endpoints', {
    port: world.receiverPort,
    endpoints: {
      ...Object.fromEntries(
        world.partners.map(({ path, webhookSecret }) => [path, { secret: webhookSecret, ...form.receivers }]),
      ),
      ...(office === undefined
        ? {}
        : { [office.path]: { secret: office.webhookSecret, failing: form.office.failing, hanging: 0 } }),
    },
    seed: seedOf(form.seed, 'receiver'),
    logPath: join(world.folder, 'receiver.ndjson'),
  });
}

/** The load is spread over most of the available time. */
export function startShoppers(
  world: Stage,
  form: Form,
  load: { readonly durationMs: number; readonly inFlightMax: number },
): Promise<Helper[]> {
  const { shoppers } = form;
  return Promise.all(
    Array.from({ length: shoppers }, (_, index) =>
      world.help('shopper', {
        name: `shopper-${index + 1}`,
        origins: world.origins,
        checkouts: world.checkouts,
        partners: world.partners.map(({ secretKey, publishableKey, origin }) => ({
          secretKey,
          publishableKey,
          origin,
        })),
        creates: Math.ceil(form.creates / shoppers),
        purchases: Math.ceil(form.purchases / shoppers),
        ...load,
        finishWithinMs: form.finishWithinMs,
        seed: seedOf(form.seed, `shopper-${index}`),
        logPath: join(world.folder, `shopper-${index + 1}.ndjson`),
      }),
    ),
  );
}

function durationOf({ crash, cuts, redis }: Form): number {
  return crash.durationMs + cuts.durationMs + redis.durationMs;
}

function startOffice(world: World, form: Form, durationMs: number): Promise<Helper> {
  const { secretKey, liveKey, pools } = world.office;
  return world.help('back-office', {
    origins: world.origins,
    poolsOrigins: world.poolsPorts.map((port) => `http://127.0.0.1:${port}`),
    keys: { test: secretKey, live: liveKey },
    pools,
    payments: form.office.payments,
    trades: form.office.trades,
    durationMs,
    finishWithinMs: form.finishWithinMs,
    seed: seedOf(form.seed, 'office'),
    logPath: join(world.folder, 'office-1.ndjson'),
  });
}

/** Repeats until stopped; skips rounds in which Postgres is down. */
function startHastening(world: World): () => Promise<void> {
  const course = { isOver: false };
  const going = (async () => {
    for (; !course.isOver; await pause(hastenEveryMs)) await hasten(world).catch(() => undefined);
  })();
  return () => {
    course.isOver = true;
    return going;
  };
}

export async function race(world: Stage, form: Form): Promise<void> {
  const { keys, requests, processes } = form.race;
  const [partner] = world.partners;
  if (partner === undefined) throw new Error('The world has no partner.');
  const names = Array.from({ length: keys }, (_, index) => `race-${index}`);
  const racers = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      world.help('racer', {
        origins: world.origins,
        partner: { secretKey: partner.secretKey, origin: partner.origin },
        keys: names,
        requests: requests / processes,
        inFlight: 16,
        seed: seedOf(form.seed, `racer-${index}`),
        logPath: join(world.folder, `racer-${index + 1}.ndjson`),
      }),
    ),
  );
  await Promise.all(racers.map(({ ended }) => ended));
}
