import type { DatabaseFacts, EventRow } from './database-facts.js';
import type { Ack, Facts } from './facts.js';
import type { Found, Law } from './law.js';
import { groupBy, indexBy } from './index-by.js';

const attemptsMax = 5;
const gapsMs = [60_000, 300_000, 1_800_000, 7_200_000];

/** For every store that the servers use. */
export const TELLING_LAWS: readonly Law<Facts>[] = [
  { law: 'events missing for what sessions and intents have been through', check: missing },
  { law: 'events lost on their way', check: lost },
  { law: 'acknowledged sessions whose first event no receiver has seen', check: unseen },
  { law: 'events that changed a byte between attempts', check: changed },
  { law: 'deliveries with a wrong signature or event id', check: unsigned },
  { law: 'gaps or repeats in a sequence', check: gaps },
];

export const DELIVERY_LAWS: readonly Law<Facts>[] = [
  ...TELLING_LAWS,
  { law: 'attempts that began late while Redis was broken', check: late },
];

/** The number of events of a type for a session. */
type Expectation = readonly [session: string, type: string, times: number];

/** The events that must exist, derived from the state only. */
function missing({ database }: Facts): Found {
  const types = new Map<string, number>();
  for (const { session, type } of database.events) {
    const key = `${session} ${type}`;
    types.set(key, (types.get(key) ?? 0) + 1);
  }
  const failed = groupBy(
    database.intents.filter(({ status }) => status === 'failed'),
    ({ session }) => session,
  );
  const expected = database.sessions.flatMap(({ id, status }): Expectation[] => [
    [id, 'gate_session.created', 1],
    ...(status === 'completed'
      ? ([
          [id, 'gate_session.completed', 1],
          [id, 'gate_session.processing', 1],
        ] as const)
      : ([[id, 'gate_session.completed', 0]] as const)),
    [id, 'gate_session.failed', failed.get(id)?.length ?? 0],
  ]);
  const isAnnounced = ([id, type, times]: Expectation): boolean => (types.get(`${id} ${type}`) ?? 0) === times;
  return {
    breaches: expected
      .filter((one) => !isAnnounced(one))
      .map(([session, type, times]) => ({ session, type, times, found: types.get(`${session} ${type}`) ?? 0 })),
  };
}

/**
 * An event is safe while its delivery is queued. One that left the queue was acknowledged, according to the receivers' log,
 * or has used up its attempts.
 */
function lost({ database, received }: Facts): Found {
  const deliveries = groupBy(database.deliveries, ({ event }) => event);
  const acknowledged = new Set(received.filter(({ answered }) => answered === 200).map(({ event }) => event));
  const isSafe = ({ id }: EventRow): boolean => {
    const [delivery, ...others] = deliveries.get(id) ?? [];
    if (delivery === undefined || others.length > 0) return false;
    if (delivery.status === 'delivered') return acknowledged.has(id) && !delivery.isQueued;
    if (delivery.status === 'dead_lettered') return delivery.attempts === attemptsMax;
    return delivery.isQueued;
  };
  return { breaches: database.events.filter((event) => !isSafe(event)) };
}

/** From the client's log to the receiver's; only deliveries with a current lease may be missing. */
function unseen({ acks, received, database }: Facts): Found {
  const seen = new Set(received.map(({ event }) => event));
  const leased = new Set(
    database.deliveries
      .filter(({ leaseUntil }) => leaseUntil !== null && leaseUntil > nowOf(database))
      .map(({ event }) => event),
  );
  const firsts = indexBy(
    database.events.filter(({ type }) => type === 'gate_session.created'),
    ({ session }) => session,
  );
  const isSeen = ({ session }: Ack): boolean => {
    const event = firsts.get(session)?.id;
    return event !== undefined && (seen.has(event) || leased.has(event));
  };
  return { breaches: acks.filter((ack) => !isSeen(ack)).map(({ key, session }) => ({ key, session })) };
}

function changed({ database, received }: Facts): Found {
  const stored = indexBy(database.events, ({ id }) => id);
  return { breaches: received.filter(({ event, sha }) => sha !== null && stored.get(event ?? '')?.sha !== sha) };
}

function unsigned({ received }: Facts): Found {
  return {
    breaches: received.filter(
      ({ sha, isVerified, event, bodyEvent }) => sha !== null && (!isVerified || event !== bodyEvent),
    ),
  };
}

/** In the database and in the receivers' logs. */
function gaps({ database, received }: Facts): Found {
  const broken = [
    ...groupBy(
      database.events.filter(({ session }) => session !== null),
      ({ session }) => session,
    ),
  ].filter(([, events]) => {
    const numbers = events.map(({ sequence }) => sequence).sort((a, b) => a - b);
    return numbers.some((number, index) => number !== index + 1);
  });
  const sent = groupBy(
    received.filter(({ sequence }) => typeof sequence === 'number'),
    ({ session, sequence }) => `${session} ${sequence}`,
  );
  const repeated = [...sent].filter(([, entries]) => new Set(entries.map(({ event }) => event)).size > 1);
  return { breaches: [...broken.map(([session]) => ({ session })), ...repeated.map(([place]) => ({ place }))] };
}

/** All attempts that became due in the Redis phase: the first with the event, later ones a fixed gap after the previous one ended. */
function late(facts: Facts): Found {
  return { breaches: lateness(facts).filter(({ lateMs }) => lateMs > facts.form.startsWithinMs) };
}

const nowOf = ({ clock }: DatabaseFacts): number => clock[0]?.now ?? NaN;

export function lateness({
  database,
  run,
}: Pick<Facts, 'database' | 'run'>): { delivery: string; attempt: number; lateMs: number }[] {
  const { from, to } = run.phases.redis;
  const attempts = groupBy(database.attempts, ({ delivery }) => delivery);
  return database.deliveries.flatMap((delivery) => {
    const inOrder = (attempts.get(delivery.id) ?? []).sort((a, b) => a.number - b.number);
    const dues = [
      delivery.created,
      ...inOrder.map(({ started, took }, index) => started + took + (gapsMs[index] ?? Infinity)),
    ];
    return dues.flatMap((due, index) => {
      if (due < from || due > to || (delivery.status === 'delivered' && index >= inOrder.length)) return [];
      return [
        {
          delivery: delivery.id,
          attempt: index + 1,
          lateMs: Math.round((inOrder[index]?.started ?? nowOf(database)) - due),
        },
      ];
    });
  });
}
