import { join } from 'node:path';

import { ask, pause } from '../lib/ask.mjs';
import { memoryWatch } from '../lib/memory-watch.mjs';
import { withClient } from '../world.mjs';
import { judgeHostile } from './hostile-laws.mjs';
import { readHostileFacts } from './hostile-facts.mjs';
import { openHostileWorld } from './hostile-world.mjs';
import { isQuick } from './ways.mjs';

const askTimeoutMs = 30_000;
const turnMs = 10;
const lookMs = 100;
const collectedWithinMs = 500;

/**
 * Puts the reference server before hundreds of hostile receivers at once, and looks at what becomes of their attempts, of its memory and of a
 * healthy partner's events.
 *
 * @param {typeof import('../forms.mjs').FULL.hostile} form
 * @param {{ say?: (line: string) => void, inspect?: (facts: any) => void }} options as those of `chaos`; `inspect` is given the facts
 * @returns `folder` holds the logs where a law was missed
 */
export async function hostile(form, { say = () => undefined, inspect = () => undefined } = {}) {
  const world = await openHostileWorld(form);
  let passed = false;
  try {
    const run = await hostilityUnderLoad(world, form, say);
    const facts = await readHostileFacts({ world, form, run });
    inspect(facts);
    const result = judgeHostile(facts);
    passed = result.rows.every((row) => row.isKept);
    return { ...result, passed, folder: passed ? null : world.folder };
  } finally {
    await world.close(!passed);
  }
}

async function hostilityUnderLoad(world, form, say) {
  await world.server.ready();
  const { secretKey } = world.healthy;
  const first = warmUp(world, form);
  const healthy = await world.help('healthy-partner', {
    port: world.healthyPort,
    origin: world.origin,
    secretKey,
    perSecond: form.healthy.perSecond,
    others: first.length,
    logPath: join(world.folder, 'healthy.ndjson'),
  });
  const watch = memoryWatch(world.server.pid);
  const refused = [];
  await create(world, refused, first, form.warmUp.perSecond);
  await untilAttempted(world);
  await pause(form.warmUp.restMs);
  say(`healthy partner alone, ${form.baselineMs / 1000} s, ${form.healthy.perSecond} events a second`);
  const baseline = await span(() => pause(form.baselineMs));
  const before = await held(world, watch);
  say(`with ${form.receivers} hostile receivers, each owed ${form.eventsEach}, ${form.waves} times`);
  const during = [];
  const look = async () => during.push(await held(world, watch));
  const hostility = await span(() =>
    Promise.race([waves(world, form, refused, look), healthy.failed, world.endpoints.failed]),
  );
  watch.stop();
  healthy.finish();
  await healthy.ended;
  await world.server.stop('SIGTERM');
  world.endpoints.finish();
  await world.endpoints.ended;
  return {
    baseline,
    hostility,
    refused,
    memory: { before, during, peak: Math.max(...watch.samples.map(({ megabytes }) => megabytes)) },
  };
}

async function span(work) {
  const from = Date.now();
  await work();
  return { from, to: Date.now() };
}

const warmUp = ({ healthy }, form) =>
  Array.from({ length: form.warmUp.creates }, () => ({ partner: healthy, reference: 'warm-up' }));

/** What the server holds on to. */
async function held({ server }, watch) {
  server.collectGarbage();
  await pause(collectedWithinMs);
  return watch.samples.at(-1)?.megabytes ?? NaN;
}

/** A wave is one of everything; while its slow ones hold on, the quick ones are owed more and more. In the last, `look` while all are under way, and when they misbehave. */
async function waves(world, form, refused, look) {
  const quick = world.hostile.filter(({ way }) => isQuick(way));
  for (let wave = 1; wave <= form.waves; wave += 1) {
    const owed = Array.from({ length: form.eventsEach }, () =>
      world.hostile.map((partner) => ({ partner, reference: `wave/${wave}` })),
    ).flat();
    await create(world, refused, owed, form.creates.perSecond);
    await untilBegun(world);
    const looks = wave < form.waves ? null : lookTwice(form, look);
    const more = Array.from({ length: form.creates.more }, (_, index) => ({
      partner: quick[index % quick.length],
      reference: 'more',
    }));
    await create(world, refused, more, form.creates.morePerSecond);
    await untilAttempted(world);
    await looks;
  }
}

async function lookTwice(form, look) {
  await look();
  await pause(form.gathering.holdMs);
  await look();
}

/** Sessions at a steady rate, each of which owes its partner one event. */
async function create({ origin }, refused, creates, perSecond) {
  const began = performance.now();
  const answers = [];
  while (answers.length < creates.length) {
    const due = Math.min(creates.length, Math.ceil(((performance.now() - began) * perSecond) / 1000));
    while (answers.length < due) answers.push(createOne(origin, refused, creates[answers.length]));
    await pause(turnMs);
  }
  await Promise.all(answers);
}

let keys = 0;

async function createOne(origin, refused, { partner, reference }) {
  const { status } = await ask(`${origin}/v1/gate_sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.secretKey}`, 'idempotency-key': `hostile-${(keys += 1)}` },
    body: { amount: '25.00', currency: 'EUR', return_url: partner.returnUrl, user_reference: reference },
    timeoutMs: askTimeoutMs,
  });
  if (status !== 201) refused.push({ partner: partner.id, reference, status });
}

/** Until each event there is by now has its first attempt behind it, and on record. */
const untilAttempted = (world) => untilNone(world, `lane = 'first'`);

const untilBegun = (world) => untilNone(world, `lane = 'first' and lease_token is null`);

/** Ids begin with the milliseconds of their making. */
async function untilNone(world, condition) {
  const before = Date.now().toString(16).padStart(12, '0');
  const text = `select exists (select from gateramp.delivery_queue where id < $1 and ${condition}) as "isWaiting"`;
  await withClient(world, async (client) => {
    while ((await client.query(text, [before])).rows[0].isWaiting) await pause(lookMs);
  });
}
