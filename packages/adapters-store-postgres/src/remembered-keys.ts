import type { KeyHolder, PartnerStore } from '@gateramp/core/ports';

/** Partners have a handful of keys each; this bounds what a flood of revoked ones could hold. */
const KEYS_MAX = 10_000;

/**
 * Keys that exist are remembered for `forMs`, so that most requests ask for theirs in memory: the port allows revocations
 * to lag by 5 s. What this process saves it sees at once. Unknown keys are never remembered, so a new one works at once.
 */
export function rememberedKeys(
  partners: PartnerStore,
  forMs: number,
  now: () => number = () => performance.now(),
): PartnerStore {
  const known = new Map<string, { readonly holder: Promise<KeyHolder | null>; readonly until: number }>();

  const ask = (hash: string): Promise<KeyHolder | null> => {
    if (known.size >= KEYS_MAX) known.clear();
    const holder = partners.findKey(hash);
    known.set(hash, { holder, until: now() + forMs });
    const forget = (): void => {
      if (known.get(hash)?.holder === holder) known.delete(hash);
    };
    holder.then((found) => {
      if (found === null) forget();
    }, forget);
    return holder;
  };

  return {
    ...partners,
    findKey: (hash) => {
      const remembered = known.get(hash);
      return remembered !== undefined && now() < remembered.until ? remembered.holder : ask(hash);
    },
    // All are asked for again, whatever was saved: operators save seldom, and want to see at once what they have saved.
    save: async (noun, row) => {
      await partners.save(noun, row);
      known.clear();
    },
  };
}
