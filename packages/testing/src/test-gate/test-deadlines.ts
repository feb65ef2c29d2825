import type { Deadlines, TimedResult } from '@gateramp/core/ports';

/** Deadlines that expire only when a test says so. */
export interface TestDeadlines extends Deadlines {
  /** The limits of the callers that are waiting, in the order in which they started. */
  readonly waiting: readonly number[];
  /** All callers stop waiting; the awaited operations continue. */
  expire(): void;
}

/** Deadlines that pass only when a test calls `expire`. */
export function testDeadlines(): TestDeadlines {
  let waiting: { readonly limitMs: number; readonly giveUp: () => void }[] = [];
  return {
    get waiting() {
      return waiting.map(({ limitMs }) => limitMs);
    },
    expire: () => {
      for (const { giveUp } of waiting) giveUp();
      waiting = [];
    },
    within: <Value>(work: Promise<Value>, limitMs: number) => {
      const late = new Promise<TimedResult<Value>>((resolve) => {
        const wait = { limitMs, giveUp: () => resolve({ kind: 'late' }) };
        waiting.push(wait);
        const leave = () => {
          waiting = waiting.filter((one) => one !== wait);
        };
        work.then(leave, leave);
      });
      return Promise.race([work.then((value): TimedResult<Value> => ({ kind: 'done', value })), late]);
    },
    rest: async () => undefined,
  };
}
