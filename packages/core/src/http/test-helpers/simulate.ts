import * as z from 'zod';
import { replayable } from '../../application/idempotency/replayable.js';
import { simulate as play } from '../../application/test-helpers/simulate.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import type { Scenario } from '../../ports/provider.js';
import { TEST_ONLY } from '../both-modes.js';
import { endpoint, type BodyInput, type Read } from '../endpoint.js';
import { oneOf, readFields } from '../fields.js';
import { param } from '../param.js';
import { noQuery } from '../pipeline/read-query.js';

const SCENARIOS: readonly Scenario[] = [
  'succeed',
  'decline',
  'kyc_required',
  'kyc_rejected',
  'processing',
  'settlement_error',
  'late_settlement',
  'abandon',
];

const schema = z.strictObject({ scenario: oneOf(SCENARIOS) });

export const simulate = endpoint({
  method: 'POST',
  path: '/v1/test_helpers/gate_sessions/{id}/simulate',
  summary: 'Let a test buyer live through a scenario',
  auth: 'secret',
  limits: null,
  idempotency: 'honoured',
  modes: TEST_ONLY,
  cors: null,
  query: noQuery,
  body: ({ document }: BodyInput): Read<{ scenario: Scenario }> => readFields(schema, document.value),
  success: 200,
  errors: {
    validation_failed: 400,
    amount_mismatch: 400,
    terms_mismatch: 400,
    invalid_embed_token: 401,
    swap_not_enabled: 403,
    session_not_found: 404,
    intent_not_found: 404,
    quote_not_found: 404,
    operation_in_progress: 409,
    session_not_open: 409,
    session_processing: 409,
    session_required: 409,
    intent_in_progress: 409,
    quota_exhausted: 409,
    too_many_attempts: 409,
    intent_not_confirmable: 409,
    idempotency_key_mismatch: 422,
    corridor_not_supported: 422,
    amount_below_minimum: 422,
    amount_above_maximum: 422,
    asset_network_mismatch: 422,
    wallet_address_invalid: 422,
    quote_expired: 422,
  },
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const done = await replayable(engine, caller.scope, keyed(intentResource), () =>
      play(engine, caller.partner, param(params, 'id'), body.scenario),
    );
    return done.map((answered) => answer(answered, intentResource));
  },
});
