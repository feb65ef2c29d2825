import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Scope } from '@gateramp/core';
import { DAY, LANES, isTerminal } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { ACME, BOLT, anEndpoint } from '../builders.js';
import type { Law } from '../law.js';
import { histories, type Command, type Round } from './model/history.js';
import { forgetHistory, keepHistory, keptHistory, MODEL_RUN, type History } from './model/model-run.js';
import { Trial } from './model/trial.js';
import { ALL_DELIVERIES, ALL_SESSIONS, idsOf, newest } from './queries.js';
import { withStore, type StoreSubject } from './store-subject.js';

/**
 * Compares random histories of concurrent requests and workers with a reference model. Commands that run concurrently may take effect in
 * any order; everything acknowledged must be stored afterwards.
 */
export const modelLaws: readonly Law<StoreSubject>[] = [
  {
    topic: 'Store: random histories',
    title:
      'holds every law in random histories: nothing acknowledged is lost, nothing refused leaves a trace, no work is leased twice',
    run: playHistories,
  },
];

async function playHistories(subject: StoreSubject): Promise<void> {
  const { runs, timeLimitMs, seed, keepIn } = { ...MODEL_RUN, ...subject.model };
  const kept = keptHistory(keepIn);
  const played = await fc.check(
    fc.asyncProperty(histories, (history) => withStore(subject, (store) => holds(store, history))),
    {
      numRuns: runs,
      interruptAfterTimeLimit: timeLimitMs,
      ...(seed === undefined ? {} : { seed }),
      ...(kept === null ? {} : { examples: [[kept]] }),
    },
  );
  const history = played.counterexample?.[0];
  if (played.failed && history !== undefined) {
    keepHistory(keepIn, history);
    throw new Error(faultOf(played.seed, history, played.errorInstance), { cause: played.errorInstance });
  }
  assert.ok(played.numRuns > 0, `not one history was played within ${timeLimitMs} ms`);
  forgetHistory(keepIn);
}

/** The failure, its history, and how to reproduce it. */
function faultOf(seed: number, history: History, error: unknown): string {
  return [
    `Property failed: a history was found that the store gets wrong (seed ${seed}: \`model: { seed: ${seed} }\` plays it again).`,
    error instanceof Error ? error.message : String(error),
    `The history, as short as it could be made; commands of one round run at once:`,
    ...history.map(({ elapse, commands }) => `  after ${elapse} ms: ${JSON.stringify(commands)}`),
  ].join('\n');
}

async function holds(store: Store, history: readonly Round[]): Promise<void> {
  await store.save('endpoint', anEndpoint(ACME));
  const trial = new Trial(store);
  for (const round of history) await trial.play(round);
  await drain(trial);
  await sessionsAreKept(store, trial);
  for (const scope of [ACME, BOLT]) await deliveriesMatchEvents(store, scope, trial);
  const counts = await Promise.all(
    [ACME, BOLT].map((scope) => store.readCounters(scope, [`finishes/${scope.partnerId}`])),
  );
  assert.equal(
    counts.flat().reduce((sum, count) => sum + Number(count), 0),
    trial.finishes,
  );
}

/** Abandoned claims can be claimed again, and after that nothing is due. */
async function drain(trial: Trial): Promise<void> {
  const claims: Command[] = [
    ...LANES.map((lane): Command => ({ kind: 'claim', lane, limit: 4, perEndpoint: 4 })),
    { kind: 'claimTasks', limit: 4 },
  ];
  const ends = Array.from({ length: 8 }, (_, nth): Command[] => [
    { kind: 'record', claim: nth, acknowledged: true },
    { kind: 'finish', claim: nth },
  ]).flat();
  for (let turn = 0; turn < 200 && trial.deliveries.unfinished + trial.tasks.unfinished > 0; turn += 1) {
    await trial.play({ elapse: DAY, commands: claims });
    await trial.play({ elapse: 0, commands: ends });
  }
  assert.equal(trial.deliveries.unfinished, 0, 'a delivery is stuck');
  assert.equal(trial.tasks.unfinished, 0, 'a task is stuck');
}

async function sessionsAreKept(store: Store, { sessions, now }: Trial): Promise<void> {
  for (const [id, { versions, events }] of sessions.lives) {
    const last = versions.at(-1);
    assert.ok(last !== undefined);
    const stored = await store.list('session_event', last, id);
    assert.deepEqual(await store.find('session', last, id), last, 'an acknowledged change was lost');
    assert.deepEqual(stored, events, 'events differ from those that were acknowledged');
    assert.deepEqual(
      stored.map((event) => event.sequence),
      stored.map((_, nth) => nth + 1),
      'a hole in the sequence',
    );
    const ends = stored.filter(({ type }) => /\.(completed|cancelled|expired)$/.test(type));
    assert.equal(ends.length, isTerminal(last) ? 1 : 0, 'a session has one terminal event exactly when it has ended');
  }
  for (const scope of [ACME, BOLT]) {
    const expected = [...sessions.lives]
      .filter(([, { versions }]) => versions[0]?.partnerId === scope.partnerId)
      .map(([id]) => id);
    const listed = idsOf(await store.list('session', scope, ALL_SESSIONS, newest(100), now));
    assert.deepEqual(listed, expected.sort().reverse(), 'a refused session is listed, or an acknowledged one is not');
  }
}

/** A delivery for every event of the partner with an endpoint, and none for the other. */
async function deliveriesMatchEvents(store: Store, scope: Scope, { sessions }: Trial): Promise<void> {
  for (const [sessionId, { events }] of sessions.lives) {
    const records = await store.list('delivery', scope, { ...ALL_DELIVERIES, sessionId }, newest(100));
    const expected =
      scope === ACME ? events.filter(({ partnerId }) => partnerId === ACME.partnerId).map(({ id }) => id) : [];
    assert.deepEqual(records.map(({ delivery }) => delivery.eventId).sort(), [...expected].sort());
    for (const { delivery, attempts } of records) {
      assert.deepEqual(
        [delivery.attemptCount, delivery.attemptsTotal],
        [attempts.length, attempts.length],
        'attempts are counted as they are recorded',
      );
      assert.ok(delivery.status === 'delivered' || delivery.status === 'dead_lettered', delivery.status);
    }
  }
}
