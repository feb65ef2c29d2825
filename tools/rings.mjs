import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isMain, run } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/** `npm run rings`: checks the import rules of `.dependency-cruiser.cjs` over every code folder, including new ones. */
const CODE = ['packages', 'sdks', 'apps'];

/** @param {string} house the root of the folders @param {readonly string[]} options of dependency-cruiser */
export function cruise(house, options = []) {
  const folders = CODE.filter((folder) => existsSync(join(house, folder)));
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  return run(process.execPath, [program, ...folders, '--config', join(root, '.dependency-cruiser.cjs'), ...options], {
    cwd: house,
  });
}

if (isMain(import.meta.url)) {
  const { code, output } = await cruise(root);
  process.stdout.write(output);
  process.exitCode = code;
}
