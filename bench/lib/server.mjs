import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnd } from './child-end.mjs';

/**
 * Runs a server script in its own process. The script sends `{ port, ... }` when it listens.
 *
 * @param {string} name file name under bench/servers
 * @param {Record<string, string>} env added to the environment
 */
export async function startServer(name, env = {}) {
  const script = fileURLToPath(new URL(`../servers/${name}`, import.meta.url));
  // Both sides get the young generation that is recommended for a busy API process (docs/operating.md).
  const child = fork(script, {
    stdio: 'inherit',
    execArgv: ['--max-semi-space-size=64'],
    env: { ...process.env, ...env },
  });
  const { ended, whileRunning } = childEnd(child, name);
  const ready = await whileRunning(new Promise((resolve) => child.once('message', resolve)));
  return {
    ...ready,
    pid: child.pid,
    go: () => child.send('go'),
    ask: (what = 'counts') => {
      const answer = new Promise((resolve) => child.once('message', resolve));
      // An error of the channel means that the child has ended.
      child.send(what, () => undefined);
      return whileRunning(answer);
    },
    whileRunning,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
