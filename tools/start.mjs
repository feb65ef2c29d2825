import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { PlainError, reportAndExit } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';
import { setup } from './setup.mjs';

const USAGE = `Usage: npm start

Prepares the clone and runs the reference server. All settings are environment variables: docs/operating.md#settings
`;

/** `npm start`: prepares the clone, then becomes the reference server, which handles signals and the end of npm itself. */
async function start() {
  const [argument] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') return void process.stdout.write(USAGE);
  if (argument !== undefined)
    throw new PlainError(`${argument} is unknown. Pass settings as environment variables: docs/operating.md#settings`);
  const parent = process.ppid;
  await setup();
  if (process.ppid !== parent) throw new PlainError('npm has ended, so the server was not started.');
  const main = join(root, 'apps/reference-server/dist/main.js');
  if (!existsSync(main))
    throw new PlainError('The reference server is not built: apps/reference-server/src/main.ts does not exist.');
  await import(pathToFileURL(main).href);
}

start().catch(reportAndExit);
