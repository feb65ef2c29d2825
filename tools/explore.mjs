import { spawnSync } from 'node:child_process';

import { root } from './lib/workspaces.mjs';

/**
 * `npm run test:explore [minutes] [-- files]`: runs the random tests with new seeds, repeatedly. `npm test` uses one seed, so that its
 * result depends on the change only; this command looks for new faults. A failure prints the seed that reproduces it.
 */
const [minutes = '30', ...files] = process.argv.slice(2);
const until = Date.now() + Number(minutes) * 60_000;
const chosen =
  files.length > 0 ? files : ['interleaving', 'concurrent', 'differential', 'conformance', 'races', 'crash', 'domain'];

for (let round = 1; Date.now() < until; round += 1) {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`round ${round}: GATE_TEST_SEED=${seed}\n`);
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...chosen], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, GATE_TEST_DEPTH: 'deep', GATE_TEST_SEED: seed },
  });
  if (status !== 0) {
    process.stdout.write(
      `Seed ${seed} fails. Repeat it: GATE_TEST_DEPTH=deep GATE_TEST_SEED=${seed} npm run test:unit -- ${chosen.join(' ')}\n`,
    );
    process.exit(1);
  }
}
