import type { Store } from '@gateramp/core/ports';
import { gather, type Gathering } from './crowd.js';
import { LAWS } from './laws.js';
import { readRemains } from './remains.js';

/** Lets a gathering happen and holds what is left of it against every law. */
export async function judged(
  stores: readonly [Store, Store],
  gathering: Gathering,
  isTakingTurns: boolean,
): Promise<void> {
  const aftermath = await gather(stores, gathering, isTakingTurns);
  const remains = await readRemains(aftermath);
  for (const { title, check } of LAWS) {
    try {
      await check(aftermath, remains);
    } catch (error) {
      throw new Error(`Broken: ${title}.`, { cause: error });
    }
  }
}
