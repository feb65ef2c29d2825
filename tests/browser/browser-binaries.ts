import { existsSync } from 'node:fs';

import { PlainError } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from '../../tools/lib/apt.mjs';

interface Wanted {
  readonly title: string;
  /** The environment variable with the path of a binary to use instead. */
  readonly variable: string;
  /** Candidate paths, or command names to look up in PATH. */
  readonly names: readonly string[];
  /** The Debian packages to install. */
  readonly packages: readonly string[];
  readonly homebrew: string;
}

/**
 * The machine's Chromium, or the one in TEST_CHROMIUM. Debian's headless shell is installed where possible, since its tabs open in a fifth
 * of the time.
 */
export async function chromiumBinary(): Promise<string> {
  const shell = 'chromium-headless-shell';
  if (!process.env.TEST_CHROMIUM && onPath(shell) === null && mayInstall())
    await aptInstall(shell, '--no-install-recommends');
  return binaryOf({
    title: 'Chromium',
    variable: 'TEST_CHROMIUM',
    // The names used by Debian, Fedora and Google.
    names: [shell, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    packages: ['chromium'],
    homebrew: '--cask chromium',
  });
}

/** The machine's Firefox, or the one in TEST_FIREFOX. */
export const firefoxBinary = (): Promise<string> =>
  binaryOf({
    title: 'Firefox',
    variable: 'TEST_FIREFOX',
    names: ['firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
    packages: ['firefox-esr'],
    homebrew: '--cask firefox',
  });

/**
 * Finds a browser. As root on Debian a missing one is installed; otherwise the error contains the command to run. Tests are never skipped.
 */
async function binaryOf(wanted: Wanted): Promise<string> {
  const found = process.env[wanted.variable] || installed(wanted);
  if (found !== null) return found;
  if (mayInstall()) for (const name of wanted.packages) await aptInstall(name, '--no-install-recommends');
  const afterwards = installed(wanted);
  if (afterwards !== null) return afterwards;
  const { title, variable } = wanted;
  throw new PlainError(
    `There is no ${title} to test with. Run "${lineToType(wanted)}", or set ${variable} to the path of one you have.`,
  );
}

function installed({ names }: Wanted): string | null {
  for (const name of names) {
    const path = name.startsWith('/') ? name : onPath(name);
    if (path !== null && existsSync(path)) return path;
  }
  return null;
}

function lineToType({ packages, homebrew }: Wanted): string {
  if (process.platform === 'darwin') return `brew install ${homebrew}`;
  return `sudo ${onPath('apt-get') !== null ? 'apt-get' : 'dnf'} install -y ${packages.join(' ')}`;
}
