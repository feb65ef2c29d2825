import type { Scope } from '@gateramp/core';
import { emptyChange, OF_HASH_MAX, type OperationTransfer, type Provider } from '@gateramp/core/ports';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { traded } from '../pools/pool-trade.js';

const HASH = `0x${'ab'.repeat(32)}`;

/** A completed session whose transaction has the hash. */
async function paid(t: TestGate, scope: Scope, hash: string): Promise<string> {
  const made = await t.gate.sessions.create(scope, {
    amount: '10.00',
    currency: 'EUR',
    return_url: 'https://shop.example/done',
  });
  const { id } = made._unsafeUnwrap();
  const { text: key } = await t.gate.admin.issueKey(scope.partnerId, { mode: scope.mode, type: 'secret' });
  const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
  expect((await t.request('POST', path, { key, body: { scenario: 'succeed' } })).status).toBe(200);
  const { txRefid } = (await t.store.find('session', scope, id)) ?? {};
  const transaction = await t.store.find('transaction', scope, txRefid ?? '');
  if (transaction === null) throw new Error('The session has no transaction.');
  const { version, createdAt } = transaction;
  const row = { ...transaction, txHash: hash, version: version + 1 };
  await t.store.commit({ ...emptyChange(scope, createdAt), transactions: [{ row, expectedVersion: version }] });
  return id;
}

it('finds a hash in the rows of every partner, however many partners there are between them', async () => {
  const t = await createTestGate();
  const { admin } = t.gate;
  for (let nth = 0; nth < 24; nth += 1)
    await admin.createPartner({ name: `Partner ${nth}`, allowedOrigins: ['https://shop.example'] });
  // In the order of the search, the first and the last one are in different groups of look-ups.
  const ids = (await admin.listPartners()).map(({ id }) => id);
  const [first, second] = await Promise.all(
    [ids.at(0), ids.at(-1)].map((partnerId = '') => paid(t, { partnerId, mode: 'test' }, HASH)),
  );
  const found = await admin.findByTxHash(HASH);
  expect(found.map(({ sessionId }) => sessionId).toSorted()).toEqual([first, second].toSorted());
});

it('finds a pool trade by its hash in any case and by its id, and none of another partner', async () => {
  const t = await createTestGate();
  const { admin } = t.gate;
  const { id, poolId, hash } = await traded(t);
  const scope = { partnerId: t.partner.id, mode: 'live' } as const;
  const trade = { kind: 'pool_trade', id, scope, sessionId: null, resource: { poolId, txHash: hash } };
  for (const text of [hash, hash.toUpperCase()]) expect(await admin.findByTxHash(text)).toMatchObject([trade]);
  expect(await admin.find(id)).toMatchObject(trade);
  const other = await admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
  const elsewhere = [
    { partnerId: other.id, mode: 'live' },
    { partnerId: t.partner.id, mode: 'test' },
  ] as const;
  expect(await admin.findByTxHash(hash, { scopes: elsewhere })).toEqual([]);
  expect(await admin.find(id, { scopes: elsewhere })).toBeNull();
});

it('finds the transfers that providers know, with the session of each, and only those of the given scopes', async () => {
  const t = await createTestGate();
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  const shown = await paid(t, scope, HASH);
  const replaced = await paid(t, scope, `0x${'1'.repeat(64)}`);
  const operationOf = async (sessionId: string): Promise<string> => {
    const session = await t.store.find('session', scope, sessionId);
    const transaction = await t.store.find('transaction', scope, session?.txRefid ?? '');
    return (await t.store.find('intent', scope, transaction?.intentId ?? ''))?.operationId ?? '';
  };
  const transfers: readonly OperationTransfer[] = [
    { ...scope, operationId: await operationOf(shown), kind: 'send' },
    { ...scope, operationId: await operationOf(replaced), kind: 'replaced_send' },
    { ...scope, operationId: 'op-of-no-attempt', kind: 'deposit_return' },
    { partnerId: 'bolt', mode: 'test', operationId: 'op-of-bolt', kind: 'refund' },
  ];
  const asked: unknown[] = [];
  const findTransfers: Provider['findTransfers'] = async (hash, scopes) => {
    asked.push(scopes);
    return hash === HASH ? transfers : [];
  };
  const find = (scopes?: readonly Scope[]) =>
    t.gate.admin.findByTxHash(HASH, {
      providers: [{ name: 'sandbox', findTransfers }],
      ...(scopes === undefined ? {} : { scopes }),
    });
  const own = [
    { kind: 'transaction', sessionId: shown, transfer: 'send' },
    { kind: 'operation', id: await operationOf(replaced), sessionId: replaced, transfer: 'replaced_send' },
    { kind: 'operation', id: 'op-of-no-attempt', sessionId: null, transfer: 'deposit_return' },
  ];
  expect(await find([scope])).toMatchObject(own);
  const all = await find();
  expect(all).toMatchObject([...own, { scope: { partnerId: 'bolt' }, id: 'op-of-bolt', transfer: 'refund' }]);
  expect(await find([{ partnerId: t.partner.id, mode: 'live' }])).toEqual([]);
  expect(asked).toEqual([[scope], null, [{ ...scope, mode: 'live' }]]);
});

it('stops searching scopes once 100 results are found (FOUND_MAX)', async () => {
  const t = await createTestGate();
  const own = { partnerId: t.partner.id, mode: 'test' } as const;
  const sessionId = await paid(t, own, `0x${'1'.repeat(64)}`);
  const { txRefid } = (await t.store.find('session', own, sessionId)) ?? {};
  const transaction = await t.store.find('transaction', own, txRefid ?? '');
  if (transaction === null) throw new Error('The session has no transaction.');
  let copies = 0;
  const copy = async (scope: Scope, count: number): Promise<void> => {
    const transactions = Array.from({ length: count }, () => {
      const refid = `${transaction.refid.slice(0, -4)}${String((copies += 1)).padStart(4, '0')}`;
      return { row: { ...transaction, ...scope, refid, txHash: HASH, version: 1 }, expectedVersion: null };
    });
    const outcome = await t.store.commit({ ...emptyChange(scope, transaction.createdAt), transactions });
    expect(outcome).toEqual({ kind: 'committed' });
  };
  // Twenty scopes are searched at once, so the last one is searched only if the others have fewer than 100 results.
  const scopes = Array.from({ length: 21 }, (_, nth) => ({ partnerId: `partner-${nth}`, mode: 'test' }) as const);
  const [first, last] = [scopes[0] ?? own, scopes[20] ?? own];
  for (const scope of scopes.slice(1, 5)) await copy(scope, OF_HASH_MAX);
  await copy(first, OF_HASH_MAX - 1);
  await copy(last, 2);
  const partnersFound = async () =>
    (await t.gate.admin.findByTxHash(HASH, { scopes })).map((one) => one.scope.partnerId);
  expect((await partnersFound()).filter((id) => id === last.partnerId)).toHaveLength(2);
  await copy(first, 1);
  const found = await partnersFound();
  expect(found).toHaveLength(100);
  expect(found).not.toContain(last.partnerId);
});
