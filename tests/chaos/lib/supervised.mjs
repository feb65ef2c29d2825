import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const restartAfterMs = 150;
const readyWithinMs = 60_000;
const endWithParent = fileURLToPath(new URL('../processes/end-with-parent.mjs', import.meta.url));
const collectWhenTold = fileURLToPath(new URL('../processes/collect-when-told.mjs', import.meta.url));

/**
 * A process that is started again whenever it ends, until `stop`. Ready means that it has written its first line to stdout. Every end is
 * told to `onExit({ name, code, signal, wasOrdered, wasReady })`.
 */
export function supervised({ name, script, env, logPath, onExit }) {
  let child = null;
  let isReady = false;
  let order = null;
  let isStopped = false;
  const waiting = [];

  const start = () => {
    if (isStopped) return;
    const log = openSync(logPath, 'a');
    child = spawn(process.execPath, ['--import', endWithParent, '--import', collectWhenTold, script], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', log],
    });
    closeSync(log);
    isReady = false;
    child.stdout.once('data', () => {
      isReady = true;
      waiting.splice(0).forEach((resolve) => resolve());
    });
    child.once('exit', (code, signal) => {
      onExit({ name, code, signal, wasOrdered: order !== null, wasReady: isReady });
      order = null;
      isReady = false;
      child = null;
      if (!isStopped) setTimeout(start, restartAfterMs);
    });
  };
  const ready = async () => {
    if (isReady) return;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${name} was not ready within ${readyWithinMs / 1000} s; see ${logPath}.`)),
        readyWithinMs,
      );
    });
    await Promise.race([new Promise((resolve) => waiting.push(resolve)), late]).finally(() => clearTimeout(timer));
  };
  const ended = () => new Promise((resolve) => (child === null ? resolve() : child.once('exit', resolve)));

  start();
  return {
    name,
    ready,
    /** Null while it is being started again. */
    pid: () => child?.pid ?? null,
    collectGarbage: () => child?.kill('SIGUSR2'),
    /** kill -9, but only of one that serves: killing what is just being started proves little. */
    async kill() {
      await ready();
      order = 'kill';
      const gone = ended();
      child.kill('SIGKILL');
      await gone;
    },
    /** For good. It may finish what it does. */
    async stop(signal = 'SIGTERM') {
      isStopped = true;
      if (child === null) return;
      order = 'stop';
      const gone = ended();
      child.kill(signal);
      await gone;
    },
  };
}
