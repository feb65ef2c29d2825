import { PlainError } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from '../services/apt-install.js';

/** As Debian, Fedora and Google call it. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * The machine's Chromium, or the one that TEST_CHROMIUM names. Root on Debian gets it installed, others the command to run. Missing
 * is a failure, never a skip.
 */
export async function chromiumBinary(): Promise<string> {
  const found = process.env.TEST_CHROMIUM || installed();
  if (found !== null) return found;
  if (mayInstall()) await aptInstall('chromium', '--no-install-recommends');
  const afterwards = installed();
  if (afterwards !== null) return afterwards;
  throw new PlainError(
    `There is no Chromium to test with. Run "${lineToType()}", or set TEST_CHROMIUM to the path of one you have.`,
  );
}

function installed(): string | null {
  return names.map(onPath).find((path) => path !== null) ?? null;
}

function lineToType(): string {
  if (process.platform === 'darwin') return 'brew install --cask chromium';
  return onPath('apt-get') !== null ? 'sudo apt-get install -y chromium' : 'sudo dnf install -y chromium';
}
