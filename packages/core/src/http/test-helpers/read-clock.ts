import { ok } from 'neverthrow';
import { refuse } from '../../domain/refusal.js';
import { endpoint } from '../endpoint.js';
import { TEST_HELPER_READ } from '../presets.js';
import { clockResource } from './clock-resource.js';
import { TEST_CLOCK } from './test-helper-schemas.js';

export const readClockEndpoint = endpoint({
  ...TEST_HELPER_READ,
  name: 'readClock',
  path: '/v1/test_helpers/clock',
  summary: 'Retrieve the test clock',
  reply: TEST_CLOCK,
  refusals: ['route_not_found'],
  run: ({ host }) => {
    const { testClock } = host;
    if (testClock === null) return Promise.resolve(refuse('route_not_found', 'This server has no test clock.'));
    return Promise.resolve(ok(clockResource({ now: testClock.now('test'), fired: [] })));
  },
});
