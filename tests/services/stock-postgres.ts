import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PlainError, run } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from '../../tools/lib/apt.mjs';

/** The folder of Postgres versions on Debian and derivatives, one folder per major version. */
const debianFolder = '/usr/lib/postgresql';

/**
 * The machine's own Postgres, as built by its distribution (with LLVM, which compiles expensive plans). Installed automatically as root on
 * Debian; otherwise the error contains the command to run. A missing Postgres is a failure, never a reason to skip.
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

/** The newest version on Debian; elsewhere the one on the PATH. */
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
