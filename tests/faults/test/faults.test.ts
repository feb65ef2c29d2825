import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faults } from '../faults.js';
import { plantedIn } from '../planted.js';

const store = join(import.meta.dirname, '../../../packages/adapters-store-memory/src');

it.each(faults)('can still be planted: $title ($file)', (fault) => {
  const text = readFileSync(join(store, fault.file), 'utf8');
  expect(plantedIn(text, fault)).not.toBe(text);
});

it('there are a hundred faults or more, and no two are one', () => {
  expect(faults.length).toBeGreaterThanOrEqual(100);
  expect(new Set(faults.map(({ title, file }) => `${file} ${title}`)).size).toBe(faults.length);
});
