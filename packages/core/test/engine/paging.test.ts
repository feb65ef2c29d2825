import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestGate, type TestGate } from '@gateramp/testing';

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
}

async function page(t: TestGate, query: string): Promise<Page> {
  const answer = await t.request('GET', `/v1/gate_sessions?${query}`, { key: t.keys.secret.test });
  expect(answer.status, answer.text).toBe(200);
  // The list envelope of the contract.
  return answer.json as unknown as Page;
}

it('paging visits every session exactly once in both directions while new ones are created', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 7 }),
      fc.infiniteStream(fc.nat({ max: 3 })),
      async (count, limit, dice) => {
        const t = await createTestGate();
        const make = async (): Promise<string> => {
          // Some share a millisecond, some do not.
          await t.clock.advanceTo(t.clock.now('test') + Number(dice.next().value));
          return (await t.createSession()).id;
        };
        const made: string[] = [];
        for (let n = 0; n < count; n += 1) made.push(await make());

        const down: string[] = [];
        for (let cursor = ''; ;) {
          const { data, has_more } = await page(t, `limit=${limit}${cursor}`);
          expect(data.length).toBe(has_more ? limit : data.length);
          down.push(...data.map(({ id }) => id));
          if (!has_more) break;
          cursor = `&starting_after=${down.at(-1) ?? ''}`;
          await make();
        }
        expect(down).toEqual(made.toReversed());

        const all: string[] = [made[0] ?? ''];
        let added = 0;
        for (;;) {
          const { data, has_more } = await page(t, `limit=${limit}&ending_before=${all[0] ?? ''}`);
          all.unshift(...data.map(({ id }) => id));
          if (!has_more) break;
          // In this direction new sessions appear ahead, so their creation must end.
          if ((added += 1) <= 3) await make();
        }
        expect(new Set(all).size).toBe(all.length);
        expect(all).toEqual(all.toSorted().toReversed());
        expect(all.slice(-count)).toEqual(made.toReversed());
      },
    ),
    { numRuns: 25 },
  );
});
