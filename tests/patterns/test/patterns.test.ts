import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runs } from '../../depth.js';
import { type Pattern, patternsIn, patternsOfSources } from '../find-patterns.js';

const PROGRAM = fileURLToPath(new URL('../slow-patterns.mjs', import.meta.url));

/** For each pattern the text that makes it slow; null if it takes time in proportion to every text. */
async function slowTextsOf(patterns: readonly Pattern[]): Promise<readonly (string | null)[]> {
  const answer = new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, [PROGRAM, String(runs(5, 14))], { maxBuffer: 1e8 }, (error, out) =>
      error === null ? resolve(out) : reject(new Error('The patterns were not measured.', { cause: error })),
    );
    child.stdin?.end(JSON.stringify(patterns));
  });
  return JSON.parse(await answer) as readonly (string | null)[];
}

it('every regular expression of the sources takes time in proportion to 60,000 hostile characters', async () => {
  const patterns = patternsOfSources();
  expect(patterns.length).toBeGreaterThan(100);
  const texts = await slowTextsOf(patterns);
  const slow = patterns.flatMap(({ place, source, flags }, index) => {
    const text = texts[index] ?? null;
    return text === null ? [] : [`${place}: /${source}/${flags} on ${text}`];
  });
  expect(slow).toEqual([]);
});

it('finds literals, constructed patterns and patterns of schemas, and the text that makes each slow', async () => {
  const planted = [
    'header.split(/\\s*;\\s*/);',
    'text.replace(/"[^]*" is not valid JSON/g, "");',
    'z.string().regex(/^(a+)+$/);',
    "const ID = '[0-9a-f]+'; new RegExp(`^(?:${ID})*x`).test(text);",
    "RegExp('eyJ[0-9A-Za-z]+[.]', 'g');",
  ];
  const patterns = planted.flatMap((text) => patternsIn('planted.ts', text));
  expect(patterns).toHaveLength(planted.length);
  expect(await slowTextsOf(patterns)).not.toContain(null);
});
