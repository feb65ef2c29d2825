import { setTimeout as elapse } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { stopwatch } from '../stopwatch.js';

it('counts the time waited, and not that in which the event loop did not turn', async () => {
  const waited = stopwatch();
  for (let turn = 0; turn < 20; turn += 1) await elapse(10);
  const blocked = stopwatch();
  const until = performance.now() + 200;
  while (performance.now() < until);
  expect(blocked()).toBeLessThan(40);
  expect(waited()).toBeGreaterThan(60);
});
