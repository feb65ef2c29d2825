import { describe, expect, it } from 'vitest';
import { measureWords, proseIn, subjectFaults } from '../lib/plain-words.mjs';

const found = (path: string, text: string): string[] =>
  measureWords([{ path, text }]).hits.map((hit: { found: string }) => hit.found);

describe('plain words', () => {
  it.each([
    ['a comment', 'packages/x/src/a.ts', '// Whoever has lost the lease records nothing.'],
    ['a doc comment', 'packages/x/src/a.ts', '/**\n * Whoever has lost the lease records nothing.\n */'],
    ['a message', 'packages/x/src/a.ts', "throw new Error('Whoever has lost the lease records nothing.');"],
    ['a test title', 'packages/x/test/a.test.ts', "it('refuses whoever has lost the lease', f);"],
    ['a document', 'docs/a.md', 'Whoever has lost the lease records nothing.'],
    ['a Python docstring', 'sdks/python/src/a.py', '"""Leases.\n\nWhoever has lost one records nothing.\n"""'],
  ])('are asked of %s', (_, path, text) => {
    expect(found(path, text).map((word) => word.toLowerCase())).toEqual(['whoever']);
  });

  it('are not asked of identifiers, code blocks, generated files or lines with a reason', () => {
    expect(found('packages/x/src/a.ts', 'const nobody = whoever;')).toEqual([]);
    expect(found('docs/a.md', '```ts\nconst nobody = 1;\n```')).toEqual([]);
    expect(found('sdks/node/src/generated/a.ts', '// whoever')).toEqual([]);
    expect(found('docs/a.md', 'The shop is named "Nobody". <!-- plain-words: a proper name -->')).toEqual([]);
  });

  it('give a suggestion and the place of each hit', () => {
    const { hits } = measureWords([{ path: 'docs/a.md', text: 'One.\nIt is made anew.' }]);
    expect(hits).toEqual([{ path: 'docs/a.md', line: 2, found: 'anew', suggestion: expect.any(String) }]);
  });

  it('are counted per thousand words', () => {
    const text = `${'word '.repeat(998)}stands anew`;
    expect(measureWords([{ path: 'docs/a.md', text }])).toMatchObject({ words: 1000, rate: 2 });
    expect(measureWords([])).toMatchObject({ words: 0, rate: 0 });
  });

  it('leave an apostrophe in a comment as it is', () => {
    expect(proseIn({ path: 'a.ts', text: "const a = 'x'; // the host's own" }).join('')).toContain("the host's own");
  });
});

describe('a commit subject', () => {
  it('is an area and a summary of at most 72 characters', () => {
    expect(subjectFaults('store: lease rows in place')).toEqual([]);
    expect(subjectFaults('Chaos: a law that receivers behaved')).toHaveLength(1);
    expect(subjectFaults(`core: ${'long '.repeat(14)}`)).toHaveLength(1);
    expect(subjectFaults('core: read it anew')).toHaveLength(1);
  });
});
