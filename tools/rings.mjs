import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isMain, run } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/**
 * `npm run rings`: the import rules of `.dependency-cruiser.cjs`, over every folder of code that there is; one that
 * arrives later is walled from its first day.
 */
const CODE = ['packages', 'sdks', 'apps'];

/** @param {string} house where the folders are @param {readonly string[]} options of dependency-cruiser */
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
