import type { DatabaseFacts } from '../audit/database-facts.js';
import type { Facts, Received } from '../audit/facts.js';
import { some, type PlantedFault } from './planted.js';
import { plantedOfficeFaults } from './planted-office-faults.js';

/**
 * For each law of the chaos test's auditor, a fault that breaks it, planted in the facts of a run that broke none. `plant` changes the
 * facts it is given, which are a copy.
 */
export const plantedFaults: readonly PlantedFault<Facts>[] = [
  { law: 'creates acknowledged', plant: ({ acks, form }) => acks.splice(form.creates - 1) },
  {
    law: 'acknowledged sessions lost',
    plant: ({ acks, database }) => remove(database.sessions, ({ id }) => id === some(acks).session),
  },
  {
    law: 'sessions created twice for one key',
    plant: ({ database }) => database.sessions.push({ ...some(database.sessions), id: 'another' }),
  },
  { law: 'sessions that no answer named', plant: ({ acks }) => acks.shift() },
  {
    law: 'keys that did not answer their original again',
    plant: ({ repeats }) => Object.assign(some(repeats), { sha: 'another' }),
  },
  { law: 'sessions of the race', plant: ({ database }) => remove(database.sessions, ({ key }) => key === 'race-3') },
  {
    law: 'answers of the race that are neither original, replay, 409, 422 nor shed',
    plant: ({ races }) => Object.assign(some(races), { status: 500 }),
  },
  {
    law: 'events missing for what sessions and intents have been through',
    plant: ({ database }) => remove(database.events, ({ type }) => type === 'gate_session.completed'),
  },
  { law: 'events lost on their way', plant: ({ database }) => database.deliveries.shift() },
  {
    law: 'events lost on their way',
    plant: ({ received, database }) => Object.assign(of(received, database, 'delivered'), { answered: 500 }),
  },
  { law: 'acknowledged sessions whose first event no receiver has seen', plant: forgetFirstEvent },
  {
    law: 'events that changed a byte between attempts',
    plant: ({ received }) =>
      Object.assign(
        some(received, ({ sha }) => sha !== null),
        { sha: 'another' },
      ),
  },
  {
    law: 'deliveries with a wrong signature or event id',
    plant: ({ received }) =>
      Object.assign(
        some(received, ({ sha }) => sha !== null),
        { isVerified: false },
      ),
  },
  {
    law: 'gaps or repeats in a sequence',
    plant: ({ database }) =>
      Object.assign(
        some(database.events, ({ sequence }) => sequence === 2),
        { sequence: 3 },
      ),
  },
  { law: 'attempts that began late while Redis was broken', plant: startLate },
  { law: 'purchases completed', plant: (facts) => Object.assign(facts, { bought: [], unfinished: [] }) },
  {
    law: 'purchases left unfinished',
    plant: ({ form, unfinished, bought }) =>
      Object.assign(form, { mayBeUnfinished: false }) && unfinished.push(some(bought)),
  },
  {
    law: 'completions shown to a buyer that the database does not hold',
    plant: ({ bought }) => Object.assign(some(bought), { refid: 'another' }),
  },
  {
    law: 'intents stranded',
    plant: ({ database }) => Object.assign(some(database.intents), { status: 'processing', isDriven: false }),
  },
  {
    law: 'tasks and deliveries parked',
    plant: ({ database }) => database.parked.push({ id: 'one', kind: 'provider_start' }),
  },
  {
    law: 'provider operations doubled',
    plant: ({ database }) => database.provider.push(...moves(database), ...moves(database)),
  },
  { law: 'sessions charged other than once for their completion', plant: chargeAgain },
  { law: 'kills of an API process', plant: ({ faults }) => Object.assign(faults, { api: 0 }) },
  { law: 'kills of a worker', plant: ({ faults }) => Object.assign(faults, { worker: 0 }) },
  { law: 'kills of Postgres', plant: ({ faults }) => Object.assign(faults, { postgres: 0 }) },
  { law: 'commits cut after they were sent', plant: ({ cuts }) => Object.assign(cuts, { afterCommit: 0 }) },
  {
    law: 'due for too long without a live lease, some time after the last fault',
    plant: ({ run }) => run.overdue.push({ what: 'delivery', id: 'one', for_ms: 70_000 }),
  },
  {
    law: 'refusals other than 503 in the envelope, or 409 in progress',
    plant: ({ refused }) => Object.assign(some(refused), { status: 500 }),
  },
  {
    law: 'refusals other than 503 in the envelope, or 409 in progress',
    plant: ({ refused }) => Object.assign(some(refused), { isEnvelope: false }),
  },
  {
    law: 'refusals later than the time-out',
    plant: ({ form, refused }) => Object.assign(some(refused), { ms: form.answersWithinMs + 1_000 }),
  },
  {
    law: 'answers no client should get',
    plant: ({ wrong }) => wrong.push({ what: 'create', at: 0, key: null, status: 400 }),
  },
  {
    law: 'requests unanswered while every process lived',
    plant: ({ unanswered, run }) =>
      unanswered.push({ what: 'create', at: run.phases.cuts.from + 1, ms: 5, error: 'ECONNRESET' }),
  },
  {
    law: 'processes that ended by themselves',
    plant: ({ exits }) =>
      exits.push({
        name: 'api-1',
        code: 1,
        signal: null,
        wasOrdered: false,
        wasReady: true,
        phase: 'cuts',
        at: 0,
      }),
  },
  ...plantedOfficeFaults,
];

