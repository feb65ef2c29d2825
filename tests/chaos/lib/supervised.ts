import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const restartAfterMs = 150;
const readyWithinMs = 60_000;
const endWithParent = fileURLToPath(new URL('../processes/end-with-parent.mjs', import.meta.url));
const collectOnSignal = fileURLToPath(new URL('../processes/collect-on-signal.mjs', import.meta.url));

export interface Exit {
  readonly name: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly wasOrdered: boolean;
  readonly wasReady: boolean;
}

export interface Supervised {
  readonly name: string;
  readonly ready: () => Promise<void>;
  /** Null while it is being restarted. */
  readonly pid: () => number | null;
  /** Resolves once it has started. */
  readonly collectGarbage: () => Promise<void>;
  /** kill -9, but only of a process that is ready: killing one that is starting proves little. */
  readonly kill: () => Promise<void>;
  /** Does not restart it. It may finish its work. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

interface Program {
  readonly name: string;
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logPath: string;
  readonly onExit: (exit: Exit) => void;
}

/**
 * A process that is restarted whenever it ends, until `stop`. It is ready once it has written its first line to stdout. Every exit is
 * reported to `onExit({ name, code, signal, wasOrdered, wasReady })`.
 */
export function supervised({ name, script, env, logPath, onExit }: Program): Supervised {
  let child: ChildProcess | null = null;
  let isReady = false;
  let order: 'kill' | 'stop' | null = null;
  let isStopped = false;
  const waiting: (() => void)[] = [];
  const collecting: (() => void)[] = [];

  const start = (): void => {
    if (isStopped) return;
    const log = openSync(logPath, 'a');
    const begun = spawn(process.execPath, ['--import', endWithParent, '--import', collectOnSignal, script], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', log],
    });
    child = begun;
    closeSync(log);
    isReady = false;
    begun.stdout?.once('data', () => {
      isReady = true;
      waiting.splice(0).forEach((resolve) => resolve());
    });
    begun.stdout?.on('data', (text: Buffer) => {
      if (text.includes('collected')) collecting.splice(0).forEach((resolve) => resolve());
    });
    begun.once('exit', (code, signal) => {
      collecting.splice(0).forEach((resolve) => resolve());
      const exit = { name, code, signal, wasOrdered: order !== null, wasReady: isReady };
      order = null;
      isReady = false;
      child = null;
      // Its errors end the run: callers must not wait for a process that does not restart.
      onExit(exit);
      if (!isStopped) setTimeout(start, restartAfterMs);
    });
  };
  const ready = async (): Promise<void> => {
    if (isReady) return;
    await new Promise<void>((resolve, reject) => {
      const late = new Error(`${name} was not ready within ${readyWithinMs / 1000} s; see ${logPath}.`);
      const timer = setTimeout(() => reject(late), readyWithinMs);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  };
  const endOf = async (running: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    const gone = once(running, 'exit');
    running.kill(signal);
    await gone;
  };

  start();
  return {
    name,
    ready,
    pid: () => child?.pid ?? null,
    collectGarbage: () =>
      new Promise((resolve) => {
        if (child === null) return resolve();
        collecting.push(resolve);
        child.kill('SIGWINCH');
      }),
    async kill() {
      await ready();
      if (child === null) return;
      order = 'kill';
      await endOf(child, 'SIGKILL');
    },
    async stop(signal = 'SIGTERM') {
      isStopped = true;
      if (child === null) return;
      order = 'stop';
      await endOf(child, signal);
    },
  };
}
