import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KEY_USE_EVERY, KEYS_REMEMBERED_MAX, KeyUses } from '../../../src/application/keys/key-uses.js';
import { silentTelemetry } from '../../../src/runtime/index.js';

const T0 = Date.UTC(2030, 0, 1);

/** Uses that are told to a store which keeps all it hears. */
function heard() {
  const told: { readonly hash: string; readonly at: number }[] = [];
  const uses = new KeyUses({ noteKeyUse: async (hash, at) => void told.push({ hash, at }) }, silentTelemetry());
  return { uses, told };
}

it('tells the store of a use at once, and of no more for a minute', () => {
  const { uses, told } = heard();
  for (const at of [T0, T0 + 1, T0 + KEY_USE_EVERY - 1, T0 + KEY_USE_EVERY]) uses.note('key', at);
  expect(told).toEqual([
    { hash: 'key', at: T0 },
    { hash: 'key', at: T0 + KEY_USE_EVERY },
  ]);
});

it('tells of no key more than once a minute, and is never a minute behind, whatever is used and when', () => {
  const pauses = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), pause: fc.integer({ min: 0, max: 2 * KEY_USE_EVERY }) }),
  );
  fc.assert(
    fc.property(pauses, (given) => {
      const { uses, told } = heard();
      let now = T0;
      for (const { key, pause } of given) {
        now += pause;
        uses.note(key, now);
        const [latest, before] = told.filter(({ hash }) => hash === key).reverse();
        expect(now - (latest?.at ?? -Infinity)).toBeLessThan(KEY_USE_EVERY);
        if (before !== undefined) expect((latest?.at ?? 0) - before.at).toBeGreaterThanOrEqual(KEY_USE_EVERY);
      }
    }),
  );
});

it('remembers no more keys than it may, and forgets the one told longest ago', () => {
  const { uses, told } = heard();
  uses.note('first', T0);
  uses.note('second', T0);
  uses.note('first', T0 + KEY_USE_EVERY);
  for (let nth = 0; nth < KEYS_REMEMBERED_MAX - 1; nth += 1) uses.note(`other-${nth}`, T0 + KEY_USE_EVERY);
  told.length = 0;
  uses.note('first', T0 + KEY_USE_EVERY + 1);
  expect(told).toEqual([]);
  uses.note('second', T0 + KEY_USE_EVERY + 1);
  expect(told).toHaveLength(1);
});
