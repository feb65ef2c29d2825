import { err, ok } from 'neverthrow';
import type { Engine } from '../../application/engine.js';
import { replayable } from '../../application/idempotency/replayable.js';
import { advanceClock, type Fired } from '../../application/test-helpers/advance-clock.js';
import { SECOND } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { refuse } from '../../domain/refusal.js';
import { endpoint } from '../endpoint.js';
import { KEY_REFUSALS, TEST_HELPER } from '../presets.js';
import { clockResource } from './clock-resource.js';
import { ADVANCE_CLOCK_BODY, TEST_CLOCK } from './test-helper-schemas.js';

export const advanceClockEndpoint = endpoint({
  ...TEST_HELPER,
  name: 'advanceClock',
  path: '/v1/test_helpers/clock/advance',
  summary: 'Move test-mode time forward, running what comes due on the way',
  body: ADVANCE_CLOCK_BODY,
  reply: TEST_CLOCK,
  refusals: [...KEY_REFUSALS, 'route_not_found'],
  run: async ({ host, engine, caller, body, keyed, answer }) => {
    const { testClock, worker } = host;
    if (testClock === null) return refuse('route_not_found', 'This server has no test clock.');
    const done = await replayable(engine, caller.scope, keyed(clockResource), async () => {
      const { now, fired } = await advanceClock(engine, worker, testClock, body.seconds * SECOND);
      return ok({ now, fired: await ownOf(engine, caller.scope, fired) });
    });
    return done.isErr() ? err(done.error) : ok(answer(done.value, clockResource));
  },
});

/** The clock is everybody's, and so is what comes due; whose ids they are is shown to nobody else. */
async function ownOf({ store }: Engine, scope: Scope, fired: readonly Fired[]): Promise<readonly Fired[]> {
  const own: Fired[] = [];
  for (const one of fired) {
    const isOwn =
      one.type === 'delivery'
        ? (await store.find('delivery', scope, one.id)) !== null
        : (await store.find('task', scope.mode, one.id))?.partnerId === scope.partnerId;
    if (isOwn) own.push(one);
  }
  return own;
}
