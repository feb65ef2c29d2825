import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suites } from '../faults.js';
import { plantedIn } from '../planted.js';

const root = join(import.meta.dirname, '../../..');

describe.each(suites)('faults of the $store store', ({ folder, faults, faultsMin }) => {
  it.each(faults)('can still be planted: $title ($file)', (fault) => {
    const text = readFileSync(join(root, folder, fault.file), 'utf8');
    expect(plantedIn(text, fault)).not.toBe(text);
  });

  it('are at least as many as required, with distinct titles', () => {
    expect(faults.length).toBeGreaterThanOrEqual(faultsMin);
    expect(new Set(faults.map(({ title, file }) => `${file} ${title}`)).size).toBe(faults.length);
  });
});
