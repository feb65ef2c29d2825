import assert from 'node:assert/strict';
import type { Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import type { StoreOnTrial, StoreSubject } from './store-subject.js';
import { witnessed } from './witness.js';

/** A durable store: its data can be reopened, and its database can be made to refuse writes. */
export type DurableStore = StoreOnTrial & Required<Pick<StoreOnTrial, 'reopen' | 'breakWrites'>>;

/** A store that is not durable belongs to one process, so no other can open it. */
export function durableLaw(title: string, check: (trial: DurableStore) => Promise<void>): Law<StoreSubject> {
  return {
    topic: 'Store: several connections, one after another and at once',
    title,
    async run(subject) {
      const trial = await subject.create();
      const { store, reopen, breakWrites, close } = trial;
      try {
        if (reopen === undefined || breakWrites === undefined) {
          const missing = reopen === undefined ? 'reopen' : 'breakWrites';
          assert.equal(store.isDurable, false, `the subject of a durable store needs \`${missing}\``);
          return;
        }
        await check({ ...trial, reopen, breakWrites });
      } finally {
        await close();
      }
    },
  };
}

/** Two connections to the same rows, which are always closed. */
export async function withTwo(
  { reopen }: DurableStore,
  promise: string,
  use: (one: Store, other: Store) => Promise<void>,
): Promise<void> {
  const [first, second] = [await reopen(), await reopen()];
  const [one, other] = [witnessed(first.store, 'One connection'), witnessed(second.store, 'The other connection')];
  try {
    await use(one.store, other.store);
  } catch (error) {
    throw one.explain(other.explain(error, null), promise);
  } finally {
    await first.close();
    await second.close();
  }
}

export function ofTwo(title: string, check: (one: Store, other: Store) => Promise<void>): Law<StoreSubject> {
  return durableLaw(title, (trial) => withTwo(trial, title, check));
}
