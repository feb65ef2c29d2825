import { expect, it } from 'vitest';
import { Batcher, type BatchResult } from '../src/batcher.js';

/** Records batches as they start; each ends when it is released. */
function witness(
  slots: number,
  batchMax = 100,
  contends: (item: string) => readonly string[] = () => [],
  kindOf = (_item: string) => '',
) {
  const batches: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const fold = new Batcher<string, string>({
    async run(batch) {
      batches.push(batch);
      await new Promise<void>((resolve) => ends.push(resolve));
      return batch.map((item): BatchResult<string> =>
        item === 'bad' ? { status: 'rejected', reason: new Error('bad') } : { status: 'fulfilled', value: item },
      );
    },
    contends,
    kindOf,
    slots,
    batchMax,
  });
  const finishOne = async (): Promise<void> => {
    ends.shift()?.();
    await turn();
  };
  return { fold, batches, finishOne };
}

/** Waits for the end of an event loop turn that adds nothing. */
async function turn(): Promise<void> {
  for (let count = 0; count < 2; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('sends an item at once while a slot is free, and folds what arrives while none is', async () => {
  const { fold, batches, finishOne } = witness(1);
  const answers = [fold.add('a')];
  await turn();
  answers.push(fold.add('b'));
  await turn();
  answers.push(fold.add('c'));
  await turn();
  expect(batches).toEqual([['a']]);
  await finishOne();
  expect(batches).toEqual([['a'], ['b', 'c']]);
  await finishOne();
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
});

it('has as many batches under way as it has slots, and none is longer than allowed', async () => {
  const { fold, batches, finishOne } = witness(2, 2);
  const answers = ['a', 'b', 'c', 'd', 'e'].map((item) => fold.add(item));
  await turn();
  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await finishOne();
  expect(batches[2]).toEqual(['e']);
  await finishOne();
  await finishOne();
  await Promise.all(answers);
});

it('never has two items under way that contend for one thing, and lets others pass', async () => {
  const { fold, batches, finishOne } = witness(2, 100, (item) => [item.charAt(0)]);
  const answers = ['k1', 'k2', 'x1', 'k3'].map((item) => fold.add(item));
  await turn();
  expect(batches).toEqual([['k1', 'x1']]);
  await finishOne();
  expect(batches[1]).toEqual(['k2']);
  await finishOne();
  expect(batches[2]).toEqual(['k3']);
  await finishOne();
  expect(await Promise.all(answers)).toEqual(['k1', 'k2', 'x1', 'k3']);
});

it('gives each item its own answer: one that fails disturbs no neighbour', async () => {
  const { fold, finishOne } = witness(1);
  const answers = Promise.allSettled(['a', 'bad', 'c'].map((item) => fold.add(item)));
  await turn();
  await finishOne();
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('goes on after a batch that was lost, whose items all fail', async () => {
  let calls = 0;
  const fold = new Batcher<string, string>({
    async run(batch) {
      if ((calls += 1) === 1) throw new Error('lost');
      return batch.map((value): BatchResult<string> => ({ status: 'fulfilled', value }));
    },
    contends: (item) => [item],
    slots: 1,
    batchMax: 10,
  });
  await expect(Promise.allSettled([fold.add('a'), fold.add('b')])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(await fold.add('a')).toBe('a');
});

it('puts items of two kinds in batches of their own, the one that waits longest first', async () => {
  const { fold, batches, finishOne } = witness(
    1,
    100,
    () => [],
    (item) => item.slice(0, 1),
  );
  const answers = [fold.add('go')];
  await turn();
  answers.push(...['a1', 'b1', 'a2', 'b2'].map((item) => fold.add(item)));
  for (let left = 3; left > 0; left -= 1) await finishOne();
  expect(await Promise.all(answers)).toHaveLength(5);
  expect(batches).toEqual([['go'], ['a1', 'a2'], ['b1', 'b2']]);
});

it('lets items gather between batches that follow one another, until there are enough or the time has come', async () => {
  const batches: (readonly number[])[] = [];
  const fold = new Batcher<number, number>({
    run: async (batch) => (batches.push(batch), batch.map((value) => ({ status: 'fulfilled', value }))),
    contends: () => [],
    slots: 2,
    batchMax: 100,
    gather: { ms: 50, count: 3 },
  });
  await fold.add(0);
  const few = [fold.add(1), fold.add(2)];
  await turn();
  expect(batches).toEqual([[0]]);
  await Promise.all([...few, fold.add(3)]);
  expect(batches).toEqual([[0], [1, 2, 3]]);
  expect(await fold.add(4)).toBe(4);
});

it('waits while each turn brings more, but for a few turns only', async () => {
  const { fold, batches } = witness(1);
  const added = ['0', '1'];
  const sent = added.map((item) => fold.add(item));
  while (batches.length === 0 && added.length < 20) {
    await new Promise((resolve) => setImmediate(resolve));
    if (batches.length > 0) break;
    const next = String(added.length);
    added.push(next);
    sent.push(fold.add(next));
  }
  expect(batches).toEqual([added]);
  expect(added).toHaveLength(5);
  expect(sent).toHaveLength(5);
});

it('sends one half of a crowd as soon as it is there, so that two halves take turns', async () => {
  const { fold, batches, finishOne } = witness(2);
  const crowd = () => Array.from({ length: 40 }, (_, nth) => fold.add(String(nth)));
  for (const item of ['a', 'b']) {
    void fold.add(item);
    await turn();
  }
  const first = crowd();
  await finishOne();
  await finishOne();
  await finishOne();
  await Promise.all(first);
  expect(batches.map(({ length }) => length)).toEqual([1, 1, 40]);
  const second = crowd();
  expect(batches.slice(3).map(({ length }) => length)).toEqual([21]);
  await finishOne();
  await finishOne();
  expect(await Promise.all(second)).toHaveLength(40);
  expect(batches.slice(3).map(({ length }) => length)).toEqual([21, 19]);
});