function remove<Row>(rows: Row[], isOut: (row: Row) => boolean): void {
  rows.splice(rows.findIndex(isOut), 1);
}

/** An entry of the receivers' log that is the only acknowledgement of its event. */
function of(received: readonly Received[], database: DatabaseFacts, status: string): Received {
  const times = new Map<string | null, number>();
  for (const { event, answered } of received) if (answered === 200) times.set(event, (times.get(event) ?? 0) + 1);
  const events = new Set(
    database.deliveries.filter((delivery) => delivery.status === status).map(({ event }) => event),
  );
  return some(received, ({ event, answered }) => answered === 200 && events.has(event ?? '') && times.get(event) === 1);
}

/** As if the worker had recorded a delivery that was never sent. */
function forgetFirstEvent(facts: Facts): void {
  const { acks, database } = facts;
  const first = some(acks);
  const event = some(
    database.events,
    ({ session, type }) => session === first.session && type === 'gate_session.created',
  ).id;
  facts.received = facts.received.filter((entry) => entry.event !== event);
  Object.assign(
    some(database.deliveries, (delivery) => delivery.event === event),
    { leaseUntil: null },
  );
}

function startLate({ database, form, run }: Facts): void {
  const { from, to } = run.phases.redis;
  const delivery = some(
    database.deliveries,
    ({ created, id }) => created > from && created < to && database.attempts.some((attempt) => attempt.delivery === id),
  );
  some(database.attempts, (attempt) => attempt.delivery === delivery.id && attempt.number === 1).started =
    delivery.created + form.startsWithinMs + 1_000;
}

const moves = ({ operations }: DatabaseFacts): DatabaseFacts['provider'] => [
  { operation: some(operations).operation, step: 'awaiting', books: { effects: [] } },
  { operation: some(operations).operation, step: 'moving', books: { effects: [] } },
];

/** A second attempt of a session that has been paid. */
function chargeAgain({ database }: Facts): void {
  const completed = new Set(database.sessions.filter(({ status }) => status === 'completed').map(({ id }) => id));
  // A payment over rails has an intent without a session.
  const paid = some(database.intents, ({ status, session }) => status === 'succeeded' && completed.has(session));
  database.intents.push({ ...paid, id: 'another', operation: 'op_another', status: 'failed' });
  database.operations.push({
    operation: 'op_another',
    books: { effects: [{ kind: 'charge', amount: '25.00', currency: 'EUR', at: 0 }] },
  });
}
