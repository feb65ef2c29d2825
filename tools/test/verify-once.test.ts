import { expect, it } from 'vitest';
import { UNSTEADY_MAX, verifyOnce } from '../lib/verify-once.mjs';

type Run = Awaited<ReturnType<Parameters<typeof verifyOnce>[0]>>;

const GOOD: Run = { code: 0, passed: 3, failed: 0, checks: [], files: [], unattributed: 0 };

const failing = (...files: readonly string[]): Run => ({
  ...GOOD,
  code: 1,
  failed: files.length,
  files: files.map((file) => ({ file, failure: `Error: ${file} broke\n    at line 1` })),
});

/** Answers each run from a script by `depth` or `depth file`; a run without an entry passes. */
function scripted(script: Readonly<Record<string, Run>>) {
  const calls: string[] = [];
  const run = async (depth: string, file: string | null) => {
    const call = file === null ? depth : `${depth} ${file}`;
    calls.push(call);
    return script[call] ?? GOOD;
  };
  return { calls, result: verifyOnce(run) };
}

it('repeats nothing when everything passes', async () => {
  const { calls, result } = scripted({});
  expect(await result).toEqual({ report: '\n\n6 passed, 0 failed\n', code: 0 });
  expect(calls).toEqual(['quick', 'deep']);
});

it('passes with a file that passes alone after the rest, and prints its first failure', async () => {
  const { calls, result } = scripted({ quick: failing('a.test.ts') });
  const { report, code } = await result;
  expect(code).toBe(0);
  expect(calls).toEqual(['quick', 'deep', 'quick a.test.ts']);
  expect(report).toContain('unsteady');
  expect(report).toContain('a.test.ts (quick)');
  expect(report).toContain('Error: a.test.ts broke');
  expect(report.trimEnd().split('\n').at(-1)).toBe('6 passed, 0 failed');
});

it('fails with a file that fails again', async () => {
  const { result } = scripted({ deep: failing('a.test.ts', 'b.test.ts'), 'deep b.test.ts': failing('b.test.ts') });
  const { report, code } = await result;
  expect(code).toBe(1);
  expect(report).toMatch(/unsteady[^]*a\.test\.ts \(deep\)[^]*failed:[^]*b\.test\.ts \(deep\)/);
  expect(report).toContain('6 passed, 1 failed');
});

it('repeats a file once at each depth in which it failed', async () => {
  const { calls, result } = scripted({ quick: failing('a.test.ts'), deep: failing('a.test.ts', 'a.test.ts') });
  expect((await result).code).toBe(0);
  expect(calls).toEqual(['quick', 'deep', 'quick a.test.ts', 'deep a.test.ts']);
});

it('fails without repeating anything when more than five files failed', async () => {
  const files = Array.from({ length: UNSTEADY_MAX + 1 }, (_, at) => `${at}.test.ts`);
  const { calls, result } = scripted({ quick: failing(...files.slice(0, 3)), deep: failing(...files.slice(3)) });
  const { report, code } = await result;
  expect(code).toBe(1);
  expect(calls).toEqual(['quick', 'deep']);
  expect(report).toContain('more than 5 test files failed');
});

it('repeats five files', async () => {
  const files = Array.from({ length: UNSTEADY_MAX }, (_, at) => `${at}.test.ts`);
  const { calls, result } = scripted({ quick: failing(...files) });
  expect((await result).code).toBe(0);
  expect(calls).toHaveLength(2 + UNSTEADY_MAX);
});

it.each<[why: string, run: Run]>([
  ['a static check', { ...GOOD, code: 1, checks: ['lint'] }],
  ['an error outside of any file', { ...GOOD, code: 1, failed: 1, unattributed: 1 }],
  ['an exit code that nothing explains', { ...GOOD, code: 137 }],
])('fails for %s, which is never repeated', async (_, run) => {
  const { calls, result } = scripted({ deep: run });
  expect((await result).code).toBe(1);
  expect(calls).toEqual(['quick', 'deep']);
});

it('does not count a repeated run without a test as passed', async () => {
  const { result } = scripted({ quick: failing('a.test.ts'), 'quick a.test.ts': { ...GOOD, passed: 0 } });
  expect((await result).code).toBe(1);
});
