import { onAbort } from './on-abort.js';

/** Resolves after the delay; rejects with the reason of the signal if it aborts first. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      stopWaiting();
      // The reason of an AbortSignal can be any value; fetch rejects with it unchanged, and so does this function.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      stopWaiting();
      resolve();
    }, ms);
    const stopWaiting = onAbort(signal, stop);
    if (signal?.aborted === true) stop();
  });
}
