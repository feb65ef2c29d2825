import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { replayable } from '../../application/idempotency/replayable.js';
import { advanceClock as advance } from '../../application/test-helpers/advance-clock.js';
import { DAY, SECOND } from '../../domain/instant.js';
import { refuse } from '../../domain/refusal.js';
import { TEST_ONLY } from '../both-modes.js';
import { endpoint, type BodyInput, type Read } from '../endpoint.js';
import { readFields } from '../fields.js';
import { noQuery } from '../pipeline/read-query.js';
import { clockResource } from './clock-resource.js';

/** Ten years: beyond it dates stop meaning anything to a test. */
const SECONDS_MAX = (3650 * DAY) / SECOND;

const schema = z.strictObject({
  seconds: z
    .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number') })
    .min(1, 'must be at least 1')
    .max(SECONDS_MAX, `must be at most ${SECONDS_MAX}`),
});

export const advanceClock = endpoint({
  method: 'POST',
  path: '/v1/test_helpers/clock/advance',
  summary: 'Move test-mode time forward, running what comes due on the way',
  auth: 'secret',
  limits: null,
  idempotency: 'honoured',
  modes: TEST_ONLY,
  cors: null,
  query: noQuery,
  body: ({ document }: BodyInput): Read<{ seconds: number }> => readFields(schema, document.value),
  success: 200,
  errors: { route_not_found: 404, operation_in_progress: 409, idempotency_key_mismatch: 422 },
  run: async ({ host, engine, caller, body, keyed, answer }) => {
    const { testClock, worker } = host;
    if (testClock === null) return refuse('route_not_found', 'This server has no test clock.');
    const done = await replayable(engine, caller.scope, keyed(clockResource), async () =>
      ok(await advance(engine, worker, testClock, body.seconds * SECOND)),
    );
    return done.isErr() ? err(done.error) : ok(answer(done.value, clockResource));
  },
});
