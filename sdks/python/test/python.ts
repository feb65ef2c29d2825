import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aptInstall, mayInstall } from '../../../tools/lib/apt.mjs';
import { PlainError } from '../../../tools/lib/steps.mjs';

/** Where the Python package is. */
export const PYTHON_FOLDER = fileURLToPath(new URL('..', import.meta.url));

const OLDEST = '3.9';
/** Where Debian keeps packages of Python. */
export const DEBIAN_PACKAGES = '/usr/lib/python3/dist-packages';
/** httpx and what it needs, all plain Python, so that Debian's run on every Python. */
const HTTPX_AND_MORE = /^(httpx|httpcore|h11|anyio|certifi|idna|rfc3986|sniffio|typing_extensions|exceptiongroup)\b.*/;
/** Only ends what hangs. */
const RUN_MAX_MS = 400_000;

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

/** A PYTHONPATH with the SDK and with httpx, which is the Python's own, or else Debian's. */
export async function pathWithHttpx(python: string): Promise<string> {
  const hasOwn = (await run(python, ['-c', 'import httpx'], { PYTHONPATH: '' }))?.code === 0;
  const source = join(PYTHON_FOLDER, 'src');
  return hasOwn ? source : [source, await debianHttpx()].join(delimiter);
}

/** A folder with nothing but Debian's httpx and what it needs. As root on Debian, a missing package is installed. */
export async function debianHttpx(): Promise<string> {
  if (!existsSync(join(DEBIAN_PACKAGES, 'httpx')) && mayInstall())
    await aptInstall('python3-httpx', '--no-install-recommends');
  if (!existsSync(join(DEBIAN_PACKAGES, 'httpx')))
    throw new PlainError('There is no httpx to test with. Run "pip install httpx" or "apt-get install python3-httpx".');
  const folder = mkdtempSync(join(tmpdir(), 'gate-python-httpx-'));
  for (const name of readdirSync(DEBIAN_PACKAGES).filter((one) => HTTPX_AND_MORE.test(one)))
    symlinkSync(join(DEBIAN_PACKAGES, name), join(folder, name));
  return folder;
}

function oldestOfPyenv(environment: NodeJS.ProcessEnv): readonly string[] {
  const versions = join(environment['PYENV_ROOT'] ?? join(environment['HOME'] ?? homedir(), '.pyenv'), 'versions');
  if (!existsSync(versions)) return [];
  const oldest = readdirSync(versions).find((version) => version.startsWith(`${OLDEST}.`));
  return oldest === undefined ? [] : [join(versions, oldest, 'bin/python3')];
}
