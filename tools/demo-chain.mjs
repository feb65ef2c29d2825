import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { reportAndExit } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';
import { setup } from './setup.mjs';

/** `npm run demo:chain`: the demo shop over provider legs and a private EVM chain. */
async function demo() {
  await setup();
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'tools/demo-chain/run.ts')], {
    stdio: 'inherit',
    cwd: root,
  });
  child.on('error', reportAndExit);
  child.on('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => !process.stdin.isTTY && child.kill('SIGINT'));
}

demo().catch(reportAndExit);
