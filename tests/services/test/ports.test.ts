import { expect, test, vi } from 'vitest';

import { freePort } from '../ports.js';

/** The default start of ephemeral ports on Linux; other systems start higher. */
const HANDED_OUT_FROM = 32_768;

test('a free port stays free: it is not one that the system hands out', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  expect(ports.filter((port) => port >= HANDED_OUT_FROM)).toEqual([]);
});

test('no free port is given twice', async () => {
  const ports = new Set<number>();
  for (let times = 0; times < 500; times += 1) ports.add(await freePort());
  expect(ports.size).toBe(500);
});

test('two workers of a run are never given the same port', async () => {
  const given: number[][] = [];
  for (const worker of ['1', '2', '3']) {
    vi.stubEnv('VITEST_POOL_ID', worker);
    given.push(await Promise.all(Array.from({ length: 100 }, () => freePort())));
  }
  const spans = given.map((ports) => [Math.min(...ports), Math.max(...ports)] as const);
  for (const [at, [, last]] of spans.slice(0, -1).entries()) expect(last).toBeLessThan(spans[at + 1]?.[0] ?? 0);
});
