import { join } from 'node:path';

import type { Period } from '../audit/facts.js';
import type { ChaosResult, Say } from '../chaos.js';
import type { HostileForm } from '../forms.js';
import { askUntilTaken, pause } from '../lib/ask.js';
import { memoryWatch, type MemoryWatch } from '../lib/memory-watch.js';
import { withClient } from '../world.js';
import { judgeHostile } from './hostile-laws.js';
import { readHostileFacts, type HostileFacts, type HostileRun } from './hostile-facts.js';
import { openHostileWorld, type HostilePartner, type HostileWorld } from './hostile-world.js';
import { isQuick } from './ways.js';

const askTimeoutMs = 60_000;
const turnMs = 10;
const lookMs = 100;
/** Freed pages return to the system shortly after a garbage collection. */
const sampledWithinMs = 500;

/**
 * Runs the reference server against hundreds of hostile receivers at once, and checks their attempts, its memory and a healthy
 * partner's events. The options are those of `chaos`; `inspect` receives the facts.
 */
export async function hostile(
  form: HostileForm,
  {
    say = () => undefined,
    inspect = () => undefined,
  }: { readonly say?: Say; readonly inspect?: (facts: HostileFacts) => void } = {},
): Promise<ChaosResult> {
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

async function hostilityUnderLoad(world: HostileWorld, form: HostileForm, say: Say): Promise<HostileRun> {
  await world.server.ready();
  const { secretKey } = world.healthy;
  const first = warmUp(world, form);
  const healthy = await world.help('healthy-partner', {
    port: world.healthyPort,
    origin: world.origin,
    secretKey,
    perSecond: form.healthy.perSecond,
    inFlightMax: form.inFlightMax,
    repeatsShed: form.isMachineShared,
    others: first.length,
    logPath: join(world.folder, 'healthy.ndjson'),
  });
  const watch = memoryWatch(world.server.pid);
  const refused: HostileRun['refused'] = [];
  await create(world, form, refused, first, form.warmUp.perSecond);
  await untilAttempted(world);
  await pause(form.warmUp.restMs);
  say(`healthy partner alone, ${form.baselineMs / 1000} s, ${form.healthy.perSecond} events a second`);
  const baseline = await span(() => pause(form.baselineMs));
  const before = await held(world, watch);
  say(`with ${form.receivers} receivers, each owed ${form.eventsEach}, ${form.waves} times: tame, then hostile`);
  const during: number[] = [];
  const look: Look = async () => void during.push(await held(world, watch));
  const wavesOf = (mood: Mood, lookAtThem: Look | null): Promise<Period> =>
    span(() => Promise.race([waves(world, form, refused, mood, lookAtThem), healthy.failed, world.endpoints.failed]));
  const tameness = await wavesOf('tame', null);
  const hostility = await wavesOf('hostile', look);
  watch.stop();
  healthy.finish();
  await healthy.ended;
  await world.server.stop('SIGTERM');
  world.endpoints.finish();
  await world.endpoints.ended;
  return {
    baseline,
    tameness,
    hostility,
    refused,
    memory: { before, during, peak: Math.max(...watch.samples.map(({ megabytes }) => megabytes)) },
  };
}

async function span(work: () => Promise<void>): Promise<Period> {
  const from = Date.now();
  await work();
  return { from, to: Date.now() };
}

/** A session to create, and the reference that its partner gives it. */
interface Create {
  readonly partner: HostilePartner;
  readonly reference: string;
}

type Look = () => Promise<void>;

/** The session's reference tells receivers whether to behave. */
type Mood = 'tame' | 'hostile';

const warmUp = ({ healthy }: HostileWorld, form: HostileForm): Create[] =>
  Array.from({ length: form.warmUp.creates }, () => ({ partner: healthy, reference: 'warm-up' }));

/** The heap of the server. */
async function held({ server }: HostileWorld, watch: MemoryWatch): Promise<number> {
  await server.collectGarbage();
  await pause(sampledWithinMs);
  return watch.samples.at(-1)?.megabytes ?? NaN;
}

/**
 * A wave has one event for each receiver; while slow receivers hold their connections, the quick ones get further events. In the last
 * wave, `look` is called while all attempts are open, and when they misbehave.
 */
async function waves(
  world: HostileWorld,
  form: HostileForm,
  refused: HostileRun['refused'],
  mood: Mood,
  look: Look | null,
): Promise<void> {
  const quick = world.hostile.filter(({ way }) => isQuick(way));
  for (let wave = 1; wave <= form.waves; wave += 1) {
    const owed = Array.from({ length: form.eventsEach }, () =>
      world.hostile.map((partner) => ({ partner, reference: `${mood}/${wave}` })),
    ).flat();
    await create(world, form, refused, owed, form.creates.perSecond);
    await untilBegun(world);
    const looks = look === null || wave < form.waves ? null : lookTwice(form, look);
    const more = Array.from({ length: form.creates.more }, (_, index) =>
      quick
        .slice(index % quick.length, (index % quick.length) + 1)
        .map((partner) => ({ partner, reference: `${mood}/more` })),
    ).flat();
    await create(world, form, refused, more, form.creates.morePerSecond);
    await untilAttempted(world);
    await looks;
  }
}

async function lookTwice(form: HostileForm, look: Look): Promise<void> {
  await look();
  await pause(form.gathering.holdMs);
  await look();
}

/** Creates sessions at a steady rate, or as fast as they are answered; each sends its partner one event. */
async function create(
  { origin }: HostileWorld,
  { inFlightMax, isMachineShared }: HostileForm,
  refused: HostileRun['refused'],
  creates: readonly Create[],
  perSecond: number,
): Promise<void> {
  const began = performance.now();
  const open = new Set<Promise<void>>();
  for (let asked = 0; asked < creates.length;) {
    const due = Math.ceil(((performance.now() - began) * perSecond) / 1000);
    for (const one of creates.slice(asked, Math.min(due, asked + inFlightMax - open.size))) {
      const answer = createOne(origin, isMachineShared, refused, one).finally(() => open.delete(answer));
      open.add(answer);
      asked += 1;
    }
    await pause(turnMs);
  }
  await Promise.all(open);
}

let keys = 0;

async function createOne(
  origin: string,
  repeatsShed: boolean,
  refused: HostileRun['refused'],
  { partner, reference }: Create,
): Promise<void> {
  const { status } = await askUntilTaken(repeatsShed, `${origin}/v1/gate_sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.secretKey}`, 'idempotency-key': `hostile-${(keys += 1)}` },
    body: { amount: '25.00', currency: 'EUR', return_url: partner.returnUrl, user_reference: reference },
    timeoutMs: askTimeoutMs,
  });
  if (status !== 201) refused.push({ partner: partner.id, reference, status });
}

/** Waits until the first attempt of each event so far is recorded. */
const untilAttempted = (world: HostileWorld): Promise<void> => untilNone(world, `lane = 'first'`);

const untilBegun = (world: HostileWorld): Promise<void> => untilNone(world, `lane = 'first' and lease_token is null`);

/** Ids begin with the milliseconds of their creation. */
async function untilNone(world: HostileWorld, condition: string): Promise<void> {
  const before = Date.now().toString(16).padStart(12, '0');
  const text = `select exists (select from gateramp.delivery_queue where id < $1 and ${condition}) as "isWaiting"`;
  await withClient(world, async (client) => {
    while ((await client.query<{ isWaiting: boolean }>(text, [before])).rows[0]?.isWaiting) await pause(lookMs);
  });
}
