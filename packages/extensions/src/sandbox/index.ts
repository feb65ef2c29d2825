/** Test helpers: simulated buyers, clocks that are advanced, and checkpoints of a partner's sandbox. Test mode only. */
import { type Extension, GateArgumentError } from '@gateramp/core/extension';
import type { SessionStatus } from '@gateramp/core/domain';
import {
  advanceClock,
  type Advanced,
  advanceToEnd,
  modeClock,
  sandboxClock,
  type SteppableClock,
  type StopReason,
} from './advance-clock.js';
import { type Checkpoints, checkpointsOf } from './checkpoint-administration.js';
import type { SandboxControl } from './control.js';
import { advanceClockEndpoint, retrieveClockEndpoint, simulateEndpoint, simulateRailsEndpoint } from './endpoints.js';

export type { Advanced, Fired, StopReason } from './advance-clock.js';
export type { Checkpoints } from './checkpoint-administration.js';
export type { CheckpointRefusal, Returned } from './checkpoints.js';
export {
  BANK_ACTIONS,
  type BankAction,
  type RestoredOperation,
  type SandboxControl,
  type SandboxDetails,
  type SandboxPlan,
  type Scenario,
} from './control.js';
export type { Checkpoint } from './restored-rows.js';

/** What the extension adds to a gate. */
export interface SandboxFace {
  /**
   * Advances the sandbox of a partner, or all of test mode, and runs the work that becomes due. Throws without a test clock, and for a
   * single partner if `policy.testClock` is `mode`.
   */
  advanceTestClock(byMs: number, partnerId?: string): Promise<Advanced>;
  /**
   * Runs what is due in the sandbox of a partner, item by item and each at its time, until a session has ended and none of its
   * deliveries is pending, and returns why it stopped. Null if the partner has no such session. Throws without a test clock.
   */
  advanceToEnd(partnerId: string, sessionId: string): Promise<EndOfSession | null>;
}

/** How far `advanceToEnd` came. */
export interface EndOfSession extends Advanced {
  readonly status: SessionStatus;
  readonly stopped: StopReason;
}

/** The calls in process: `gate.testClock.advance(…)`. */
const CALLS = { testClock: { retrieve: retrieveClockEndpoint, advance: advanceClockEndpoint } };

/** The test helpers, as `createGate` takes them among its `extensions`. */
export type Sandboxes = Extension<typeof CALLS, { readonly checkpoints: Checkpoints }, SandboxFace>;

/**
 * Test helpers. `control` drives a provider that moves no real money, such as `sandboxProvider().control`; without it nothing can be
 * simulated and there are no checkpoints. Clocks can be advanced if the gate has the port `testClock`.
 */
export function sandbox(control: SandboxControl | null = null): Sandboxes {
  throwUnlessControl(control);
  return {
    contract: 2,
    name: 'sandbox',
    endpoints: [retrieveClockEndpoint, advanceClockEndpoint, simulateEndpoint(control), simulateRailsEndpoint(control)],
    calls: CALLS,
    open: ({ engine, ready, worker, testClock }) => {
      const stepper = { engine, worker };
      const clockOf = (partnerId: string | null): SteppableClock => {
        if (testClock === null) throw new Error('This gate has no test clock.');
        return partnerId === null ? modeClock(stepper, testClock) : sandboxClock(stepper, partnerId);
      };
      const isOfMode = engine.policy.testClock === 'mode';
      return {
        admin: (context) => ({ checkpoints: checkpointsOf(context, { ...stepper, control }) }),
        face: {
          advanceTestClock: async (byMs, partnerId) => {
            const clock = clockOf(partnerId ?? null);
            if (partnerId !== undefined && isOfMode)
              throw new Error(
                'The policy keeps one test clock for all partners: call advanceTestClock without a partner.',
              );
            await ready();
            return advanceClock(stepper, clock, byMs);
          },
          advanceToEnd: async (partnerId, sessionId) => {
            const clock = clockOf(isOfMode ? null : partnerId);
            await ready();
            const done = await advanceToEnd(stepper, clock, { partnerId, mode: 'test' }, sessionId);
            if (done === null) return null;
            const { now, fired, session, stopped } = done;
            return { now, fired, status: session.status, stopped };
          },
        },
      };
    },
  };
}

const METHODS = [
  'details',
  'confirmation',
  'plan',
  'review',
  'settle',
] as const satisfies readonly (keyof SandboxControl)[];

function throwUnlessControl(control: SandboxControl | null): void {
  const missing = control === null ? [] : METHODS.filter((method) => typeof control[method] !== 'function');
  if (missing.length === 0) return;
  const problems = missing.map((method) => `The control lacks ${method}. Pass the control of the sandbox provider.`);
  throw new GateArgumentError('sandbox received an invalid control', problems);
}
