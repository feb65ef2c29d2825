import { err, ok } from 'neverthrow';
import { DAY, type Refusal, refuse, type Scope, SECOND } from '@gateramp/core/domain';
import {
  type AnyEndpoint,
  type Engine,
  endpoint,
  KEY_REFUSALS,
  param,
  replayable,
  SECRET_READ,
  TEST_HOST,
} from '@gateramp/core/extension';
import {
  GATE_INTENT,
  INTENT_REFUSALS,
  RAIL_PAYMENT,
  RAILS_ENTITLEMENT,
  railResource,
  renderIntent,
} from '@gateramp/core/purchases';
import {
  advanceClock,
  type Fired,
  modeClock,
  sandboxClock,
  type SteppableClock,
  SteppedElsewhere,
  type Stepper,
} from './advance-clock.js';
import type { SandboxControl } from './control.js';
import { ADVANCE_CLOCK_BODY, clockResource, SIMULATE_BODY, SIMULATE_RAILS_BODY, TEST_CLOCK } from './schemas.js';
import { simulate } from './simulate.js';
import { simulateRails } from './simulate-rails.js';
import { turnsOf } from './turns.js';

/** Maximum lead of a test clock over the wall clock. It never moves back. */
const CLOCK_AHEAD_MAX = 7_300 * DAY;

/** Test mode only. */
const TEST_HELPER_READ = { ...SECRET_READ, scope: 'test_helpers:write', hosts: TEST_HOST, limits: null } as const;

const TEST_HELPER = { ...TEST_HELPER_READ, method: 'POST', idempotency: 'honoured' } as const;

/** Simulates a buyer by the sandbox provider that `control` drives. */
export const simulateEndpoint = (control: SandboxControl | null): AnyEndpoint =>
  endpoint({
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
        simulate({ engine, control }, caller.partner, param(params, 'id'), body),
      );
      return done.map((answered) => answer(answered, renderIntent(engine)));
    },
  });

/** Advances the clock of the caller's sandbox, or of all of test mode. */
export const advanceClockEndpoint = endpoint({
  ...TEST_HELPER,
  needsTestClock: true,
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
          ? modeClock({ engine, worker }, testClock)
          : sandboxClock({ engine, worker }, caller.scope.partnerId);
      const refusal = advanceRefusal({ engine, worker }, clock, body.seconds);
      if (refusal !== null) return err(refusal);
      try {
        const { now, fired } = await advanceClock({ engine, worker }, clock, body.seconds * SECOND);
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
function advanceRefusal({ engine, worker }: Stepper, clock: SteppableClock, seconds: number): AdvanceRefusal | null {
  if (turnsOf(worker).isBusy(clock.partnerId)) return ALREADY_ADVANCED;
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

/** The time of the caller's sandbox. */
export const retrieveClockEndpoint = endpoint({
  ...TEST_HELPER_READ,
  needsTestClock: true,
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

/** Simulates the money of a pay-in or pay-out of the sandbox provider that `control` drives. */
export const simulateRailsEndpoint = (control: SandboxControl | null): AnyEndpoint =>
  endpoint({
    ...TEST_HELPER,
    requires: RAILS_ENTITLEMENT,
    name: 'simulateRails',
    path: '/v1/test_helpers/rails/{id}/simulate',
    summary: 'Simulate the outcome of a pay-in or pay-out',
    body: SIMULATE_RAILS_BODY,
    reply: RAIL_PAYMENT,
    refusals: [...KEY_REFUSALS, 'intent_not_found', 'corridor_not_supported'],
    run: async ({ engine, caller, params, body, keyed, answer }) => {
      const done = await replayable(engine, caller.scope, keyed(railResource), () =>
        simulateRails({ engine, control }, caller.scope, param(params, 'id'), body),
      );
      return done.map((answered) => answer(answered, railResource));
    },
  });
