import { expect, test } from 'vitest';
import { findTransfers, TRANSFER_KIND, transferDocument, type ChainTransfer } from '@gateramp/provider-legs';
import { buy, deposit, sell, world, type World } from './world.js';

/** A hash that consists of this digit. */
const hash = (digit: string) => `0x${digit.repeat(64)}`;

async function record({ store }: World, ...transfers: readonly ChainTransfer[]): Promise<void> {
  const change = { documents: transfers.map(transferDocument), entries: [] };
  expect(await store.commit(change)).toBe('committed');
}

const kindsOf = async ({ store }: World, text: string) => (await findTransfers(store, text)).map(({ kind }) => kind);

test('the operation of a delivery is found by each hash that was signed for it, in any case', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  await w.pass(20);
  const sent = w.chain.hashOf('op1-send');
  await record(w, { hash: hash('a'), callId: 'op1-send', as: 'send' });
  await record(w, { hash: hash('b'), callId: 'op1-send', as: 'cancellation' });
  await record(w, { hash: sent, callId: 'op1-send', as: 'send' });
  const { partnerId } = buy(w.now).intent;
  expect(await findTransfers(w.store, hash('A'))).toEqual([
    { operationId: 'op1', partnerId, mode: 'test', kind: 'replaced_send' },
  ]);
  expect(await kindsOf(w, hash('b'))).toEqual(['cancelled_send']);
  expect(await kindsOf(w, sent)).toEqual(['send']);
  for (const unknown of [hash('c'), hash('a').slice(0, -1), `${hash('a')} op1`])
    expect(await kindsOf(w, unknown)).toEqual([]);
});

test('a return of a deposit and a refund of an undone payment are told apart', async () => {
  const w = world();
  // The payout is rejected, so that what was accepted goes back.
  await w.provider.start(sell(w.now, 'DE67370400440532010001'));
  await deposit(w.chain, 'op1-deposit', { amount: '110.112239', at: w.now });
  await w.pass(30);
  await deposit(w.chain, 'op1-deposit', { amount: '70', at: w.now });
  await w.pass(1_300);
  const returns = [...w.chain.sends.keys()];
  expect(returns).toEqual(['op1-return_0', 'op1-return_1']);
  await record(w, ...returns.map((callId) => ({ hash: w.chain.hashOf(callId), callId, as: 'send' as const })));
  await record(w, { hash: hash('d'), callId: 'op1-deposit', as: 'deposit' });
  expect(await kindsOf(w, w.chain.hashOf('op1-return_0'))).toEqual(['refund']);
  expect(await kindsOf(w, w.chain.hashOf('op1-return_1'))).toEqual(['deposit_return']);
  expect(await kindsOf(w, hash('d'))).toEqual(['deposit']);
});

test('one transaction can belong to several operations; calls of unknown operations are omitted', async () => {
  const w = world();
  for (const operationId of ['op-1', 'op-2']) await w.provider.start({ ...sell(w.now), operationId });
  const calls = ['op-1-deposit', 'op-2-deposit', 'op-3-deposit', 'unknown'];
  await record(w, ...calls.map((callId) => ({ hash: hash('e'), callId, as: 'deposit' as const })));
  const found = await findTransfers(w.store, hash('e'));
  expect(found.map(({ operationId }) => operationId)).toEqual(['op-1', 'op-2']);
  expect(await w.provider.findTransfers?.(hash('e'))).toEqual(found);
});

test('the transfers of some partners are found behind those of others in the same transaction', async () => {
  const w = world();
  const order = sell(w.now);
  const { partnerId, mode } = order.intent;
  await w.provider.start({ ...order, operationId: 'op-a' });
  await w.provider.start({ ...order, operationId: 'op-b', intent: { ...order.intent, partnerId: 'bolt' } });
  const crowd = Array.from({ length: 150 }, (_, nth) => `op-a-deposit${nth}`);
  await record(w, ...[...crowd, 'op-b-deposit'].map((callId) => ({ hash: hash('e'), callId, as: 'deposit' as const })));
  const bolt = { partnerId: 'bolt', mode };
  const found = [{ operationId: 'op-b', ...bolt, kind: 'deposit' }];
  expect(await findTransfers(w.store, hash('e'), [bolt])).toEqual(found);
  expect(await w.provider.findTransfers?.(hash('e'), [bolt])).toEqual(found);
  expect(await findTransfers(w.store, hash('e'), [{ ...bolt, mode: 'live' }])).toEqual([]);
  const all = await findTransfers(w.store, hash('e'), [bolt, { partnerId, mode }]);
  expect(all).toHaveLength(100);
});

test('at most 1,000 transfers of a hash are read (TRANSFERS_READ_MAX), 100 at a time, however many follow', async () => {
  const w = world();
  const crowd = Array.from({ length: 1_100 }, (_, nth) => `op${nth}-send`);
  await record(w, ...crowd.map((callId) => ({ hash: hash('f'), callId, as: 'send' as const })));
  const listed: (readonly [kind: string, limit: number])[] = [];
  const store: typeof w.store = {
    ...w.store,
    list: (query) => {
      listed.push([query.kind, query.limit]);
      return w.store.list(query);
    },
  };
  await findTransfers(store, hash('f'));
  expect(listed).toEqual(Array.from({ length: 10 }, () => [TRANSFER_KIND, 100]));
});
