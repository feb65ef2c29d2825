import { expect, it } from 'vitest';

import { faultsIn, laws } from '../tidy.mjs';

const manifest = (changes: object): string =>
  JSON.stringify({
    name: '@gateramp/x',
    description: 'A description that says to a stranger what this is for.',
    ...changes,
  });

/** One planted fault for each law. They are written in pieces, or this file would break the laws itself. */
const planted: Array<[law: string, path: string, text: string]> = [
  ['source-files-are-short', 'packages/x/src/long.ts', 'export {};\n'.repeat(401)],
  ['comments-are-not-wide', 'packages/x/src/a.ts', `  // ${'wide '.repeat(28)}`],
  ['comments-are-not-wide', 'packages/x/test/a.test.ts', ` * ${'wide '.repeat(28)}`],
  ['no-test-is-set-aside', 'packages/x/test/a.test.ts', ['it', 'only("a", f)'].join('.')],
  ['no-test-is-set-aside', 'packages/x/test/a.test.ts', ['describe', 'concurrent', 'skip("a", f)'].join('.')],
  ['nothing-is-left-for-later', 'packages/x/src/a.ts', `// ${'TO'}DO: later`],
  ['nothing-is-left-for-later', 'docs/a.md', `${'FIX'}ME`],
  ['the-repository-stands-alone', 'docs/a.md', `see ..${'/shared'}/notes.md`],
  ['no-cast-to-any', 'packages/x/src/a.ts', `const a = b as ${'any'};`],
  ['no-cast-to-any', 'packages/x/test/a.test.ts', `call(b as ${'any'})`],
  ['no-silenced-compiler', 'packages/x/src/a.ts', `// @ts-${'ignore'}`],
  ['core-has-one-writer', 'packages/core/src/application/sessions/a.ts', 'await engine.store.commit(change);'],
  [
    'core-has-one-writer',
    'packages/core/src/gate/a.ts',
    "import { commitChange } from '../application/commit/commit-change.js';",
  ],
  ['kebab-case-names', 'packages/x/src/openSession.ts', ''],
  ['kebab-case-names', 'packages/x/src/Widget.tsx', ''],
  ['no-build-output-is-committed', 'packages/x/dist/index.js', ''],
  ['every-workspace-says-what-it-is', 'packages/x/package.json', manifest({ description: 'A package.' })],
  ['dependencies-are-pinned', 'packages/x/package.json', manifest({ dependencies: { zod: '^4.0.0' } })],
];

it.each(planted)('%s trips on a planted fault in %s', (law, path, text) => {
  expect(faultsIn([{ path, text }]).map((fault) => fault.law)).toEqual([law]);
});

it('plants a fault for every law', () => {
  expect([...new Set(planted.map(([law]) => law))].sort()).toEqual(Object.keys(laws).sort());
});

it('lets sound files pass', () => {
  const sound = [
    {
      path: 'packages/x/src/open-session.ts',
      text: '/** As any reader sees, `any` may be a word. */\nexport const a = list.skip(1);\n',
    },
    { path: 'packages/x/test/open-session.test.ts', text: "it('skips', f);\n" },
    {
      path: 'packages/x/package.json',
      text: manifest({ dependencies: { zod: '4.6.7' }, peerDependencies: { express: '^5.0.0' } }),
    },
    { path: 'packages/x/src/text.ts', text: `export const text = '${'wide '.repeat(40)}'; // why\n` },
    { path: 'docs/decisions/0001-decide-then-commit.md', text: '# Decide, then commit\n' },
    { path: 'README.md', text: '# Gateramp\n' },
    { path: '.dependency-cruiser.cjs', text: '' },
    { path: 'packages/core/src/application/commit/commit-change.ts', text: 'await engine.store.commit(change);\n' },
  ];
  expect(faultsIn(sound)).toEqual([]);
});
