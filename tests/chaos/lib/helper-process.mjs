import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs one of processes/*.mjs. It gets its orders as the first message and says `{ ready }` when it is at work; it may be told `finish`, and
 * ends by itself when its work is done or its starter is gone.
 */
export async function startHelper(name, orders) {
  const child = fork(fileURLToPath(new URL(`../processes/${name}.mjs`, import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${name} ended with ${code ?? signal}.`)),
    );
  });
  const failed = ended.then(() => new Promise(() => undefined));
  failed.catch(() => undefined);
  // Whoever waits for it hears of it; until then a failure must not end the run without a word.
  ended.catch(() => undefined);
  child.send(orders);
  const said = await Promise.race([new Promise((resolve) => child.once('message', resolve)), ended]);
  return {
    /** Its first words: `{ ready }`, and whatever only it can know. */
    said,
    finish: () => child.connected && child.send('finish'),
    ended,
    /** Rejects when it ends otherwise than by itself, and never resolves. */
    failed,
    stop: () => child.kill('SIGKILL'),
  };
}

/** The other side: resolves with the orders; `onFinish` is called once. */
export function orders(onFinish) {
  process.once('disconnect', orphaned);
  return new Promise((resolve) => {
    process.once('message', (given) => {
      process.once('message', onFinish);
      resolve(given);
    });
  });
}

/** The work is done: nothing more is heard, and the process ends as soon as nothing keeps it. */
export function done() {
  process.off('disconnect', orphaned);
  process.disconnect();
}

function orphaned() {
  process.exit(1);
}
