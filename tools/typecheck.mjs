import { run } from './lib/steps.mjs';
import { root, webPrograms } from './lib/workspaces.mjs';

/** One program for everything that runs on Node, one for the domain (no Node, no DOM), one for each folder that lives in a browser. */
const programs = ['tsconfig.json', 'packages/core/tsconfig.domain.json', ...webPrograms()];

const results = await Promise.all(
  programs.map((path) => run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', path], { cwd: root })),
);
results.forEach(({ output }) => process.stdout.write(output));
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
