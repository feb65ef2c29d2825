import type { Deadlines, TimedResult } from '../ports/edge.js';

/** Patience on real timers. A timer never keeps the process alive on its own. */
export function systemDeadlines(): Deadlines {
  return {
    within: async <Value>(work: Promise<Value>, limitMs: number): Promise<TimedResult<Value>> => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<TimedResult<Value>>((resolve) => {
        timer = setTimeout(() => {
          resolve({ kind: 'late' });
        }, limitMs);
        timer.unref();
      });
      try {
        return await Promise.race([work.then((value): TimedResult<Value> => ({ kind: 'done', value })), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    rest: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
  };
}
