import * as z from 'zod';
import { DAY, SECOND, isoTime, toJsonText } from '@gateramp/core/domain';
import { fields, jsonBody, members } from '@gateramp/core/extension';
import type { Advanced, Fired } from './advance-clock.js';
import { BANK_ACTIONS, type Scenario } from './control.js';
import type { Simulation } from './simulate.js';
import { RAIL_SCENARIOS } from './simulate-rails.js';

const { amount, oneOf, optional, wholeNumber } = fields;
const { time, wireType } = members;

const FIRED_TYPES = ['webhook_delivery', 'task', 'operation'] as const;

/** The test clock as a wire resource, with the work that an advance has run. */
export function clockResource({ now, fired }: Advanced) {
  return toJsonText({
    object: 'test_clock',
    now: isoTime(now),
    fired: fired.map((one) => ({ type: TYPES[one.type], id: one.id })),
  });
}

const TYPES: Record<Fired['type'], (typeof FIRED_TYPES)[number]> = {
  delivery: 'webhook_delivery',
  task: 'task',
  operation: 'operation',
};

export const TEST_CLOCK = wireType(
  'TestClock',
  z.object({
    object: z.literal('test_clock'),
    now: time,
    fired: z.array(z.object({ type: z.enum(FIRED_TYPES), id: z.string() })),
  }),
  {
    description: 'The time of the sandbox, and the work that ran when it was advanced.',
    example: clockResource({
      now: Date.UTC(2030, 0, 1, 12, 5),
      fired: [{ type: 'delivery', id: '68a1f0d5c8fa5e204b6d8fa2' }],
    }),
  },
);

/** Ten years; larger steps are of no use to a test. */
const SECONDS_MAX = (3650 * DAY) / SECOND;

export const ADVANCE_CLOCK_BODY = jsonBody(
  'AdvanceTestClock',
  z.strictObject({
    seconds: wholeNumber(1, SECONDS_MAX),
  }),
  {
    description: 'How far to advance the clock of the sandbox, in whole seconds.',
    example: { seconds: 300 },
    to: (body) => body,
  },
);

const SCENARIOS: readonly Scenario[] = [
  'succeed',
  'decline',
  'kyc_required',
  'kyc_rejected',
  'processing',
  'settlement_error',
  'late_settlement',
  'abandon',
  ...BANK_ACTIONS,
];

const simulateFields = z.strictObject({ scenario: oneOf(SCENARIOS), amount: optional(amount) });

export const SIMULATE_BODY = jsonBody('Simulate', simulateFields, {
  description:
    'The scenario to simulate for a session: of its checkout, or an action of the bank of a buyer who has paid.',
  example: { scenario: 'succeed' },
  to: (body): Simulation => ({ scenario: body.scenario, amount: body.amount ?? null }),
});

export const SIMULATE_RAILS_BODY = jsonBody('SimulateRails', z.strictObject({ scenario: oneOf(RAIL_SCENARIOS) }), {
  description: 'The outcome to simulate for a pay-in or pay-out in test mode.',
  example: { scenario: 'succeed' },
  to: (body) => body.scenario,
});
