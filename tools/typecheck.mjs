import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { run } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/** One program for everything that runs on Node, one for the domain (no Node, no DOM), one for each package that lives in a browser. */
const programs = [
  'tsconfig.json',
  'packages/core/tsconfig.domain.json',
  'packages/sdk-browser/tsconfig.json',
  'packages/sdk-react/tsconfig.json',
  'apps/widget/tsconfig.json',
].filter((path) => existsSync(join(root, path)));

const results = await Promise.all(
  programs.map((path) => run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', path], { cwd: root })),
);
results.forEach(({ output }) => process.stdout.write(output));
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
