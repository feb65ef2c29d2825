import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readConfig } from '../src/config.js';
import { VARIABLE_DOCS, variablesTable } from '../src/config-variable-docs.js';

const PLACE = fileURLToPath(new URL('../../../docs/operating.md', import.meta.url));
const BEGIN =
  '<!-- variables: written by apps/reference-server/test/variable-docs.test.ts with GATERAMP_WRITE_DOCS=1 -->';
const END = '<!-- /variables -->';

it('docs/operating.md shows the table of every variable as the code has it', () => {
  const text = readFileSync(PLACE, 'utf8');
  const [before = '', rest = ''] = text.split(`${BEGIN}\n`);
  const [, after = ''] = rest.split(`\n${END}`);
  const whole = `${before}${BEGIN}\n\n${variablesTable()}\n\n${END}${after}`;
  if (process.env['GATERAMP_WRITE_DOCS'] === '1') writeFileSync(PLACE, whole);
  else expect(text).toBe(whole);
});

it('every default of the table is what the server takes when nothing is set', () => {
  const nothing = readConfig({}, { isTerminal: false });
  const given = Object.entries(VARIABLE_DOCS).flatMap(([name, { usual }]) =>
    usual === null || usual.includes('`') ? [] : [[name, usual]],
  );
  expect(readConfig(Object.fromEntries(given), { isTerminal: false })).toEqual(nothing);
  expect(given.length).toBeGreaterThan(15);
});
