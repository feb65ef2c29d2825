import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decimal } from '@gateramp/core/domain';
import { emptyChange, type Change } from '@gateramp/core/ports';
import { ACME, T0 } from '../builders.js';
import { commit, storeTopic, withStore, type StoreSubject } from './store-subject.js';
import type { Law } from '../law.js';
import { counterOf } from './queries.js';

function moving(name: string, delta: string, atLeast: string | null = null): Change {
  return { ...emptyChange(ACME, T0), counters: [{ name, delta, atLeast }] };
}

const examples = storeTopic('Store: counters', {
  async 'starts a counter at "0"'(store) {
    assert.equal(await counterOf(store, 'never moved'), '0');
  },

  async 'adds exactly, beyond the precision of floating-point numbers'(store) {
    await commit(store, moving('sum', '0.1'), moving('sum', '0.2'), moving('sum', '90071992547409930000.00000001'));
    const value = await counterOf(store, 'sum');
    assert.ok(decimal.equals(value, '90071992547409930000.30000001'), value);
  },

  async 'loses no increment under concurrent commits'(store) {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => store.commit(moving('hot', '1'))));
    assert.ok(outcomes.every((outcome) => outcome.kind === 'committed'));
    assert.equal(Number(await counterOf(store, 'hot')), 50);
  },

  async 'grants a reservation that leaves exactly its guard'(store) {
    await commit(store, moving('pool', '10'), moving('pool', '-10', '0'));
    assert.equal(Number(await counterOf(store, 'pool')), 0);
    assert.deepEqual(await store.commit(moving('pool', '-0.00000001', '0')), { kind: 'insufficient', counter: 'pool' });
  },

  async 'never grants more than the balance to concurrent reservations'(store) {
    await commit(store, moving('pool', '10'));
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => store.commit(moving('pool', '-3', '0'))));
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'committed').length, 3);
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'insufficient').length, 9);
    assert.equal(Number(await counterOf(store, 'pool')), 1);
  },

  async 'reads several counters at one point in time, in the requested order'(store) {
    await commit(store, moving('left', '100'));
    const writes = (async () => {
      for (let count = 0; count < 30; count += 1) {
        const counters = [
          { name: 'left', delta: '-1', atLeast: '0' },
          { name: 'right', delta: '1', atLeast: null },
        ];
        await commit(store, { ...emptyChange(ACME, T0), counters });
      }
    })();
    for (let count = 0; count < 30; count += 1) {
      const [left, never, right] = await store.readCounters(ACME, ['left', 'never moved', 'right']);
      assert.equal(never, '0');
      assert.equal(Number(left) + Number(right), 100, `${left} and ${right} never held together`);
    }
    await writes;
    assert.deepEqual(await store.readCounters(ACME, ['right', 'left']), ['30', '70']);
  },

  async 'applies several moves of one counter in one change, each guarded in order'(store) {
    const twice = (first: string, second: string) => ({
      ...emptyChange(ACME, T0),
      counters: [
        { name: 'pool', delta: first, atLeast: '0' },
        { name: 'pool', delta: second, atLeast: '0' },
      ],
    });
    await commit(store, twice('2', '3'));
    assert.equal(Number(await counterOf(store, 'pool')), 5);
    assert.deepEqual(await store.commit(twice('-3', '-3')), { kind: 'insufficient', counter: 'pool' });
    assert.equal(Number(await counterOf(store, 'pool')), 5);
  },

  async 'moves several counters atomically'(store) {
    await commit(store, moving('a', '5'));
    const change: Change = {
      ...emptyChange(ACME, T0),
      counters: [
        { name: 'a', delta: '-5', atLeast: '0' },
        { name: 'b', delta: '-1', atLeast: '0' },
        { name: 'c', delta: '1', atLeast: null },
      ],
    };
    assert.deepEqual(await store.commit(change), { kind: 'insufficient', counter: 'b' });
    assert.equal(Number(await counterOf(store, 'a')), 5);
    assert.equal(await counterOf(store, 'c'), '0');
  },
});

const commutes: Law<StoreSubject> = {
  topic: 'Store: counters',
  title: 'reaches the same value for any order of increments',
  run: (subject) =>
    withStore(subject, async (store) => {
      let sample = 0;
      const deltas = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(deltas, async (cents) => {
          const names = [`order/${(sample += 1)}`, `reverse/${sample}`] as const;
          const amounts = cents.map((value) => decimal.divideDown(String(value), '100', 2));
          for (const amount of amounts) await commit(store, moving(names[0], amount));
          for (const amount of amounts.toReversed()) await commit(store, moving(names[1], amount));
          const total = amounts.reduce(decimal.add, '0');
          assert.ok(decimal.equals(await counterOf(store, names[0]), total));
          assert.ok(decimal.equals(await counterOf(store, names[1]), total));
        }),
        { numRuns: 15 },
      );
    }),
};

export const counterLaws: readonly Law<StoreSubject>[] = [...examples, commutes];
