import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { root } from '../../../tools/lib/workspaces.mjs';
import type { Orders } from './orders.js';

export interface Helper {
  /** Its port, if it chose one itself. */
  readonly ports: readonly number[];
  readonly finish: () => void;
  /** Resolves when its work is done; rejects if it ends before. */
  readonly ended: Promise<void>;
  /** Rejects if it fails, and never resolves. */
  readonly failed: Promise<never>;
  readonly stop: () => void;
}

/**
 * Runs one of processes/*.ts. Its first message contains its orders; it reports its port when it is ready. It accepts
 * `finish`, and ends when its work is done or its parent has ended.
 */
export async function startHelper<Name extends keyof Orders>(name: Name, orders: Orders[Name]): Promise<Helper> {
  const child = fork(fileURLToPath(new URL(`../processes/${name}.ts`, import.meta.url)), {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${name} ended with ${code ?? signal ?? 'nothing'}.`)),
    );
  });
  const failed = ended.then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  // Callers that wait receive it; until then a failure must not end the run silently.
  ended.catch(() => undefined);
  child.send(orders);
  const said = once(child, 'message').then((messages) => (messages as [FirstWords])[0]);
  const { ports } = await Promise.race([said, failed]);
  return {
    ports,
    finish: () => void (child.connected && child.send('finish')),
    ended,
    failed,
    stop: () => void child.kill('SIGKILL'),
  };
}

interface FirstWords {
  readonly ports: readonly number[];
}

/**
 * The other side: resolves with the orders of the process of that name, which only `startHelper` sends;
 * `onFinish` is called once.
 */
export function ordersOf<Name extends keyof Orders>(_name: Name, onFinish: () => void): Promise<Orders[Name]> {
  process.once('disconnect', orphaned);
  return new Promise((resolve) => {
    process.once('message', (given) => {
      process.once('message', onFinish);
      resolve(given as Orders[Name]);
    });
  });
}

/** At work. */
export function ready(ports: readonly number[] = []): void {
  const said: FirstWords = { ports };
  process.send?.(said);
}

/** The work is done: nothing more is heard, and the process ends as soon as nothing keeps it. */
export function done(): void {
  process.off('disconnect', orphaned);
  process.disconnect();
}

function orphaned(): void {
  process.exit(1);
}
