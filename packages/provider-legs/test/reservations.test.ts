import { expect, test } from 'vitest';
import { FAKE_CARDS, FAKE_CODE, findOperation, resolveOperation } from '@gateramp/provider-legs';
import { buy, chargeBack, deposit, owedToCustomers, swap, world, type World } from './world.js';

/** A purchase with another id. 100 EUR buy about 107 USDC. */
function other(now: number, card?: string) {
  const order = buy(now, {}, card);
  return { ...order, operationId: 'op2', intent: { ...order.intent, operationId: 'op2' } };
}

function stocked(amount: string, asset = 'USDC'): World {
  const w = world();
  w.chain.stock.set(`${asset}@base`, amount);
  return w;
}

const reserved = (w: World) => [...w.chain.reservations.keys()];
const left = (w: World) => w.chain.deliverable('base', 'USDC');

test('a purchase above the stock fails before any money is reserved or taken', async () => {
  const w = stocked('50');
  await w.provider.start(buy(w.now));
  expect((await w.lookup())?.outcome).toEqual({
    kind: 'failed',
    failure: {
      code: 'limit_exceeded',
      stage: 'payment',
      message: 'The amount is above what can be delivered now.',
      retryable: true,
    },
  });
  const call = { callId: 'op1-authorize', mode: 'test', now: w.now } as const;
  expect(await w.fiat.lookupAuthorization(call)).toBeNull();
  expect(reserved(w)).toEqual([]);
});

test('a swap above the stock fails before its deposit address is shown', async () => {
  const w = stocked('0.001', 'ETH');
  await w.provider.start(swap(w.now));
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'limit_exceeded' } });
});

test('two purchases that only fit alone are not both charged', async () => {
  const w = stocked('150');
  await w.provider.start(buy(w.now, {}, FAKE_CARDS.needsAuthentication));
  await w.provider.start(other(w.now));
  expect((await w.lookup('op2'))?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'limit_exceeded' } });
  await w.provider.confirm({ ...buy(w.now), confirmation: { action: 'payment_authentication', code: FAKE_CODE } });
  await w.pass(10);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(reserved(w)).toEqual([]);
});

test('a reservation is kept while the buyer is asked for something, and given back after each ending without a delivery', async () => {
  const endings: Readonly<Record<string, (w: World) => Promise<unknown>>> = {
    declined: (w) => w.provider.start(buy(w.now, {}, FAKE_CARDS.declines)),
    cancelled: async (w) => {
      await w.provider.start(buy(w.now, {}, FAKE_CARDS.needsAuthentication));
      expect(reserved(w)).toEqual(['op1-send']);
      await w.provider.cancel({ operationId: 'op1', mode: 'test', now: w.now });
    },
    'blocked address': async (w) => {
      w.screening.block('before_payment');
      await w.provider.start(buy(w.now));
    },
    refunded: async (w) => {
      w.exchange.isFailing = true;
      await w.provider.start(buy(w.now));
    },
    'charged back': async (w) => {
      w.screening.hold('before_send');
      await w.provider.start(buy(w.now));
      await w.pass(1);
      await chargeBack(w.provider, w.now);
      w.screening.release();
    },
    stuck: async (w) => {
      w.exchange.isFailing = true;
      w.fiat.refund = async () => ({
        kind: 'failed',
        failure: { code: 'error', message: 'No refund.', retryable: false },
      });
      await w.provider.start(buy(w.now));
      await w.pass(1);
      expect((await findOperation(w.store, 'op1'))?.state.kind).toBe('stuck');
    },
    'a swap without a deposit': async (w) => {
      await w.provider.start(swap(w.now));
      expect(reserved(w)).toEqual(['op1-send']);
      w.now += 31 * 60_000;
    },
    'a swap that cannot be converted': async (w) => {
      w.exchange.isFailing = true;
      await w.provider.start(swap(w.now));
      await deposit(w.chain, 'op1-deposit', { amount: '109.2', at: w.now });
      await w.pass(10);
    },
  };
  for (const [ending, play] of Object.entries(endings)) {
    const w = world();
    await play(w);
    await w.pass(70);
    expect([ending, reserved(w)]).toEqual([ending, []]);
    const operation = await findOperation(w.store, 'op1');
    expect([ending, operation?.isReserved]).toEqual([ending, false]);
  }
});

test('a reservation whose return fails is given back as soon as the network answers', async () => {
  const w = stocked('200');
  await w.provider.start(buy(w.now, {}, FAKE_CARDS.needsAuthentication));
  await w.provider.cancel({ operationId: 'op1', mode: 'test', now: w.now });
  w.chain.isSilent = true;
  await w.pass(20);
  expect(reserved(w)).toEqual(['op1-send']);
  w.chain.isSilent = false;
  await w.pass(61);
  expect(await left(w)).toBe('200');
});

test('a stuck operation that an operator resolves leaves nothing reserved', async () => {
  const w = world();
  w.exchange.isFailing = true;
  w.fiat.silence = 'before';
  await w.provider.start(buy(w.now)).catch(() => undefined);
  await chargeBack(w.provider, w.now, { amount: '40.00' }).catch(() => undefined);
  w.fiat.silence = null;
  await w.pass(120);
  await resolveOperation(w.store, { operationId: 'op1', as: 'refunded', reason: 'Paid.', now: w.now });
  await w.pass(5);
  expect(reserved(w)).toEqual([]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('an operation of an earlier version, which has reserved nothing, is delivered', async () => {
  const w = world();
  w.screening.hold('before_send');
  await w.provider.start(buy(w.now));
  const kept = await w.store.load('operation_test', 'op1');
  if (kept === null) throw new Error('The operation is missing.');
  const { isReserved: _, ...older } = kept.body as Readonly<Record<string, never>>;
  await w.store.commit({ documents: [{ ...kept, version: kept.version + 1, body: older }], entries: [] });
  await w.chain.release({ callId: 'op1-send', mode: 'test', now: w.now, network: 'base' });
  w.screening.release();
  await w.pass(10);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
});
