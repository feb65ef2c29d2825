import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { generatedTypes } from '../scripts/generate-types.mjs';
import { VERSION } from '../src/index.js';

const folder = new URL('../src/generated/', import.meta.url);

it('src/generated is what spec/ says; npm run openapi regenerates it', async () => {
  const files = await generatedTypes();
  expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
  for (const [name, text] of Object.entries(files)) expect(readFileSync(new URL(name, folder), 'utf8')).toBe(text);
});

it('says the version of its package', () => {
  expect(VERSION).toBe(manifest.version);
});
