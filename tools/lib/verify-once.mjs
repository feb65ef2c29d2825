/** More failed files than this are a fault of the product, not unsteady tests. */
export const UNSTEADY_MAX = 5;

/**
 * The result of a run: its exit code, counts, failed checks, failed test files, and the number of failures that belong to no file.
 *
 * @typedef {{ file: string, failure: string }} FailedFile
 * @typedef {{ code: number, passed: number, failed: number }} Counts
 * @typedef {Counts & { checks: readonly string[], files: readonly FailedFile[], unattributed: number }} Run
 * @typedef {'quick' | 'deep'} Depth
 */

/**
 * Runs all tests at both depths, then each file that failed once more, alone. A file that passes then is unsteady: it is reported, and does
 * not fail the whole. Nothing else is repeated.
 *
 * @param {(depth: Depth, file: string | null) => Promise<Run>} run
 * @returns {Promise<{ report: string, code: 0 | 1 }>}
 */
export async function verifyOnce(run) {
  const whole = [];
  for (const depth of /** @type {const} */ (['quick', 'deep'])) whole.push({ depth, ...(await run(depth, null)) });
  const passed = whole.reduce((sum, one) => sum + one.passed, 0);
  const failures = whole.flatMap(({ depth, files }) => uniqueFiles(files).map((one) => ({ depth, ...one })));
  const others = whole.flatMap(otherProblems);
  const tooMany = new Set(failures.map(({ file }) => file)).size > UNSTEADY_MAX;
  if (others.length > 0 || tooMany) {
    const problems = tooMany ? [...others, `more than ${UNSTEADY_MAX} test files failed`] : others;
    return outcome({ passed, unsteady: [], failed: failures, problems });
  }
  const unsteady = [];
  const failed = [];
  for (const failure of failures) {
    const again = await run(failure.depth, failure.file);
    const isGood = again.code === 0 && again.failed === 0 && again.passed > 0;
    (isGood ? unsteady : failed).push(failure);
  }
  return outcome({ passed, unsteady, failed, problems: [] });
}

/** What failed besides test files. */
function otherProblems({ depth, checks, unattributed, code, files }) {
  const found = checks.map((check) => `${depth}: ${check} failed`);
  if (unattributed > 0) found.push(`${depth}: ${unattributed} failures outside of any test file`);
  const isUnexplained = code !== 0 && found.length === 0 && files.length === 0;
  return isUnexplained ? [`${depth}: ended with ${code}`] : found;
}

/** The first failure of each file. */
function uniqueFiles(files) {
  return files.filter(({ file }, at) => files.findIndex((one) => one.file === file) === at);
}

function outcome({ passed, unsteady, failed, problems }) {
  const lines = [];
  if (unsteady.length > 0) lines.push('unsteady (failed once, and passed alone):', ...unsteady.flatMap(linesOf), '');
  if (failed.length > 0) lines.push('failed:', ...failed.flatMap(linesOf), '');
  lines.push(...problems.map((problem) => `FAIL ${problem}`));
  const count = failed.length + problems.length;
  return { report: `\n${lines.join('\n')}\n${passed} passed, ${count} failed\n`, code: count === 0 ? 0 : 1 };
}

function linesOf({ depth, file, failure }) {
  const own = failure.split('\n').filter((line) => !line.includes('/node_modules/'));
  return [`  ${file} (${depth})`, ...own.map((line) => `    ${line}`)];
}
