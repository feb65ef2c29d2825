import { expect, test } from 'vitest';
import { FAKE_CARDS, FAKE_CODE } from '@gateramp/provider-legs';
import { answered, QUOTE_REQUEST, balance, buy, chargeBack, owedToCustomers, START, WALLET, world } from './world.js';

test('a card purchase is captured, converted, sent and confirmed, and the ledger owes the buyer nothing', async () => {
  const w = world();
  const first = answered(await w.provider.start(buy(w.now)));
  expect(first.outcome).toEqual({ kind: 'processing', stage: 'delivery' });
  await w.pass(5);
  const done = await w.lookup();
  expect(done?.outcome).toEqual({ kind: 'succeeded' });
  expect(done?.details.txHash).toMatch(/^0x/);
  expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'USDC', network: 'base', to: WALLET }]);
  expect(await owedToCustomers(w)).toEqual([]);
  expect(await balance(w, 'fiat', 'EUR')).toBe('100');
  expect(await balance(w, 'fees', 'EUR')).toBe('-1.05');
  // 98.95 EUR at 0.92 plus half the spread of 50 basis points.
  expect(await balance(w, 'chain:base', 'USDC@base')).toBe('-107.286132');
});

test('confirmations of the delivery are counted up to what the network needs, with a link to the explorer', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  const seen: unknown[] = [];
  for (let second = 0; second < 4; second += 1) {
    await w.pass(1);
    seen.push((await w.lookup())?.details.confirmations);
  }
  const required = 2;
  expect(seen).toEqual([
    { seen: 1, required },
    { seen: 2, required },
    { seen: 2, required },
    { seen: 2, required },
  ]);
  expect((await w.lookup())?.details.txUrl).toMatch(/^https:\/\/explorer\.example\/tx\/0x/);
});

test('a declined card ends the attempt with the processor’s reason, and moves nothing', async () => {
  const w = world();
  const answer = answered(await w.provider.start(buy(w.now, {}, FAKE_CARDS.insufficientFunds)));
  expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'insufficient_funds', stage: 'payment' } });
  await w.pass(60);
  expect(w.chain.sends.size).toBe(0);
  expect(await w.store.entries('op1')).toEqual([]);
});

test('a card that needs authentication waits for the code and then delivers', async () => {
  const w = world();
  const order = buy(w.now, {}, FAKE_CARDS.needsAuthentication);
  const asked = answered(await w.provider.start(order));
  expect(asked.outcome).toMatchObject({ kind: 'requires_action', nextAction: { type: 'payment_authentication' } });
  await w.pass(60);
  expect(w.chain.sends.size).toBe(0);
  await w.provider.confirm({
    ...order,
    now: w.now,
    confirmation: { action: 'payment_authentication', code: FAKE_CODE },
  });
  await w.pass(5);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
});

test('a wrong code fails the attempt and releases the authorization', async () => {
  const w = world();
  const order = buy(w.now, {}, FAKE_CARDS.needsAuthentication);
  await w.provider.start(order);
  const confirmation = { action: 'payment_authentication', code: '123456' } as const;
  const answer = answered(await w.provider.confirm({ ...order, confirmation }));
  expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'payment_authentication_failed' } });
});

test('a bank transfer is asked for, arrives by itself and is delivered', async () => {
  const w = world();
  const asked = answered(
    await w.provider.start({ ...buy(w.now, { paymentMethod: 'bank_transfer' }), paymentDetails: null }),
  );
  expect(asked.outcome).toMatchObject({
    kind: 'requires_action',
    nextAction: { type: 'bank_transfer', amount: '100.00' },
  });
  await w.pass(45);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
});

test('a wallet that is blocked before payment costs the buyer no authorization', async () => {
  const w = world();
  w.screening.block('before_payment');
  const answer = answered(await w.provider.start(buy(w.now)));
  expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'sanctions_blocked', retryable: false } });
  expect(await w.fiat.lookupAuthorization({ callId: 'op1-authorize', mode: 'test', now: w.now })).toBeNull();
});

