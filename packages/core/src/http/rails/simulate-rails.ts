import * as z from 'zod';
import { replayable } from '../../application/idempotency/replayable.js';
import { RAIL_SCENARIOS, simulateRails } from '../../application/rails/simulate-rails.js';
import { railResource, type GatePayIn, type GatePayOut } from '../../domain/rails/rail-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { KEY_REFUSALS, TEST_HELPER } from '../presets.js';
import { RAILS_ENTITLEMENT } from '../requirements.js';
import { jsonBody } from '../schema/body.js';
import { oneOf } from '../schema/fields.js';
import { wireType } from '../schema/wire-type.js';
import { PAY_IN, payInMembers, payOutMembers } from './rail-schemas.js';

const SIMULATE_RAILS_BODY = jsonBody('SimulateRails', z.strictObject({ scenario: oneOf(RAIL_SCENARIOS) }), {
  description: 'The outcome to simulate for a pay-in or pay-out in test mode.',
  example: { scenario: 'succeed' },
  to: (body) => body.scenario,
});

const RAIL_PAYMENT = wireType<GatePayIn | GatePayOut>()(
  'RailPayment',
  z.discriminatedUnion('object', [payInMembers, payOutMembers]),
  { description: 'A pay-in or a pay-out, by its `object`.', example: PAY_IN.example },
);

export const simulateRailsEndpoint = endpoint({
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
      simulateRails(engine, caller.scope, param(params, 'id'), body),
    );
    return done.map((answered) => answer(answered, railResource));
  },
});
