import { readFileSync } from 'node:fs';
import { STATUSES } from '@gateramp/core/http';
import { expect, it } from 'vitest';

import { blocksOf, faultsIn } from '../docs.mjs';

const page = (text: string, path = 'docs/page.md') => ({ path, text });
const block = (code: string, marker = '') => `Text.\n\n${marker}\n\`\`\`ts\n${code}\n\`\`\`\n`;
const onHost = '<!-- context: host -->';

/** One planted fault for each promise, with the line on which it must be found. */
const planted: ReadonlyArray<readonly [promise: string, text: string, line: number, complaint: RegExp]> = [
  ['links lead somewhere', 'See [this](nowhere.md).', 1, /nowhere\.md leads nowhere/],
  ['links lead to a heading that exists', '# Here\n\n[there](#there)', 3, /#there leads nowhere/],
  ['links of a page are relative to it', 'See [the changelog](CHANGELOG.md).', 1, /CHANGELOG\.md leads nowhere/],
  ['a label is defined', 'See [this one].', 1, /\[this one\] is not defined/],
  ['a defined label leads somewhere', 'See [it].\n\n[it]: ../nowhere.ts', 3, /nowhere\.ts leads nowhere/],
  ['a file that is named exists', 'Look at `packages/core/src/nowhere.ts`.', 1, /nowhere\.ts does not exist/],
  [
    'code compiles',
    block("import { createGate } from '@gateramp/core';\n\ncreateGate({});"),
    7,
    /'{}' is not assignable to parameter/,
  ],
  ['code imports what exists', block("import { openGate } from '@gateramp/core';"), 5, /no exported member/],
  ['code without a context has only itself', block('await gate.start();'), 5, /Cannot find name 'gate'/],
  [
    'a context gives what it exports, and no more',
    block('await gate.begin();', onHost),
    5,
    /'begin' does not exist on type 'Gate'/,
  ],
  [
    'a block that continues knows what went before',
    `${block('const asked = 1;')}\n${block('asked.length;', '<!-- continues -->')}`,
    12,
    /'length' does not exist on type '1'/,
  ],
  ['a context exists', block('gate;', '<!-- context: nowhere -->'), 5, /no tools\/docs-context\/nowhere\.ts/],
  ['a copy is word for word', block('export {};', '<!-- file: tests/consumers/shop/gate.ts -->'), 5, /word for word/],
];

/** Compiled together: each is a separate page. */
const pathOf = (promise: string) => `docs/${promise.replaceAll(' ', '-')}.md`;
const found = faultsIn(planted.map(([promise, text]) => page(text, pathOf(promise))));

it.each(planted)('%s', (promise, _text, line, complaint) => {
  const faults = found.filter(({ path }) => path === pathOf(promise));
  expect(faults).toEqual([{ path: pathOf(promise), line, complaint: expect.stringMatching(complaint) }]);
});

it('lets true documents pass', () => {
  const text = [
    '# A page, `with [code] in it`',
    'See [the readme](../README.md), [there](#a-page-with-code-in-it), [a site](https://example.com), [a test] and `packages/<name>/README.md`.',
    block('await gate.start();', onHost),
    block("import { createGate } from '@gateramp/core';\n\nconst gate = createGate(ports);", onHost),
    block(readFileSync('tests/consumers/shop/gate.ts', 'utf8').trim(), '<!-- file: tests/consumers/shop/gate.ts -->'),
    '```sh\n[not a link](nowhere)\n```',
    '[a test]: ../tools/test/docs.test.ts',
  ].join('\n');
  expect(faultsIn([page(text)])).toEqual([]);
});

it('the error table of docs/spec-notes.md is that of the code', () => {
  const rows = [...readFileSync('docs/spec-notes.md', 'utf8').matchAll(/^\| (\d{3}) \| (.+) \|$/gm)];
  const written = rows.flatMap(([, status, codes]) =>
    [...(codes ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
  );
  expect(Object.fromEntries(written)).toEqual(STATUSES);
});

it('counts the lines of a block from the top of its page', () => {
  expect(blocksOf(page(block('one();\ntwo();'))).map(({ line, code }) => [line, code])).toEqual([
    [5, 'one();\ntwo();'],
  ]);
});
