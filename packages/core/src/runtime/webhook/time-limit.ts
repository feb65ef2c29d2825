import { DeliveryFault } from './delivery-fault.js';

/** One limit for everything an attempt does. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** The work's result, or `timeout` as soon as the limit is reached, even if the work cannot be stopped. */
  race<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

export function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DeliveryFault('timeout')), ms);
  const reached = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(new DeliveryFault('timeout')), { once: true });
  });
  // Reached after the work has ended, or while nothing races, it is nobody's error.
  reached.catch(() => undefined);
  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, reached]),
    clear: () => clearTimeout(timer),
  };
}
