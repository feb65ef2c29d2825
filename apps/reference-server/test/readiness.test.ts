import { expect, it } from 'vitest';
import { readiness } from '../src/readiness.js';

it('is not ready while what time it is at the database is not known', async () => {
  const parts = { isDraining: () => false, operator: null, isRedisDegraded: null };
  expect(await readiness({ ...parts, isClockTrusted: () => true })).toMatchObject({ status: 'ready', clock: 'ok' });
  expect(await readiness({ ...parts, isClockTrusted: () => false })).toMatchObject({
    status: 'unavailable',
    clock: 'untrusted',
  });
});
