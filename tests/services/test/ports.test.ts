import { expect, onTestFinished, test, vi } from 'vitest';

import { claimPorts, freePort } from '../ports.js';

/** The default start of ephemeral ports on Linux; other systems start higher. */
const HANDED_OUT_FROM = 32_768;

test('a free port stays free: it is not one that the system hands out', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  expect(ports.filter((port) => port >= HANDED_OUT_FROM)).toEqual([]);
});

test('a thread is given a port again only after hundreds of others, and never runs out', async () => {
  const ports: number[] = [];
  for (let times = 0; times < 2_000; times += 1) ports.push(await freePort());
  for (let start = 0; start < 2_000; start += 500) expect(new Set(ports.slice(start, start + 500)).size).toBe(500);
});

test.each([
  { what: 'workers of a run', variable: 'VITEST_POOL_ID', values: ['1', '2', '3'] },
  { what: 'runs on one machine', variable: 'GATERAMP_TEST_RUN', values: ['0', '1', '2'] },
])('two $what are never given the same port', async ({ variable, values }) => {
  const given: number[][] = [];
  for (const value of values) {
    vi.stubEnv(variable, value);
    given.push(await Promise.all(Array.from({ length: 100 }, () => freePort())));
  }
  const spans = given.map((ports) => [Math.min(...ports), Math.max(...ports)] as const);
  for (const [at, [, last]] of spans.slice(0, -1).entries()) expect(last).toBeLessThan(spans[at + 1]?.[0] ?? 0);
});

test('a run has ports of its own while it lasts', async () => {
  const claims = await freePort();
  const [one, other] = [await claimPorts(claims), await claimPorts(claims)];
  onTestFinished(other.release);
  one.release();
  const next = await claimPorts(claims);
  onTestFinished(next.release);
  expect(other.run).not.toBe(one.run);
  expect(next.run).not.toBe(other.run);
});
