import { availableParallelism } from 'node:os';

import { run } from './lib/steps.mjs';
import { root, webPrograms } from './lib/workspaces.mjs';

/** One program for all code on Node, one for the domain (no Node, no DOM), and one for each browser folder. */
const waiting = ['tsconfig.json', 'packages/core/tsconfig.domain.json', ...webPrograms()];

/** The compiler takes a core and half a gigabyte per program: running more than there are cores would only slow all of them down. */
const workers = Array.from({ length: availableParallelism() }, async () => {
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { code, output } = await run(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', path], {
      cwd: root,
    });
    process.stdout.write(output);
    if (code !== 0) process.exitCode = 1;
  }
});
await Promise.all(workers);
