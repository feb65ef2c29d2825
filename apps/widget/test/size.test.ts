import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { LANGUAGES } from '../src/web/i18n/messages.js';
import { readWidgetFiles } from '../src/widget-files.js';

const FIRST_LOAD_MAX = 60_000;

it('the first load is at most 60 kB compressed, in every language', () => {
  const { page, assets } = readWidgetFiles();
  const first = [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  expect(first.length).toBeGreaterThanOrEqual(2);
  const sizeOf = (path: string): number => assets.get(path)?.gzipped.length ?? Infinity;
  const languages = [...assets.keys()].filter((path) => /^\/assets\/(\w\w)-/.test(path));
  // English is part of the first load.
  expect(languages.map((path) => path.slice(8, 10)).toSorted()).toEqual(
    LANGUAGES.filter((one) => one !== 'en').toSorted(),
  );
  const total = [gzipSync(page).length, ...first.map(sizeOf), Math.max(...languages.map(sizeOf))].reduce(
    (a, b) => a + b,
  );
  expect(total).toBeGreaterThan(10 * 1024);
  expect(total).toBeLessThanOrEqual(FIRST_LOAD_MAX);
});
