import { writeFileSync } from 'node:fs';
import { DefaultReporter } from 'vitest/node';

import { SLOW } from '../../tests/depth.ts';
import { readDurations, writeDurations } from './test-durations.mjs';

/** The assumed duration of a slow file relative to others, if there was no earlier run. */
const SLOW_FACTOR = 20;
/** A run of this many files ends with a list of the slowest ones. */
const MANY = 100;
const SLOWEST = 12;
const EVERY_MS = process.stdout.isTTY ? 1_000 : 30_000;

/**
 * A vitest reporter that prints failures, the progress and the remaining time, and records the numbers of tests for `npm test`. A file that
 * does not load and an error outside of any test each count as one failure, so "0 failed" means success.
 */
export default class TestReporter extends DefaultReporter {
  #durations = readDurations();
  #expected = new Map();
  #running = new Set();
  #files = 0;
  #began = Date.now();
  #printed = Date.now();
  #tests = 0;
  #total = 0;
  #hasOpenLine = false;

  constructor() {
    super({ summary: false });
  }

  onTestRunStart(specifications) {
    super.onTestRunStart(specifications);
    this.#began = Date.now();
    const known = Object.values(this.#durations);
    const usual = known.length === 0 ? 1 : known.reduce((sum, one) => sum + one, 0) / known.length;
    for (const { moduleId } of specifications) {
      const file = this.relative(moduleId);
      this.#expected.set(moduleId, this.#durations[file] ?? (SLOW.includes(file) ? SLOW_FACTOR * usual : usual));
    }
    this.#total = sum(this.#expected);
    this.#files = specifications.length;
  }

  onTestModuleStart(module) {
    super.onTestModuleStart?.(module);
    this.#running.add(this.relative(module.moduleId));
  }

  onTestModuleEnd(module) {
    super.onTestModuleEnd(module);
    this.#expected.delete(module.moduleId);
    this.#running.delete(this.relative(module.moduleId));
    this.#durations[this.relative(module.moduleId)] = Math.round(module.diagnostic().duration);
    this.#tests += [...module.children.allTests()].length;
    if (Date.now() - this.#printed >= EVERY_MS) this.#printProgress();
  }

  #printProgress() {
    this.#printed = Date.now();
    const done = 1 - sum(this.#expected) / this.#total;
    const left = ((Date.now() - this.#began) * (1 - done)) / done;
    const files = `${this.#files - this.#expected.size}/${this.#files} files`;
    const line = `       ${files} · ${this.#tests} tests · about ${minutes(left)} left · ${[...this.#running].join(', ')}`;
    process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${line}` : `${line}\n`);
    this.#hasOpenLine = process.stdout.isTTY;
  }

  /** Where to begin if a run takes too long. */
  #printSlowest(modules) {
    const durations = modules.map((module) => [module.diagnostic().duration, this.relative(module.moduleId)]);
    const slowest = durations.toSorted(([one], [other]) => other - one).slice(0, SLOWEST);
    const lines = slowest.map(([ms, file]) => `${(ms / 1000).toFixed(1).padStart(14)} s  ${file}\n`);
    process.stdout.write(`       slowest files:\n${lines.join('')}\n`);
  }

  printTestModule() {
    // All failures are printed together at the end.
  }

  onTestRunEnd(modules, unhandledErrors, reason) {
    if (this.#hasOpenLine) process.stdout.write('\n');
    super.onTestRunEnd(modules, unhandledErrors, reason);
    if (modules.length >= MANY) this.#printSlowest(modules);
    const counts = { passed: 0, failed: unhandledErrors.length, files: [], unattributed: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      const failed = tests.filter((test) => test.result().state === 'failed');
      counts.passed += tests.filter((test) => test.result().state === 'passed').length;
      counts.failed += failed.length === 0 && module.state() === 'failed' ? 1 : failed.length;
      if (module.state() !== 'failed' && failed.length === 0) continue;
      const [first] = failed;
      const failure =
        first === undefined ? textOf(module.errors()[0]) : `${first.fullName}\n${textOf(first.result().errors?.[0])}`;
      counts.files.push({ file: this.relative(module.moduleId), failure });
    }
    for (const error of unhandledErrors) {
      const file = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH)?.moduleId;
      if (file === undefined) counts.unattributed += 1;
      else counts.files.push({ file: this.relative(file), failure: textOf(error) });
    }
    writeFileSync(process.env.GATERAMP_TEST_COUNTS, JSON.stringify(counts));
    writeDurations(this.#durations);
  }
}

const textOf = (error) => error?.stack ?? error?.message ?? 'The file failed without an error.';

const sum = (durations) => [...durations.values()].reduce((total, one) => total + one, 0);

const minutes = (ms) => (ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`);
