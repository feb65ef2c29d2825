import type { Log } from './log.js';

/** Work that can be stopped without the process, and begun again. */
export interface DrainableWork {
  /** Claims no more work, and resolves once the running work has ended. */
  readonly drain: () => Promise<void>;
  readonly resume: () => Promise<void>;
}

/** `none`: this process only serves requests. `draining`: claims no more work, and finishes what is running. */
export type WorkerState = 'none' | 'working' | 'draining' | 'drained';

/** Lets an operator drain the worker of this process while its ports stay open. Both calls return at once and may be repeated. */
export interface WorkerControl {
  readonly state: () => WorkerState;
  readonly drain: () => void;
  readonly resume: () => void;
}

export function workerControl(work: DrainableWork | null, log: Log): WorkerControl {
  let state: WorkerState = work === null ? 'none' : 'working';
  /** A drain that was followed by a resumption must not report its end. */
  let changes = 0;
  const failed = (error: unknown): void => log.error({ err: error }, 'Draining or resuming the worker failed');
  return {
    state: () => state,
    drain: () => {
      if (work === null || state !== 'working') return;
      state = 'draining';
      const change = ++changes;
      log.info('Draining the worker: requests are still served');
      work
        .drain()
        .then(() => {
          if (change !== changes) return;
          state = 'drained';
          log.info('The worker is drained');
        })
        .catch(failed);
    },
    resume: () => {
      if (work === null || state === 'working') return;
      state = 'working';
      changes += 1;
      log.info('The worker claims work again');
      work.resume().catch(failed);
    },
  };
}
