import type { Store } from '@gateramp/core/ports';
import { gather, type Gathering } from './crowd.js';
import { LAWS, type Law } from './laws.js';
import { OFFICE_LAWS } from './office-laws.js';
import { readRemains } from './remains.js';

export const ALL_LAWS: readonly Law[] = [...LAWS, ...OFFICE_LAWS];

/** Runs a gathering and checks the resulting state against laws, all of them by default. */
export async function judged(
  stores: readonly [Store, Store],
  gathering: Gathering,
  isTakingTurns: boolean,
  laws: readonly Law[] = ALL_LAWS,
): Promise<void> {
  const aftermath = await gather(stores, gathering, isTakingTurns);
  const remains = await readRemains(aftermath);
  for (const { title, check } of laws) {
    try {
      await check(aftermath, remains);
    } catch (error) {
      throw new Error(`Broken: ${title}.`, { cause: error });
    }
  }
}
