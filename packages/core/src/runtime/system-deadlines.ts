import type { Deadlines, TimedResult } from '../ports/edge.js';

/** Deadlines with real timers, which never keep the process alive on their own. */
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
