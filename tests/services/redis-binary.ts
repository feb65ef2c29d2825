import { PlainError } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from '../../tools/lib/apt.mjs';

/**
 * The machine's `redis-server`. Installed automatically as root on Debian; otherwise the error contains the command to run. A missing
 * server is a failure, never a reason to skip.
 */
export async function redisBinary(): Promise<string> {
  const found = onPath('redis-server');
  if (found !== null) return found;
  if (mayInstall()) await aptInstall('redis-server', '--no-install-recommends');
  const installed = onPath('redis-server');
  if (installed !== null) return installed;
  throw new PlainError(
    `There is no redis-server to test with. Run "${lineToType()}", or set TEST_REDIS_URL to an empty Redis of your own.`,
  );
}

function lineToType(): string {
  if (process.platform === 'darwin') return 'brew install redis';
  return onPath('apt-get') !== null ? 'sudo apt-get install -y redis-server' : 'sudo dnf install -y redis';
}
