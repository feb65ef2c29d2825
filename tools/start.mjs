import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

import { PlainError, reportAndExit } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';
import { setup } from './setup.mjs';

/** `npm start`: prepares the clone, then runs the reference server with its signals, output and exit code passed through. */
async function start() {
  await setup();
  const main = join(root, 'apps/reference-server/dist/main.js');
  if (!existsSync(main))
    throw new PlainError('The reference server is not built: apps/reference-server/src/main.ts does not exist.');

  const server = spawn(process.execPath, [main, ...process.argv.slice(2)], { stdio: 'inherit', cwd: process.cwd() });
  server.on('error', reportAndExit);
  server.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  process.on('SIGTERM', () => server.kill('SIGTERM'));
  process.on('SIGHUP', () => server.kill('SIGHUP'));
  // A terminal sends Ctrl-C to both processes; passing it on as well would be a second Ctrl-C.
  process.on('SIGINT', () => !process.stdin.isTTY && server.kill('SIGINT'));
}

start().catch(reportAndExit);
