import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KEY_USE_EVERY, KEYS_REMEMBERED_MAX, KeyUses } from '../../../src/application/keys/key-uses.js';
import { silentTelemetry } from '../../../src/runtime/index.js';

const T0 = Date.UTC(2030, 0, 1);

/** Key uses with a store that records all writes. */
function heard() {
  const noted: { readonly hash: string; readonly at: number }[] = [];
  const uses = new KeyUses({ noteKeyUse: async (hash, at) => void noted.push({ hash, at }) }, silentTelemetry());
  return { uses, noted };
}

it('records a use in the store immediately, and no more for a minute', () => {
  const { uses, noted } = heard();
  for (const at of [T0, T0 + 1, T0 + KEY_USE_EVERY - 1, T0 + KEY_USE_EVERY]) uses.note('key', at);
  expect(noted).toEqual([
    { hash: 'key', at: T0 },
    { hash: 'key', at: T0 + KEY_USE_EVERY },
  ]);
});

it('records each key at most once a minute, and is never a minute behind', () => {
  const pauses = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), pause: fc.integer({ min: 0, max: 2 * KEY_USE_EVERY }) }),
  );
  fc.assert(
    fc.property(pauses, (given) => {
      const { uses, noted } = heard();
      let now = T0;
      for (const { key, pause } of given) {
        now += pause;
        uses.note(key, now);
        const [latest, before] = noted.filter(({ hash }) => hash === key).reverse();
        expect(now - (latest?.at ?? -Infinity)).toBeLessThan(KEY_USE_EVERY);
        if (before !== undefined) expect((latest?.at ?? 0) - before.at).toBeGreaterThanOrEqual(KEY_USE_EVERY);
      }
    }),
  );
});

it('caches a limited number of keys, and drops the one recorded longest ago', () => {
  const { uses, noted } = heard();
  uses.note('first', T0);
  uses.note('second', T0);
  uses.note('first', T0 + KEY_USE_EVERY);
  for (let nth = 0; nth < KEYS_REMEMBERED_MAX - 1; nth += 1) uses.note(`other-${nth}`, T0 + KEY_USE_EVERY);
  noted.length = 0;
  uses.note('first', T0 + KEY_USE_EVERY + 1);
  expect(noted).toEqual([]);
  uses.note('second', T0 + KEY_USE_EVERY + 1);
  expect(noted).toHaveLength(1);
});
