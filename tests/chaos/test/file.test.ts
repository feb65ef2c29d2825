import { beforeAll, describe, expect, it } from 'vitest';
import type { Facts } from '../audit/facts.js';
import type { Row } from '../audit/law.js';
import { FILE_LAWS } from '../file/file-laws.js';
import { fileChaos, judgeFile } from '../file/file.js';
import { SHORT } from '../forms.js';
import { RUN_MAX_MS, type PlantedFault } from './planted.js';
import { plantedFaults } from './planted-faults.js';

/** The short form, once. Its records are then checked again with planted faults. */
let rows: readonly Row[] = [];
let facts: Facts;

beforeAll(async () => {
  const inspect = (found: Facts): void => {
    facts = structuredClone(found);
  };
  ({ rows } = await fileChaos(SHORT, { inspect }));
}, RUN_MAX_MS);

const missed = (all: readonly Row[]) => all.filter(({ isKept }) => !isKept);

describe('the reference server in one process on one file, under kill -9 and power cuts', () => {
  it('keeps every law', () => {
    expect(rows).toHaveLength(FILE_LAWS.length);
    expect(missed(rows)).toEqual([]);
  });
});

describe('the auditor of a file', () => {
  const ofFile = new Set(FILE_LAWS.map(({ law }) => law));
  const planted: readonly PlantedFault<Facts>[] = [
    ...plantedFaults.filter(({ law }) => ofFile.has(law)),
    { law: 'kills of the server', plant: ({ faults }) => Object.assign(faults, { server: 1 }) },
    {
      law: 'kills at which the disk forgot what was not synced',
      plant: ({ faults }) => Object.assign(faults, { power_cut: 1 }),
    },
  ];

  it.each(planted.map(({ law, plant }, index) => ({ law, plant, index })))(
    'misses "$law" ($index)',
    ({ law, plant }) => {
      const copy = structuredClone(facts);
      plant(copy);
      expect(missed(judgeFile(copy).rows).map((row) => row.law)).toContain(law);
    },
  );

  it('has a planted fault for every law', () => {
    expect(new Set(planted.map(({ law }) => law))).toEqual(ofFile);
  });
});
