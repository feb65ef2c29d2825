/**
 * The result of `npm test`. Failed checks are repeated here, since their own output is far above.
 *
 * @param {readonly string[]} failedChecks
 * @param {{ readonly passed: number, readonly failed: number }} tests
 * @returns {{ report: string, code: 0 | 1 }}
 */
export function outcomeOf(failedChecks, { passed, failed }) {
  const tests = `${passed} passed, ${failed} failed\n`;
  if (failedChecks.length === 0) return { report: tests, code: failed === 0 ? 0 : 1 };
  return { report: `FAIL ${failedChecks.join(', ')}: see the output above\n${tests}`, code: 1 };
}
