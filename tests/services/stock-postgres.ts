import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PlainError, run } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from './apt-install.js';

/** Where Debian and its like keep them, one folder a major version. */
const debianFolder = '/usr/lib/postgresql';

/**
 * The machine's own Postgres, as its distribution builds it (with LLVM, which compiles plans that look dear). Root on Debian gets it
 * installed; other users get the command to run. Missing is a failure, never a skip.
 */
export async function stockPostgres(): Promise<{ version: string; bin: string }> {
  const found = binFolder();
  if (found === null && mayInstall()) await aptInstall('postgresql');
  const bin = found ?? binFolder();
  if (bin === null)
    throw new PlainError(
      `There is no Postgres of this machine to test with. Run "${lineToType()}", or set TEST_DATABASE_URL to an empty database of your own.`,
    );
  const { output } = await run(join(bin, 'postgres'), ['--version']);
  return { version: /\d+(\.\d+)?/.exec(output)?.[0] ?? 'unknown', bin };
}

/** Of Debian's the newest; elsewhere whichever the shell would run. */
function binFolder(): string | null {
  const majors = existsSync(debianFolder)
    ? readdirSync(debianFolder).sort((one, other) => Number(other) - Number(one))
    : [];
  const debian = majors.map((major) => join(debianFolder, major, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (debian !== undefined) return debian;
  const initdb = onPath('initdb');
  return initdb === null ? null : dirname(realpathSync(initdb));
}

function lineToType(): string {
  if (process.platform === 'darwin') return 'brew install postgresql';
  return onPath('apt-get') !== null
    ? 'sudo apt-get install -y postgresql'
    : 'sudo dnf install -y postgresql-server postgresql-llvmjit';
}
