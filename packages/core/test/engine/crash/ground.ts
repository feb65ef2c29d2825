import { runs } from '../../../../../tests/depth.js';
import type { StoreSubject } from '@gateramp/conformance';
import type { Store } from '@gateramp/core/ports';
import { createTestGate, type TestGate } from '@gateramp/testing';

/** What a run uses and what outlives its process. */
export interface Ground {
  readonly t: TestGate;
  /** The store as the next process finds it. */
  readonly nextStore: () => Promise<Store>;
  readonly close: () => Promise<void>;
}

/** Creates the environments of runs. */
export interface Grounds {
  readonly make: () => Promise<Ground>;
  /** The step between tested calls: 1 tests each call, larger values are for slow environments. */
  readonly every: number;
}

export const inMemory: Grounds = {
  every: runs(40, 1),
  make: async () => {
    const t = await createTestGate();
    return { t, nextStore: async () => t.store, close: async () => undefined };
  },
};

/** On a durable store, which the next process opens again. */
export function onStoresOf(subject: StoreSubject, every: number): Grounds {
  return {
    every,
    make: async () => {
      const made = await subject.create();
      const { store, reopen, close } = made;
      if (reopen === undefined) throw new Error('Only what can be opened again outlives a process.');
      const opened = [close];
      return {
        t: await createTestGate({ ports: { store } }),
        nextStore: async () => {
          const next = await reopen();
          opened.unshift(next.close);
          return next.store;
        },
        close: async () => {
          for (const each of opened) await each();
        },
      };
    },
  };
}
