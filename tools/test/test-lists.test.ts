import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALONE, DEEP } from '../../tests/depth.js';
import { root } from '../lib/workspaces.mjs';

it.each([...ALONE, ...DEEP])('%s, which the lists of test files name, is there', (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});
