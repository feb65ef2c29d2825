import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { verifyOnce } from './lib/verify-once.mjs';

/**
 * Runs `npm test`, then in depth each test that depends on it, then each test file that failed once more, alone. Uses only Node, since
 * nothing is installed when it starts.
 */
async function ci() {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-ci-'));
  let runs = 0;
  try {
    const { report, code } = await verifyOnce(async (depth, file) => {
      const reportFile = join(folder, `${(runs += 1)}.json`);
      const code = await npm(file === null ? WHOLE[depth] : [...SCRIPTS[depth], '--', file], reportFile);
      return { code, ...(existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : NO_REPORT) };
    });
    process.stdout.write(report);
    process.exitCode = code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SCRIPTS = { quick: ['test'], deep: ['run', 'test:deep'] };
/** The deep run leaves out what the quick run before it has run just as long. */
const WHOLE = { quick: SCRIPTS.quick, deep: [...SCRIPTS.deep, '--', '--after-quick'] };
/** Of a run that ended before its tests did. */
const NO_REPORT = { passed: 0, failed: 1, files: [], unattributed: 1, checks: [] };

function npm(args, reportFile) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, {
      env: { ...process.env, GATERAMP_TEST_REPORT: reportFile },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

await ci();
