import { renderIntent } from '../../application/intents/read-intents.js';
import { err, ok } from 'neverthrow';
import type { Engine } from '../../application/engine.js';
import { replayable } from '../../application/idempotency/keyed.js';
import {
  advanceClock,
  type Fired,
  modeClock,
  sandboxClock,
  type SteppableClock,
  SteppedElsewhere,
} from '../../application/test-helpers/advance-clock.js';
import { simulate } from '../../application/test-helpers/simulate.js';
import { DAY, SECOND } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { INTENT_REFUSALS } from '../embed/endpoints.js';
import { GATE_INTENT } from '../embed/intent-schemas.js';
import type { Worker } from '../../application/work/worker.js';
import { endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { KEY_REFUSALS, TEST_HELPER, TEST_HELPER_READ } from '../presets.js';
import { ADVANCE_CLOCK_BODY, clockResource, SIMULATE_BODY, TEST_CLOCK } from './schemas.js';

/** Maximum lead of a test clock over the wall clock. It never moves back. */
const CLOCK_AHEAD_MAX = 7_300 * DAY;

export const simulateEndpoint = endpoint({
  ...TEST_HELPER,
  name: 'simulate',
  path: '/v1/test_helpers/gate_sessions/{id}/simulate',
  summary: 'Simulate a checkout scenario',
  body: SIMULATE_BODY,
  reply: GATE_INTENT,
  // Includes the refusals of the buyer's own calls.
  refusals: [...INTENT_REFUSALS, 'intent_not_found', 'intent_not_confirmable', 'session_processing'],
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const done = await replayable(engine, caller.scope, keyed(renderIntent(engine)), () =>
      simulate(engine, caller.partner, param(params, 'id'), body),
    );
    return done.map((answered) => answer(answered, renderIntent(engine)));
  },
});

export const advanceClockEndpoint = endpoint({
  ...TEST_HELPER,
  name: 'advanceClock',
  path: '/v1/test_helpers/clock/advance',
  summary: 'Advance the test clock',
  body: ADVANCE_CLOCK_BODY,
  reply: TEST_CLOCK,
  refusals: [...KEY_REFUSALS, 'route_not_found', 'validation_failed'],
  run: async ({ host, engine, caller, body, keyed, answer }) => {
    const { testClock, worker } = host;
    if (testClock === null) return refuse('route_not_found', 'This server has no test clock.');
    const done = await replayable(engine, caller.scope, keyed(clockResource), async () => {
      const clock =
        engine.policy.testClock === 'mode'
          ? modeClock(engine, worker, testClock)
          : sandboxClock(engine, worker, caller.scope.partnerId);
      const refusal = advanceRefusal(engine, worker, clock, body.seconds);
      if (refusal !== null) return err(refusal);
      try {
        const { now, fired } = await advanceClock(engine, worker, clock, body.seconds * SECOND);
        return ok({ now, fired: await ownOf(engine, caller.scope, fired) });
      } catch (error) {
        if (error instanceof SteppedElsewhere) return err(ALREADY_ADVANCED);
        throw error;
      }
    });
    return done.isErr() ? err(done.error) : ok(answer(done.value, clockResource));
  },
});

type AdvanceRefusal = Refusal<'operation_in_progress' | 'validation_failed'>;

const ALREADY_ADVANCED: AdvanceRefusal = {
  code: 'operation_in_progress',
  message: 'The test clock is already being advanced. Retry the request when that has finished.',
};

/** Allows one advance of a clock at a time, which is bounded work. Queued advances could keep test mode busy. */
function advanceRefusal(engine: Engine, worker: Worker, clock: SteppableClock, seconds: number): AdvanceRefusal | null {
  if (worker.stepping.isBusy(clock.partnerId)) return ALREADY_ADVANCED;
  const max = CLOCK_AHEAD_MAX / SECOND;
  const left = Math.floor(max - (clock.now() - engine.clock.wall()) / SECOND);
  if (seconds <= left) return null;
  const message = `seconds must be at most ${Math.max(0, left)} now: the test clock may be at most ${max} seconds ahead of the wall clock`;
  return { code: 'validation_failed', message, fields: [{ field: 'seconds', code: 'invalid', message }] };
}

/** With one clock per mode all partners share it and its due work; ids are shown only to their owner. */
async function ownOf(engine: Engine, scope: Scope, fired: readonly Fired[]): Promise<readonly Fired[]> {
  const own: Fired[] = [];
  for (const one of fired) if (await isOwn(engine, scope, one)) own.push(one);
  return own;
}

async function isOwn({ store, providers }: Engine, scope: Scope, { type, id }: Fired): Promise<boolean> {
  if (type !== 'operation') return (await store.find(type, scope, id)) !== null;
  const found = providers.map(({ name }) => store.find('intent_by_operation', scope.mode, name, id));
  return (await Promise.all(found)).some((intent) => intent?.partnerId === scope.partnerId);
}

export const retrieveClockEndpoint = endpoint({
  ...TEST_HELPER_READ,
  name: 'retrieveClock',
  path: '/v1/test_helpers/clock',
  summary: 'Retrieve the test clock',
  reply: TEST_CLOCK,
  refusals: ['route_not_found'],
  run: ({ host, engine, caller }) => {
    if (host.testClock === null) return Promise.resolve(refuse('route_not_found', 'This server has no test clock.'));
    return Promise.resolve(ok(clockResource({ now: engine.clock.now(caller.scope), fired: [] })));
  },
});
