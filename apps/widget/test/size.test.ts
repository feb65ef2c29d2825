import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readWidgetFiles } from '../src/widget-files.js';

const FIRST_LOAD_MAX = 45 * 1024;

it('loads in at most 45 KB, compressed, before the first step can be used', () => {
  const { page, assets } = readWidgetFiles();
  const first = [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  expect(first.length).toBeGreaterThanOrEqual(2);
  const bytes = first.map((path) => assets.get(path)?.gzipped.length ?? Infinity);
  const total = [gzipSync(page).length, ...bytes].reduce((sum, one) => sum + one, 0);
  expect(total).toBeGreaterThan(10 * 1024);
  expect(total).toBeLessThanOrEqual(FIRST_LOAD_MAX);
});
