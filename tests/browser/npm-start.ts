import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { ANY_PORT } from '../services/any-port.js';

/** Runs `npm start` with default settings on free ports until the test ends. Returns the banner once it is complete. */
export async function npmStart(clone: string): Promise<string> {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: clone,
    env: { ...process.env, ...ANY_PORT, GATE_LOG: 'pretty' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that all of its processes can be ended.
    detached: true,
  });
  onTestFinished(() => end(child.pid));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
  let banner = '';
  child.stdout.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (part: string) => {
      banner += part;
      if (/"scenario":"succeed".*\n/.test(banner)) resolve(banner);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${stderr}`)));
  });
}

function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
