import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Expects a marked block of a page of `docs` to contain `table`; with `GATERAMP_WRITE_DOCS=1` it writes the block instead. */
export function expectInDocs(page: string, block: string, writtenBy: string, table: string): void {
  const file = fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url));
  const begin = `<!-- ${block}: written by apps/reference-server/test/${writtenBy} with GATERAMP_WRITE_DOCS=1 -->`;
  const end = `<!-- /${block} -->`;
  const text = readFileSync(file, 'utf8');
  const [before = '', rest = ''] = text.split(`${begin}\n`);
  const [, after = ''] = rest.split(`\n${end}`);
  const whole = `${before}${begin}\n\n${table}\n\n${end}${after}`;
  if (process.env['GATERAMP_WRITE_DOCS'] === '1') writeFileSync(file, whole);
  else expect(text).toBe(whole);
}