test('a wallet that is blocked before the send is not sent to, and the buyer gets the money back', async () => {
  const w = world();
  w.screening.block('before_send');
  const answer = answered(await w.provider.start(buy(w.now)));
  expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'sanctions_blocked' } });
  expect(w.chain.sends.size).toBe(0);
  expect(await balance(w, 'fiat', 'EUR')).toBe('0');
  expect(await balance(w, 'house', 'USDC@base')).toBe('-107.286132');
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a send that is refused returns the buyer’s money', async () => {
  const w = world();
  w.chain.isRefusing = true;
  const answer = answered(await w.provider.start(buy(w.now)));
  expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'settlement_error', stage: 'delivery' } });
  expect(await balance(w, 'fiat', 'EUR')).toBe('0');
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a second start of one operation begins nothing', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  await w.provider.start(buy(w.now));
  await w.pass(5);
  expect(w.chain.sends.size).toBe(1);
  expect(await balance(w, 'fiat', 'EUR')).toBe('100');
});

test('an operation cancelled before it is started can never be started', async () => {
  const w = world();
  const order = { operationId: 'op1', mode: 'test', now: w.now } as const;
  expect(answered(await w.provider.cancel(order)).outcome).toEqual({ kind: 'cancelled' });
  expect(answered(await w.provider.start(buy(w.now))).outcome).toEqual({ kind: 'cancelled' });
  await w.pass(5);
  expect(await w.store.entries('op1')).toEqual([]);
});

test('a cancel while the buyer is asked for a code releases the authorization; afterwards a code changes nothing', async () => {
  const w = world();
  const order = buy(w.now, {}, FAKE_CARDS.needsAuthentication);
  await w.provider.start(order);
  expect(answered(await w.provider.cancel(order)).outcome).toEqual({ kind: 'cancelled' });
  const confirmation = { action: 'payment_authentication', code: FAKE_CODE } as const;
  expect(answered(await w.provider.confirm({ ...order, confirmation })).outcome).toEqual({ kind: 'cancelled' });
  expect(await w.fiat.lookupAuthorization({ callId: 'op1-authorize', mode: 'test', now: w.now })).toEqual({
    kind: 'voided',
  });
});

test('a cancel is too late once the money was taken', async () => {
  const w = world();
  const order = buy(w.now);
  await w.provider.start(order);
  expect(answered(await w.provider.cancel(order)).outcome).toEqual({ kind: 'processing', stage: 'delivery' });
  await w.pass(5);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
});

test('a quoted price is the price that is charged, whatever the market does since', async () => {
  const w = world();
  const scope = { partnerId: 'partner1', mode: 'test' } as const;
  const request = { ...QUOTE_REQUEST, scope, paymentMethod: 'card', now: w.now } as const;
  const quoted = await w.provider.quote(request);
  if (quoted.kind !== 'quotes') throw new Error(quoted.message);
  const [quote] = quoted.quotes;
  expect(quote?.destination.amount).toBe('107.286132');
  expect(await w.provider.checkQuote(quote?.id ?? '', request)).toMatchObject({ kind: 'valid' });
  expect(await w.provider.checkQuote(quote?.id ?? '', { ...request, amount: '99.00' })).toMatchObject({
    code: 'quote_not_found',
  });
  expect(await w.provider.checkQuote(quote?.id ?? '', { ...request, now: w.now + 60_001 })).toMatchObject({
    code: 'quote_expired',
  });
});

test('while nothing can be delivered on a network, it is neither listed, quoted nor charged', async () => {
  const w = world();
  w.chain.down = 'the wallet is empty';
  const { flows, networks, isPartial } = await w.provider.capabilities({ partnerId: 'partner1', mode: 'test' });
  expect({ flows, networks, isPartial }).toEqual({ flows: [], networks: [], isPartial: true });
  expect(await w.provider.start(buy(w.now))).toMatchObject({ kind: 'not_sent', retryable: true });
  expect(await w.lookup()).toBeNull();
});

test('refunds of a delivered purchase never exceed what was paid, and each is made once', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  await w.pass(5);
  const refund = (refundId: string, amount: string) =>
    w.provider.refund({
      operationId: 'op1',
      mode: 'test',
      now: w.now,
      refundId,
      amount,
      currency: 'EUR',
      reason: null,
    });
  expect(await refund('refund1', '60.00')).toEqual({ kind: 'succeeded' });
  expect(await refund('refund1', '60.00')).toEqual({ kind: 'succeeded' });
  expect(await refund('refund2', '40.01')).toMatchObject({ kind: 'failed' });
  expect(await refund('refund3', '40.00')).toEqual({ kind: 'succeeded' });
  expect(await balance(w, 'fiat', 'EUR')).toBe('0');
  expect(await balance(w, 'losses', 'EUR')).toBe('100');
});

test('a callback about an operation that is not ours is ignored', async () => {
  expect(await chargeBack(world().provider, START)).toEqual({ kind: 'ignored' });
});
