import type { Period } from '../audit/facts.js';
import type { Judgement } from '../audit/audit.js';
import type { Counts, Found, Law } from '../audit/law.js';
import { groupBy } from '../audit/index-by.js';
import { percentile } from '../audit/percentile.js';
import { rowOf } from '../audit/row-of.js';
import type { AttemptRow, HostileFacts } from './hostile-facts.js';
import { WAYS } from './ways.js';

const memoryGrowsBelowMb = 50;
const keptCharactersMax = 1024;
const attemptLimitMs = 10_000;
/** The share of attempts: on a shared machine a healthy receiver may respond too late. */
const tameShareIfShared = 0.9;

export const HOSTILE_LAWS: readonly Law<HostileFacts>[] = [
  { law: 'attempts at hostile receivers under way at the same time', check: atOnce },
  { law: 'hostile receivers that nothing was sent to', check: spared },
  { law: 'events owed to hostile receivers without a first attempt on record', check: unattempted },
  { law: 'attempts at hostile receivers that outlasted their time limit', check: long },
  { law: 'attempts recorded otherwise than receivers misbehaved', check: misnamed },
  {
    law: 'requests that followed a redirect to a private address',
    check: ({ ledAstray }) => ({ breaches: ledAstray }),
  },
  { law: 'server memory held more under hostile receivers, MB', check: memory },
  { law: 'healthy events measured during hostile receivers', check: measured },
  { law: 'attempts acknowledged by receivers while they behaved', check: tame },
  { law: 'healthy first attempts, p99 in ms next to hostile receivers', check: healthyWaits },
  { law: 'healthy events not acknowledged at the first attempt', check: unacknowledged },
  { law: 'creates refused next to hostile receivers', check: refusals },
  {
    law: 'ends of the server under hostile receivers, other than ordered',
    check: ({ exits }) => ({ breaches: exits.filter(({ wasOrdered }) => !wasOrdered) }),
  },
];

/** The same facts give the same rows, so a fault planted in a copy is found. */
export function judgeHostile(facts: HostileFacts): Judgement {
  const rows = HOSTILE_LAWS.map(({ law, check }) => rowOf(law, check(facts)));
  return { rows, counts: countsOf(facts) };
}

