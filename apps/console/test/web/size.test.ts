import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const BUILT = fileURLToPath(new URL('../../dist/page/', import.meta.url));
const FIRST_VIEW_MAX = 90_000;

it('the first view is at most 90 kB compressed, in every language', () => {
  const page = readFileSync(`${BUILT}index.html`, 'utf8');
  const sizeOf = (path: string): number => gzipSync(readFileSync(`${BUILT}${path}`), { level: 9 }).length;
  const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  expect(first.length).toBeGreaterThanOrEqual(2);
  const languages = readdirSync(`${BUILT}assets`).filter((name) => /^(de|ar)-/.test(name));
  // English is part of the first load.
  expect(languages).toHaveLength(2);
  const largest = Math.max(...languages.map((name) => sizeOf(`assets/${name}`)));
  const total = gzipSync(page).length + first.map(sizeOf).reduce((a, b) => a + b) + largest;
  expect(total).toBeGreaterThan(10_000);
  expect(total).toBeLessThanOrEqual(FIRST_VIEW_MAX);
});
