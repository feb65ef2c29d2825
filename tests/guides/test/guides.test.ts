import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../../tools/lib/workspaces.mjs';
import { modulesOfPage, run } from '../run-page.js';
import { serve } from '../serve.js';

const FOLDER = join(root, 'docs/guides');
const PAGES = readdirSync(FOLDER).filter((page) => page !== 'README.md');

it('every guide is in the table of guides, and has something to run', () => {
  const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  for (const page of PAGES) {
    expect(index).toContain(`(${page})`);
    expect(modulesOfPage(page), page).not.toEqual([]);
  }
});

it.each(PAGES.flatMap(modulesOfPage))(
  'the blocks of $name run as they stand, and print what they say',
  async (module) => {
    const server = await serve();
    onTestFinished(() => server.close());
    const printed = await run(module, server.env);
    for (const promised of module.promised.filter((one) => one !== null)) expect(printed).toContain(promised);
    if (!module.promised.includes(null)) expect(printed).toEqual(module.promised);
  },
);
