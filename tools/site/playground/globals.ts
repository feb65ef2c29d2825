export { Buffer } from 'buffer';

/** What the engine uses of Node's globals that a page does not have. */
export const process = { env: {}, platform: 'browser', stderr: { write: (line: string) => console.warn(line) } };
/** A message has no least delay, unlike a timer. */
export const setImmediate = (run: () => void): void => {
  waiting.push(run);
  channel.port2.postMessage(null);
};
const waiting: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.addEventListener('message', () => waiting.shift()?.());
channel.port1.start();

/** Node's timers are objects, which do not keep a process running after `unref()`. */
export const setTimeout = (run: () => void, ms?: number): object => {
  const id = globalThis.setTimeout(run, ms);
  const timer = { unref: () => timer, [Symbol.toPrimitive]: () => Number(id) };
  return timer;
};
export const clearTimeout = (timer: unknown): void => globalThis.clearTimeout(Number(timer));
