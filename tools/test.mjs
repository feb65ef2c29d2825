import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installUsual } from './lib/apt.mjs';
import { outcomeOf } from './lib/outcome.mjs';
import { reportAndExit, run, step } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';
import { buildToPack } from './pack.mjs';
import { setup } from './setup.mjs';

/**
 * `npm test`: the static checks, and each law of a port on every adapter, within minutes. With arguments, only vitest runs, on
 * these: `npm test -- packages/core -t "expires"`. `npm run test:deep`: every test at full length, and the packed packages as a
 * consumer installs them; with `--after-quick`, without the test files that do not depend on the depth. The file that
 * GATERAMP_TEST_REPORT names receives the counts and the failed files, for `tools/ci.mjs`.
 */
async function test() {
  const words = process.argv.slice(2);
  const isDeep = words[0] === '--deep';
  const isAfterQuick = isDeep && words[1] === '--after-quick';
  const chosen = words.slice(Number(isDeep) + Number(isAfterQuick));
  const packages = chosen.length === 0 ? installUsual() : null;
  await setup();
  const failedChecks = isDeep || chosen.length > 0 ? [] : await staticChecks();
  await packages;
  // First, as it rebuilds files that tests start from.
  if (isDeep && chosen.length === 0) await buildToPack();
  const counts = await unitTests(chosen, {
    ...(isDeep && { GATE_TEST_DEPTH: 'deep' }),
    ...(isAfterQuick && { GATERAMP_TEST_AFTER_QUICK: '1' }),
  });
  if (isDeep && chosen.length === 0 && !(await consumerCheck())) failedChecks.push('consumer');
  const { report, code } = outcomeOf(failedChecks, counts);
  const reportFile = process.env.GATERAMP_TEST_REPORT;
  if (reportFile !== undefined) writeFileSync(reportFile, JSON.stringify({ ...counts, checks: failedChecks }));
  process.stdout.write(report);
  process.exitCode = code;
}

/** Returns the names of the failed checks. Runs two at a time. */
async function staticChecks() {
  const waiting = [
    ['typecheck', ['tools/typecheck.mjs']],
    ['lint', ['node_modules/oxlint/bin/oxlint']],
    ['rings', ['tools/rings.mjs']],
    ['tidy', ['tools/tidy.mjs']],
    ['format', ['node_modules/oxfmt/bin/oxfmt', '--check']],
    ['docs', ['tools/docs.mjs']],
  ];
  const failed = [];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await check(...next))) failed.push(next[0]);
  };
  await Promise.all([worker(), worker()]);
  return failed;
}

async function check(title, args) {
  let output = '';
  try {
    await step(
      title,
      async () => {
        const result = await run(process.execPath, args, { cwd: root });
        output = result.output;
        if (result.code !== 0) throw new Error(title);
      },
      writeOut,
    );
    return true;
  } catch {
    process.stdout.write(`\n${output.trimEnd()}\n\n`);
    return false;
  }
}

/** Tests the packed packages outside of the workspace: the short form, on this Node and the oldest. */
async function consumerCheck() {
  return (await program(['--import', 'tsx', 'tests/consumers/run.ts', '--short'])) === 0;
}

async function unitTests(args, settings) {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-test-'));
  const counts = join(folder, 'counts.json');
  try {
    let code = 1;
    await step(
      'vitest',
      async () => {
        code = await vitest(
          ['run', '--silent=passed-only', '--reporter=./tools/lib/test-reporter.mjs', ...args],
          counts,
          settings,
        );
        if (code !== 0) throw new Error('vitest');
      },
      writeOut,
    ).catch(() => undefined);
    const counted = existsSync(counts) ? JSON.parse(readFileSync(counts, 'utf8')) : NOTHING_COUNTED;
    // Vitest failed for a reason other than a test.
    return counted.failed === 0 && code !== 0 ? { ...counted, failed: 1, unattributed: 1 } : counted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOTHING_COUNTED = { passed: 0, failed: 1, files: [], unattributed: 1 };

function vitest(args, counts, settings) {
  const env = {
    ...process.env,
    GATERAMP_TEST_COUNTS: counts,
    ...settings,
    ...(process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined }),
  };
  return program(['node_modules/vitest/vitest.mjs', ...args], env);
}

/** Runs a program with its output shown. */
function program(args, env = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const writeOut = (line) => process.stdout.write(line);

test().catch(reportAndExit);
