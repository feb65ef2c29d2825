import { expect, it } from 'vitest';
import { readConfig } from '../src/config/config.js';
import { VARIABLE_DOCS, variablesTable } from '../src/config/settings.js';
import { expectInDocs } from './docs-block.js';

it('docs/operating.md shows the table of every variable as the code has it', () => {
  expectInDocs('operating.md', 'variables', 'variable-docs.test.ts', variablesTable());
});

it('every default of the table is what the server takes when nothing is set', () => {
  const nothing = readConfig({}, { isTerminal: false });
  const given = Object.entries(VARIABLE_DOCS).flatMap(([name, { usual }]) =>
    usual === null || usual.includes('`') ? [] : [[name, usual]],
  );
  expect(readConfig(Object.fromEntries(given), { isTerminal: false })).toEqual(nothing);
  expect(given.length).toBeGreaterThan(15);
});
