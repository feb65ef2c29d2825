import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that leaves the numbers of tests for `npm test`. A file that does not load and an error outside any test each count as
 * one failure, so "0 failed" means all is well.
 */
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const failed = states.filter((state) => state === 'failed').length;
      counts.passed += states.filter((state) => state === 'passed').length;
      counts.failed += failed === 0 && module.state() === 'failed' ? 1 : failed;
    }
    writeFileSync(process.env.GATERAMP_TEST_COUNTS, JSON.stringify(counts));
  }
}
