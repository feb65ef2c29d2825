import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { STATUSES } from '@gateramp/core/http';
import { describe, expect, it } from 'vitest';

import { blocksOf, faultsIn } from '../docs.mjs';

const page = (text: string, path = 'docs/page.md') => ({ path, text });
const block = (code: string, marker = '') => `Text.\n\n${marker}\n\`\`\`ts\n${code}\n\`\`\`\n`;
const onHost = '<!-- context: host -->';

/** One planted fault for each promise, with the line on which it must be found. */
const planted: ReadonlyArray<readonly [promise: string, text: string, line: number, complaint: RegExp]> = [
  ['links lead somewhere', 'See [this](nowhere.md).', 1, /nowhere\.md leads nowhere/],
  ['links lead to a heading that exists', '# Here\n\n[there](#there)', 3, /#there leads nowhere/],
  ['a # in code is no heading', '```sh\n# There\n```\n\n[there](#there)', 5, /#there leads nowhere/],
  ['repeated headings are numbered', '# There\n\n# There\n\n[there](#there-2)', 5, /#there-2 leads nowhere/],
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
    '## Tests\n\n## Tests 1\n\n## Tests\n\n[the first](#tests), [the second](#tests-1), [the third](#tests-2)',
    '## See [the readme](../README.md)\n\n[above](#see-the-readme)',
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

describe('docs/specification.md', () => {
  const text = readFileSync('docs/specification.md', 'utf8');
  /** The numbers of each section, in the order in which they are written. */
  const sections = new Map(
    text
      .split(/^##+ /m)
      .slice(1)
      .map((section) => {
        const [name = ''] = section.split('\n');
        return [name, [...section.matchAll(/^(?:\| )?(\d+)(?:\. | \|)/gm)].map(([, number]) => Number(number))];
      }),
  );

  it('numbers the statements of each section from 1, without gaps', () => {
    expect([...sections.values()].flat().length).toBeGreaterThan(200);
    for (const [name, numbers] of sections) expect(numbers, name).toEqual(numbers.map((_, index) => index + 1));
  });

  it('has every statement that the code cites', () => {
    const cited = execFileSync(
      'git',
      ['grep', '-ohE', String.raw`\(?spec: [A-Z][A-Za-z -]+[0-9]*`, '--', 'packages', 'sdks', 'apps'],
      { encoding: 'utf8' },
    );
    const citations = [...cited.matchAll(/spec: ([A-Z][A-Za-z-]+(?: [A-Za-z]+)*) ?(\d*)/g)];
    expect(citations.length).toBeGreaterThan(40);
    for (const [citation, name = '', number] of citations) {
      expect([...sections.keys()], citation).toContain(name);
      if (number) expect(sections.get(name), citation).toContain(Number(number));
    }
  });

  it('lists at its end the statements that are marked as deviations', () => {
    const [body = '', list = ''] = text.split('\n## Deviations\n');
    const marked = body.split(/^##+ /m).flatMap((section) => {
      const [name] = section.split('\n');
      return [...section.matchAll(/^(?:\| )?(\d+)(?:\. | \|)(?:(?!\n(?:\||\d+\. |\n))[^])*\*\*Deviation:\*\*/gm)].map(
        ([, number]) => `${name} ${number}`,
      );
    });
    const listed = [...list.matchAll(/\*\*([A-Z][A-Za-z -]+?) ([\d, and]+)\*\*/g)].flatMap(([, name, numbers = '']) =>
      [...numbers.matchAll(/\d+/g)].map(([number]) => `${name} ${number}`),
    );
    expect(marked.length).toBeGreaterThan(1);
    expect(listed).toEqual(marked);
  });
});

it('counts the lines of a block from the top of its page', () => {
  expect(blocksOf(page(block('one();\ntwo();'))).map(({ line, code }) => [line, code])).toEqual([
    [5, 'one();\ntwo();'],
  ]);
});
