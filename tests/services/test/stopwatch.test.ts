import { setTimeout as elapse } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { stopwatch } from '../stopwatch.js';

it('counts the time waited, and not that in which the event loop did not turn', async () => {
  const waited = stopwatch();
  await elapse(200);
  const blocked = stopwatch();
  const until = performance.now() + 200;
  while (performance.now() < until);
  // A larger value would need ten pauses of the machine within as many milliseconds.
  expect(blocked()).toBeLessThan(40);
  expect(waited()).toBeGreaterThan(60);
});