/** According to the database; the next law checks what receivers saw. */
function atOnce({ form, attempts, deliveries, receivers }: HostileFacts): Found {
  const hostile = new Set(receivers.map(({ partner }) => partner));
  const edges = attempts
    .filter(({ partner }) => hostile.has(partner))
    .flatMap(({ started, took }) => [
      { at: started, by: 1 },
      { at: started + took, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, found] = [0, 0];
  for (const { by } of edges) found = Math.max(found, (now += by));
  if (!form.isMachineShared) return { found, atLeast: form.atOnce };
  const created = deliveries.filter(({ partner }) => hostile.has(partner)).map((delivery) => delivery.created);
  const owed = form.receivers * form.eventsEach;
  const share = mostWithin(created, form.gathering.waitsMs) / owed;
  return { found, atLeast: share >= 1 ? form.atOnce : Math.floor((form.atOnce * share) / 2) };
}

/** On a shared machine, creating a wave may take longer than its first attempts can wait for the last one. */
function mostWithin(instants: readonly number[], ms: number): number {
  const inOrder = instants.toSorted((one, other) => one - other);
  let [from, most] = [0, 0];
  for (const [to, at] of inOrder.entries()) {
    while (at - (inOrder[from] ?? at) > ms) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

function spared({ receivers, held }: HostileFacts): Found {
  const seen = new Set(held.map(({ endpoint }) => endpoint));
  return { breaches: receivers.filter(({ endpoint }) => !seen.has(endpoint)) };
}

function unattempted({ receivers, deliveries, attempts }: HostileFacts): Found {
  const hostile = new Set(receivers.map(({ partner }) => partner));
  const attempted = new Set(attempts.map(({ delivery }) => delivery));
  return { breaches: deliveries.filter(({ id, partner }) => hostile.has(partner) && !attempted.has(id)) };
}

/** By the engine's clock, or by the receiver's. */
function long({ form: { attemptEndsWithinMs }, attempts, held }: HostileFacts): Found {
  return {
    breaches: [
      ...attempts.filter(({ took }) => took > attemptEndsWithinMs),
      ...held.filter(({ heldMs }) => heldMs > attemptEndsWithinMs),
    ],
  };
}

function misnamed({ form, receivers, attempts }: HostileFacts): Found {
  const ways = new Map(receivers.map(({ partner, way }) => [partner, way]));
  const isRight = ({ partner, status, error, kept, took }: AttemptRow): boolean => {
    // A receiver that a shared machine slowed down too much has not responded.
    if (form.isMachineShared && error === 'timeout' && took >= attemptLimitMs) return status === null;
    const expected = WAYS[ways.get(partner) ?? 'never_answers'];
    return status === expected.status && error === expected.error && (kept ?? 0) <= keptCharactersMax;
  };
  const hostile = attempts.filter(({ partner }) => ways.has(partner));
  return { breaches: hostile.filter((one) => !isRight(one)).map((one) => ({ way: ways.get(one.partner), ...one })) };
}

/** The heap after a garbage collection; memory that was not measured breaks the law. */
function memory({ run }: HostileFacts): Found {
  const { before, during } = run.memory;
  const most = during.length === 0 ? NaN : Math.max(...during);
  return { found: Math.round((most - before) * 10) / 10, below: memoryGrowsBelowMb };
}

/** Without measurements the p99 law holds. */
function measured(facts: HostileFacts): Found {
  const { from, to } = facts.run.hostility;
  return {
    found: waits(facts, facts.run.hostility).length,
    atLeast: Math.floor(((to - from) / 1000) * facts.form.healthy.perSecond * facts.form.healthy.measured),
  };
}

/** The next law compares with receivers that behave, so they must have behaved. */
function tame({ form, tameAttempts }: HostileFacts): Found {
  const share = form.isMachineShared ? tameShareIfShared : 1;
  return {
    found: tameAttempts.filter(({ status }) => status === 200).length,
    atLeast: Math.floor(share * form.waves * (form.receivers * form.eventsEach + form.creates.more)),
  };
}

/** On a slow machine, at most twice the time that the same events take at receivers that behave. */
function healthyWaits(facts: HostileFacts): Found {
  const besideTame = percentile(waits(facts, facts.run.tameness), 0.99);
  return {
    found: percentile(waits(facts, facts.run.hostility), 0.99),
    below: Math.max(2 * besideTame, facts.form.healthy.p99BelowMs),
  };
}

/** From an event's creation to its arrival in the partner's log; infinite if it did not arrive. */
function waits({ healthy, deliveries, arrived }: HostileFacts, { from, to }: Period): number[] {
  const first = new Map<string | null, number>();
  for (const { event, at } of arrived) if (!first.has(event)) first.set(event, at);
  const made = deliveries.filter(({ partner, created }) => partner === healthy && created >= from && created <= to);
  return made.map(({ event, created }) => (first.get(event) ?? Infinity) - created);
}

function unacknowledged({ healthy, deliveries, attempts }: HostileFacts): Found {
  const tried = groupBy(attempts, ({ delivery }) => delivery);
  const isRight = ({ id, status }: HostileFacts['deliveries'][number]): boolean =>
    status === 'delivered' && tried.get(id)?.length === 1;
  return { breaches: deliveries.filter((one) => one.partner === healthy && !isRight(one)) };
}

function refusals({ run, asked }: HostileFacts): Found {
  return { breaches: [...run.refused, ...asked.filter(({ status }) => status !== 201)] };
}

function countsOf(facts: HostileFacts): Counts {
  const { run, receivers, attempts, held, asked } = facts;
  const ways = new Map(receivers.map(({ partner, way }) => [partner, way]));
  const hostile = attempts.filter(({ partner }) => ways.has(partner));
  const byWay = groupBy(hostile, ({ partner }) => ways.get(partner));
  const { before, during: looks, peak } = run.memory;
  const spread = (numbers: readonly number[]): string =>
    `${[0.5, 0.99, 1].map((share) => percentile(numbers, share)).join(' / ')} ms`;
  const during = asked.filter(({ at }) => at >= run.hostility.from && at <= run.hostility.to);
  return {
    'hostile attempts': [...byWay].map(([way, of]) => `${of.length} ${way}`).join(', '),
    'longest of them, by the engine / by the receiver': `${Math.max(0, ...hostile.map(({ took }) => took))} / ${Math.max(0, ...held.map(({ heldMs }) => heldMs))} ms`,
    'most of a gigabyte that was sent': `${(Math.max(0, ...held.map(({ sent }) => sent)) / 2 ** 20).toFixed(1)} MB`,
    'server memory before / during, collected / at its peak with garbage': `${[before, Math.max(...looks), peak].map((megabytes) => megabytes.toFixed(1)).join(' / ')} MB`,
    'healthy first attempts alone: p50 / p99 / latest': spread(waits(facts, run.baseline)),
    'healthy first attempts next to as many that behave: p50 / p99 / latest': spread(waits(facts, run.tameness)),
    'healthy first attempts next to hostile receivers: p50 / p99 / latest': spread(waits(facts, run.hostility)),
    'healthy creates next to hostile receivers: p50 / p99 / slowest': spread(during.map(({ ms }) => ms)),
    'hostile receivers for': `${((run.hostility.to - run.hostility.from) / 1000).toFixed(1)} s`,
  };
}
