import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../audit/law.js';
import { SHORT } from '../forms.js';
import { hostile } from '../hostile/hostile.js';
import type { HostileFacts } from '../hostile/hostile-facts.js';
import { HOSTILE_LAWS, judgeHostile } from '../hostile/hostile-laws.js';
import { RUN_MAX_MS } from './planted.js';
import { plantedHostileFaults } from './planted-hostile-faults.js';

/**
 * The short form, once, on the Postgres from npm by default. Its records are then checked again with planted
 * faults.
 */
let rows: readonly Row[] = [];
let facts: HostileFacts;

beforeAll(async () => {
  const inspect = (found: HostileFacts): void => {
    facts = structuredClone(found);
  };
  ({ rows } = await hostile(SHORT.hostile, { inspect }));
}, RUN_MAX_MS);

const missed = (all: readonly Row[]) => all.filter(({ isKept }) => !isKept);

describe('the reference server before hostile receivers', () => {
  it('ends every attempt in time, keeps its memory, and lets no one else wait', () => {
    expect(rows).toHaveLength(HOSTILE_LAWS.length);
    expect(missed(rows)).toEqual([]);
  });
});

describe('the judge of what hostile receivers did', () => {
  it.each(plantedHostileFaults.map((fault, index) => ({ ...fault, index })))(
    'misses "$law" ($index)',
    ({ law, plant }) => {
      const copy = structuredClone(facts);
      plant(copy);
      expect(missed(judgeHostile(copy).rows).map((row) => row.law)).toContain(law);
    },
  );

  it('has a planted fault for every law', () => {
    expect(new Set(plantedHostileFaults.map(({ law }) => law))).toEqual(new Set(HOSTILE_LAWS.map(({ law }) => law)));
  });
});
