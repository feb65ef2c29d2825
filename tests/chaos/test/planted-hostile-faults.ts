import type { AttemptRow, HostileFacts } from '../hostile/hostile-facts.js';
import type { Way } from '../hostile/ways.js';
import { some, type PlantedFault } from './planted.js';

/**
 * For each law of the chaos test's hostile part, a fault that breaks it, planted in the facts of a run. `plant` changes the facts it is
 * given, which are a copy.
 */
export const plantedHostileFaults: readonly PlantedFault<HostileFacts>[] = [
  {
    law: 'attempts at hostile receivers under way at the same time',
    plant: (facts) => Object.assign(facts, { attempts: facts.attempts.slice(0, 50) }),
  },
  {
    law: 'hostile receivers that nothing was sent to',
    plant: (facts) => Object.assign(facts, { held: facts.held.filter(({ endpoint }) => endpoint !== 3) }),
  },
  {
    law: 'events owed to hostile receivers without a first attempt on record',
    plant: (facts) => Object.assign(facts, { attempts: withoutAll(facts.attempts, hostileAttempt(facts)) }),
  },
  {
    law: 'attempts at hostile receivers that outlasted their time limit',
    plant: (facts) => Object.assign(hostileAttempt(facts), { took: facts.form.attemptEndsWithinMs + 1 }),
  },
  {
    law: 'attempts at hostile receivers that outlasted their time limit',
    plant: ({ form, held }) => Object.assign(some(held), { heldMs: form.attemptEndsWithinMs + 1 }),
  },
  {
    law: 'attempts recorded otherwise than receivers misbehaved',
    plant: (facts) => Object.assign(attemptAt(facts, 'redirects'), { status: 200, error: null }),
  },
  {
    law: 'attempts recorded otherwise than receivers misbehaved',
    plant: (facts) => Object.assign(attemptAt(facts, 'never_answers'), { error: 'connection_reset' }),
  },
  {
    law: 'attempts recorded otherwise than receivers misbehaved',
    plant: (facts) => Object.assign(attemptAt(facts, 'sends_gigabyte'), { kept: 65_536 }),
  },
  {
    law: 'requests that followed a redirect to a private address',
    plant: ({ ledAstray }) => ledAstray.push({ at: 0, path: '/' }),
  },
  {
    law: 'server memory held more under hostile receivers, MB',
    plant: ({ run: { memory } }) => memory.during.push(memory.before + 51),
  },
  {
    law: 'server memory held more under hostile receivers, MB',
    plant: ({ run: { memory } }) => Object.assign(memory, { during: [] }),
  },
  {
    law: 'healthy events measured during hostile receivers',
    plant: (facts) =>
      Object.assign(facts, { deliveries: facts.deliveries.filter(({ partner }) => partner !== facts.healthy) }),
  },
  {
    law: 'attempts acknowledged by receivers while they behaved',
    plant: ({ tameAttempts }) => tameAttempts.splice(0, Math.ceil(tameAttempts.length / 5)),
  },
  { law: 'healthy first attempts, p99 in ms next to hostile receivers', plant: (facts) => delay(facts, 0.02, 600_000) },
  {
    law: 'healthy first attempts, p99 in ms next to hostile receivers',
    plant: (facts) => delay(facts, 0.02, Infinity),
  },
  {
    law: 'healthy events not acknowledged at the first attempt',
    plant: (facts) =>
      Object.assign(
        some(facts.deliveries, ({ partner }) => partner === facts.healthy),
        { status: 'retrying' },
      ),
  },
  {
    law: 'creates refused next to hostile receivers',
    plant: ({ run }) => run.refused.push({ partner: 'hostile0', status: 503 }),
  },
  {
    law: 'creates refused next to hostile receivers',
    plant: ({ asked }) => Object.assign(some(asked), { status: null }),
  },
  {
    law: 'ends of the server under hostile receivers, other than ordered',
    plant: ({ exits }) =>
      exits.push({ name: 'server', code: null, signal: 'SIGABRT', wasOrdered: false, wasReady: true }),
  },
];

const withoutAll = (attempts: readonly AttemptRow[], { delivery }: AttemptRow): AttemptRow[] =>
  attempts.filter((each) => each.delivery !== delivery);

const hostileAttempt = ({ attempts, healthy }: HostileFacts): AttemptRow =>
  some(attempts, ({ partner }) => partner !== healthy);

function attemptAt({ attempts, receivers }: HostileFacts, way: Way): AttemptRow {
  const partners = new Set(receivers.filter((one) => one.way === way).map(({ partner }) => partner));
  return some(attempts, ({ partner }) => partners.has(partner));
}

/** A share of the events created while hostile receivers are active arrives later, or never. */
function delay({ arrived, deliveries, healthy, run }: HostileFacts, share: number, byMs: number): void {
  const { from, to } = run.hostility;
  const made = deliveries.filter(({ partner, created }) => partner === healthy && created >= from && created <= to);
  const events = new Set<string | null>(made.map(({ event }) => event));
  const during = arrived.filter(({ event }) => events.has(event));
  for (const one of during.slice(0, Math.ceil(during.length * share))) one.at += byMs;
}
