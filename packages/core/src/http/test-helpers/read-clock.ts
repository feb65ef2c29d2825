import { ok } from 'neverthrow';
import { refuse } from '../../domain/refusal.js';
import { TEST_ONLY } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { noQuery } from '../pipeline/read-query.js';
import { clockResource } from './clock-resource.js';

export const readClock = endpoint({
  method: 'GET',
  path: '/v1/test_helpers/clock',
  summary: 'The test clock',
  auth: 'secret',
  limits: null,
  idempotency: 'ignored',
  modes: TEST_ONLY,
  cors: null,
  query: noQuery,
  body: 'none',
  success: 200,
  errors: { route_not_found: 404 },
  run: ({ host }) => {
    const { testClock } = host;
    if (testClock === null) return Promise.resolve(refuse('route_not_found', 'This server has no test clock.'));
    return Promise.resolve(ok(clockResource({ now: testClock.now('test'), fired: [] })));
  },
});
