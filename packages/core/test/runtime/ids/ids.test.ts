import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { nodeIds, seededIds } from '../../../src/runtime/index.js';

const instants = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const now = 1_700_000_000_000;
const many = (make: () => string, count = 20_000): string[] => Array.from({ length: count }, make);

describe.each([
  ['node ids', nodeIds],
  ['seeded ids', () => seededIds('a')],
])('%s', (_name, make) => {
  const ids = make();

  test.prop([instants])('have the right format at any instant', (at) => {
    expect(ids.object(at)).toMatch(/^[0-9a-f]{24}$/);
    expect(parseInt(ids.object(at).slice(0, 12), 16)).toBe(at);
    expect(ids.transaction(at)).toMatch(/^gtx_[0-9a-v]{20}$/);
    expect(Math.floor(parseInt(ids.transaction(at).slice(4, 14), 32) / 4)).toBe(at);
    expect(ids.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.uuid(at)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(ids.uuid(at).replace('-', '').slice(0, 12), 16)).toBe(at);
  });

  test.prop([instants, instants])('sort by the instant of their creation', (a, b) => {
    fc.pre(a < b);
    expect(ids.object(a) < ids.object(b)).toBe(true);
    expect(ids.transaction(a) < ids.transaction(b)).toBe(true);
  });

  it('also sort by creation within one instant', () => {
    const objects = many(() => ids.object(now));
    const transactions = many(() => ids.transaction(now));
    expect([...objects].sort()).toEqual(objects);
    expect([...transactions].sort()).toEqual(transactions);
    expect(new Set([...objects, ...transactions]).size).toBe(40_000);
  });

  it('are all different', () => {
    const different = [
      ...many(() => ids.uuid()),
      ...many(() => ids.uuid(now)),
      ...many(() => ids.secret(32)),
      ...many(() => ids.object(Math.floor(Math.random() * now))),
    ];
    expect(new Set(different).size).toBe(80_000);
  });

  test.prop([fc.integer({ min: 0, max: 1_000 })])('create secrets of base62 in any length', (length) => {
    expect(ids.secret(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it('create secrets with uniformly distributed characters', () => {
    const counts = new Map<string, number>();
    for (const character of many(() => ids.secret(62), 2_000).join(''))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    // 2,000 of each are expected, standard deviation 44; a biased remainder gives the first eight 2,422.
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(300);
  });
});

describe('node ids of two processes', () => {
  it('do not collide within one millisecond', () => {
    const [a, b] = [nodeIds(), nodeIds()];
    expect(new Set([...many(() => a.object(now), 5_000), ...many(() => b.object(now), 5_000)]).size).toBe(10_000);
  });
});

describe('seeded ids', () => {
  const take = (seed: string): string[] => {
    const ids = seededIds(seed);
    return [ids.object(now), ids.transaction(now), ids.uuid(), ids.secret(32), ids.object(now)];
  };

  it('are the same for the same seed and different for others', () => {
    expect(take('a')).toEqual(take('a'));
    expect(take('a').filter((id) => take('b').includes(id))).toEqual([]);
  });
});
