import { expect, it } from 'vitest';

import { outcomeOf } from '../lib/outcome.mjs';

it('is well when nothing failed', () => {
  expect(outcomeOf([], { passed: 12, failed: 0 })).toEqual({ report: '12 passed, 0 failed\n', code: 0 });
});

it('fails for a test', () => {
  expect(outcomeOf([], { passed: 11, failed: 1 })).toEqual({ report: '11 passed, 1 failed\n', code: 1 });
});

it('names each check that failed while every test passed', () => {
  expect(outcomeOf(['tidy', 'consumer'], { passed: 12, failed: 0 })).toEqual({
    report: 'FAIL tidy, consumer: see the output above\n12 passed, 0 failed\n',
    code: 1,
  });
});
