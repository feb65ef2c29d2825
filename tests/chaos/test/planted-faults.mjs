/**
 * For each law of the chaos test's auditor, a fault that breaks it, planted in the facts of a run that kept them all. `plant` changes the
 * facts it is given, which are a copy.
 *
 * @type {{ law: string, plant: (facts: any) => unknown }[]}
 */
export const plantedFaults = [
  { law: 'creates acknowledged', plant: ({ acks, form }) => acks.splice(form.creates - 1) },
  {
    law: 'acknowledged sessions lost',
    plant: ({ acks, database }) => remove(database.sessions, ({ id }) => id === acks[0].session),
  },
  {
    law: 'sessions created twice for one key',
    plant: ({ database }) => database.sessions.push({ ...database.sessions[0], id: 'another' }),
  },
  { law: 'sessions nobody was told of', plant: ({ acks }) => acks.shift() },
  {
    law: 'keys that did not answer their original again',
    plant: ({ repeats }) => Object.assign(repeats[0], { sha: 'another' }),
  },
  { law: 'sessions of the race', plant: ({ database }) => remove(database.sessions, ({ key }) => key === 'race-3') },
  {
    law: 'answers of the race that are neither original, replay, 409 nor 422',
    plant: ({ races }) => Object.assign(races[0], { status: 500 }),
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
        received.find(({ sha }) => sha !== null),
        { sha: 'another' },
      ),
  },
  {
    law: 'deliveries with a wrong signature or event id',
    plant: ({ received }) =>
      Object.assign(
        received.find(({ sha }) => sha !== null),
        { isVerified: false },
      ),
  },
  {
    law: 'gaps or repeats in a sequence',
    plant: ({ database }) =>
      Object.assign(
        database.events.find(({ sequence }) => sequence === 2),
        { sequence: 3 },
      ),
  },
  { law: 'attempts that began over 7 s late while Redis was broken', plant: startLate },
  { law: 'purchases completed', plant: (facts) => Object.assign(facts, { bought: [], unfinished: [] }) },
  {
    law: 'purchases left unfinished',
    plant: ({ form, unfinished, bought }) =>
      Object.assign(form, { mayBeUnfinished: false }) && unfinished.push(bought[0]),
  },
  {
    law: 'completions told to a buyer that the database does not hold',
    plant: ({ bought }) => Object.assign(bought[0], { refid: 'another' }),
  },
  {
    law: 'intents stranded',
    plant: ({ database }) => Object.assign(database.intents[0], { status: 'processing', isDriven: false }),
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
    plant: ({ refused }) => Object.assign(refused[0], { status: 500 }),
  },
  {
    law: 'refusals other than 503 in the envelope, or 409 in progress',
    plant: ({ refused }) => Object.assign(refused[0], { isEnvelope: false }),
  },
  { law: 'refusals later than the time-out', plant: ({ refused }) => Object.assign(refused[0], { ms: 25_000 }) },
  { law: 'answers no client should get', plant: ({ wrong }) => wrong.push({ what: 'create', status: 400 }) },
  {
    law: 'requests unanswered while every process lived',
    plant: ({ unanswered, run }) => unanswered.push({ at: run.phases.cuts.from + 1, ms: 5, error: 'ECONNRESET' }),
  },
  {
    law: 'processes that ended by themselves',
    plant: ({ exits }) => exits.push({ name: 'api-1', code: 1, wasOrdered: false, wasReady: true, phase: 'cuts' }),
  },
];

function remove(rows, isOut) {
  rows.splice(rows.findIndex(isOut), 1);
}

/** An entry of the receivers' log whose event nothing but this entry acknowledges. */
function of(received, database, status) {
  const times = new Map();
  for (const { event, answered } of received) if (answered === 200) times.set(event, (times.get(event) ?? 0) + 1);
  const events = new Set(
    database.deliveries.filter((delivery) => delivery.status === status).map(({ event }) => event),
  );
  return received.find(({ event, answered }) => answered === 200 && events.has(event) && times.get(event) === 1);
}

/** As if the worker had thought the first event delivered that never left it. */
function forgetFirstEvent(facts) {
  const { acks, database } = facts;
  const event = database.events.find(
    ({ session, type }) => session === acks[0].session && type === 'gate_session.created',
  ).id;
  facts.received = facts.received.filter((entry) => entry.event !== event);
  Object.assign(
    database.deliveries.find((delivery) => delivery.event === event),
    { leaseUntil: null },
  );
}

function startLate({ database, run }) {
  const { from, to } = run.phases.redis;
  const delivery = database.deliveries.find(
    ({ created, id }) => created > from && created < to && database.attempts.some((attempt) => attempt.delivery === id),
  );
  database.attempts.find((attempt) => attempt.delivery === delivery.id && attempt.number === 1).started =
    delivery.created + 8_000;
}

const moves = ({ operations }) => [
  { operation: operations[0].operation, step: 'awaiting', books: { effects: [] } },
  { operation: operations[0].operation, step: 'moving', books: { effects: [] } },
];

/** A second attempt of a session that was paid for already. */
function chargeAgain({ database }) {
  const paid = database.intents.find(({ status }) => status === 'succeeded');
  database.intents.push({ ...paid, id: 'another', operation: 'op_another', status: 'failed' });
  database.operations.push({ operation: 'op_another', books: { effects: [{ kind: 'charge' }] } });
}
