import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the Python package is. */
export const PYTHON_FOLDER = fileURLToPath(new URL('..', import.meta.url));

const OLDEST = '3.9';
/** Only ends what hangs. */
const RUN_MAX_MS = 200_000;

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end; null where the machine does not have it. */
export function run(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  cwd = PYTHON_FOLDER,
): Promise<Ran | null> {
  const env = { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1', ...environment };
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { cwd, env, timeout: RUN_MAX_MS }, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, output: stdout + stderr });
      else if (error.code === 'ENOENT') resolve(null);
      else if (typeof error.code === 'number') resolve({ code: error.code, output: stdout + stderr });
      else reject(new Error(`${program} did not end by itself:\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

/**
 * The Pythons to test with: the machine's own, and the oldest that the package promises, where pyenv has one. A machine
 * without any may be a contributor's; with `CI=true` it is a fault.
 */
export async function pythons(environment: NodeJS.ProcessEnv = process.env): Promise<readonly string[]> {
  const found: string[] = [];
  for (const program of ['python3', ...oldestOfPyenv(environment)])
    if ((await run(program, ['--version'], environment))?.code === 0) found.push(program);
  if (found.length === 0 && environment['CI'] === 'true')
    throw new Error('There is no python3, and so nothing to run the tests with.');
  return found;
}

function oldestOfPyenv(environment: NodeJS.ProcessEnv): readonly string[] {
  const versions = join(environment['PYENV_ROOT'] ?? join(environment['HOME'] ?? homedir(), '.pyenv'), 'versions');
  if (!existsSync(versions)) return [];
  const oldest = readdirSync(versions).find((version) => version.startsWith(`${OLDEST}.`));
  return oldest === undefined ? [] : [join(versions, oldest, 'bin/python3')];
}
