import { join } from 'node:path';

import { audit, overdueNow } from './audit/audit.mjs';
import { cutEvents } from './faults/cuts.mjs';
import { killEvents } from './faults/kills.mjs';
import { redisEvents } from './faults/redis-faults.mjs';
import { carryOut, told } from './faults/schedule.mjs';
import { pause } from './lib/ask.mjs';
import { chance, seedOf } from './lib/chance.mjs';
import { keepProviderLog, openWorld, startServers, stopServers, withClient } from './world.mjs';

/**
 * Runs the reference server in several processes under load while everything around it and in it is killed, cut, flushed and paused, and then
 * has the auditor compare what clients, receivers and the provider wrote down with what the database holds.
 *
 * @param {typeof import('./forms.mjs').FULL} form
 * @param {{ say?: (line: string) => void, inspect?: (finished: any) => Promise<void> }} options `say` hears what happens, a line at a time;
 *   `inspect` is given the finished run before its logs and its database are removed
 * @returns `folder` holds the logs where a law was missed
 */
export async function chaos(form, { say = () => undefined, inspect = async () => undefined } = {}) {
  const world = await openWorld(form);
  let passed = false;
  try {
    const run = await faultsUnderLoad(world, form, say);
    const result = await audit({ world, form, run });
    await inspect({ world, form, run, result });
    passed = result.rows.every((row) => row.isKept);
    return { ...result, passed, folder: passed ? null : world.folder };
  } finally {
    await world.close(!passed);
  }
}

async function faultsUnderLoad(world, form, say) {
  await startServers(world, form, { throughProxy: false, withRedis: false });
  await keepProviderLog(world);
  const receiver = await startReceiver(world, form);
  const shoppers = await startShoppers(world, form);
  const phases = {};
  const phase = async (name, servers, makeEvents, settings) => {
    if (servers !== null) await startServers(world, form, servers);
    world.phase = name;
    const events = makeEvents(chance(seedOf(form.seed, name)), settings, world);
    say(`${name}, ${settings.durationMs / 1000} s: ${told(events)}`);
    const from = Date.now();
    await Promise.race([
      carryOut(events, settings.durationMs),
      receiver.failed,
      ...shoppers.map(({ failed }) => failed),
    ]);
    phases[name] = { from, to: Date.now() };
  };
  await phase('crash', null, (luck, settings) => killEvents(luck, settings, world), form.crash);
  await phase('cuts', { throughProxy: true, withRedis: false }, cutEvents, form.cuts);
  await phase('redis', { throughProxy: false, withRedis: true }, redisEvents, form.redis);
  const lastFaultAt = Date.now();
  world.phase = 'quiet';
  shoppers.forEach(({ finish }) => finish());
  say(`race: ${form.race.requests} creates over ${form.race.keys} keys from ${form.race.processes} processes`);
  await race(world, form);
  await Promise.all(shoppers.map(({ ended }) => ended));
  await pause(Math.max(0, lastFaultAt + form.quietMs - Date.now()));
  const overdue = await withClient(world, (client) => overdueNow(client, form.overdueMs));
  const quietMs = Date.now() - lastFaultAt;
  await stopServers(world, 'SIGTERM');
  receiver.finish();
  await receiver.ended;
  return { phases, quietMs, overdue };
}

function startReceiver(world, form) {
  return world.help('partner-endpoints', {
    port: world.receiverPort,
    secrets: Object.fromEntries(world.partners.map(({ path, webhookSecret }) => [path, webhookSecret])),
    ...form.receivers,
    seed: seedOf(form.seed, 'receiver'),
    logPath: join(world.folder, 'receiver.ndjson'),
  });
}

/** The load is spread over all phases, a little faster than it must be. */
function startShoppers(world, form) {
  const { shoppers, crash, cuts, redis } = form;
  const durationMs = 0.95 * (crash.durationMs + cuts.durationMs + redis.durationMs);
  return Promise.all(
    Array.from({ length: shoppers }, (_, index) =>
      world.help('shopper', {
        name: `shopper-${index + 1}`,
        origins: world.origins,
        partners: world.partners.map(({ secretKey, publishableKey, origin }) => ({
          secretKey,
          publishableKey,
          origin,
        })),
        creates: Math.ceil(form.creates / shoppers),
        purchases: Math.ceil(form.purchases / shoppers),
        durationMs,
        inFlightMax: 1_000,
        finishWithinMs: form.finishWithinMs,
        seed: seedOf(form.seed, `shopper-${index}`),
        logPath: join(world.folder, `shopper-${index + 1}.ndjson`),
      }),
    ),
  );
}

async function race(world, form) {
  const { keys, requests, processes } = form.race;
  const names = Array.from({ length: keys }, (_, index) => `race-${index}`);
  const racers = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      world.help('racer', {
        origins: world.origins,
        partner: { secretKey: world.partners[0].secretKey, origin: world.partners[0].origin },
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
