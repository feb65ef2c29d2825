import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { OperationTransfer } from '@gateramp/core/ports';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { traded } from '../../../packages/extensions/test/pools/pool-trade.js';
import { ask, signedIn, testConsole, type TestConsole } from './console.js';

const HASH = `0x${'ab'.repeat(32)}`;

interface FoundJson {
  readonly type: string;
  readonly id: string;
  readonly label: string | null;
}

async function search(console: TestConsole, hash: string, cookie: string): Promise<readonly FoundJson[]> {
  const answer = await ask(console, `/search?q=${hash}`, { cookie });
  return ((await answer.json()) as { readonly data: readonly FoundJson[] }).data;
}

it('a pool trade is found by its hash, and shown by its id, to its partner alone', async () => {
  const test = await createTestGate();
  const { id, hash } = await traded(test);
  const console = testConsole(test.gate);
  const cookie = await signedIn(console, test.partner.id, { mode: 'live' });
  const found = { type: 'pool_trade', id, label: null, of: hash, partner_id: test.partner.id, mode: 'live' };
  expect(await search(console, hash, cookie)).toEqual([found]);
  const shown = await ask(console, `/objects/${id}`, { cookie });
  expect(await shown.json()).toMatchObject({ type: 'pool_trade', object: { transactId: id, txHash: hash } });
  const { id: other } = await test.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
  for (const stranger of [await signedIn(console, other, { mode: 'live' }), await signedIn(console, test.partner.id)]) {
    expect(await search(console, hash, stranger)).toEqual([]);
    expect((await ask(console, `/objects/${id}`, { cookie: stranger })).status).toBe(404);
  }
});

it('a replaced send is found with its transaction, session and operation, and named as such', async () => {
  const transfers: OperationTransfer[] = [];
  const provider = { ...sandboxProvider(), findTransfers: async (hash: string) => (hash === HASH ? transfers : []) };
  const test = await createTestGate({ ports: { providers: [provider] } });
  const { id } = await test.createSession();
  await test.settle(id);
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
  const refid = (await test.store.find('session', scope, id))?.txRefid ?? '';
  const transaction = await test.store.find('transaction', scope, refid);
  const operationId = (await test.store.find('intent', scope, transaction?.intentId ?? ''))?.operationId ?? '';
  transfers.push(
    { ...scope, operationId, kind: 'replaced_send' },
    { ...scope, operationId, kind: 'replaced_send' },
    { partnerId: 'bolt', mode: 'test', operationId: 'op-of-bolt', kind: 'refund' },
  );
  const console = testConsole(test.gate);
  const cookie = await signedIn(console, TEST_PARTNER.id);
  const of = { label: null, of: HASH, transfer: 'replaced_send' };
  expect(await search(console, HASH, cookie)).toMatchObject([
    { type: 'transaction', id: refid, ...of },
    { type: 'session', id, ...of },
    { type: 'operation', id: operationId, ...of },
  ]);
});
