import type { Deadlines, TimedResult } from '@gateramp/core/ports';

/** Patience that ends when a test says so, and never by itself. */
export interface TestDeadlines extends Deadlines {
  /** The limits of those who are waiting now, in the order they began to. */
  readonly waiting: readonly number[];
  /** All callers stop waiting; what they waited for continues. */
  expire(): void;
}

/** Deadlines that pass only when a test lets them: `expire`. */
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
