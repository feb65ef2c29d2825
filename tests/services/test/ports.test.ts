import { expect, test } from 'vitest';

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
