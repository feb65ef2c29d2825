import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startReferenceServer, type ReferenceServer } from '../../services/reference-server.js';
import { advance, BUYER, callsTo, KEYED, until, useLocalChain, withLegs } from '../checkout.js';

const chain = useLocalChain();

/** Settings with an identity leg, which would verify a buyer of this amount. */
const withIdentity = () =>
  withLegs(chain, (file) => JSON.stringify({ ...(JSON.parse(file) as object), identity: { type: 'fake' } }));

test('a pay-in over legs is paid by transfer and delivered on the chain, without a buyer', async () => {
  const server = await startReferenceServer({ settings: withIdentity() });
  const call = railsOf(server);
  const quote = await call('POST', '/v1/quotes', { ...QUOTE, side: 'on_ramp' });
  const { id, instructions, status } = await call('POST', '/v1/rails/pay_ins', {
    quote_id: quote.id,
    wallet_address: BUYER,
  });
  expect(status).toBe('requires_action');
  expect(instructions).toMatchObject({ type: 'bank_transfer', amount: '14.50', currency: 'EUR' });
  // The fake bank's transfer arrives after half a minute.
  await advance(server, 40);
  const done = await atRest(() => call('GET', `/v1/rails/pay_ins/${id}`));
  expect(done).toMatchObject({ status: 'succeeded', failure: null });
  expect(await chain.balanceOf(BUYER)).toBe(BigInt(quote.destination.amount.replace('.', '')));
});

test('a pay-out over legs is deposited on the chain and paid out, without a buyer', async () => {
  const server = await startReferenceServer({ settings: withIdentity() });
  const call = railsOf(server);
  const quote = await call('POST', '/v1/quotes', { ...QUOTE, side: 'off_ramp' });
  const { id, deposit } = await call('POST', '/v1/rails/pay_outs', {
    quote_id: quote.id,
    beneficiary: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Test Buyer' },
    refund_address: BUYER,
  });
  expect(deposit).toMatchObject({ network: 'base', asset: 'USDC' });
  await chain.pay(deposit?.address as `0x${string}`, deposit?.amount ?? '');
  expect(await atRest(() => call('GET', `/v1/rails/pay_outs/${id}`))).toMatchObject({ status: 'succeeded' });
});

const QUOTE = {
  amount: '14.50',
  currency: 'EUR',
  asset: 'USDC',
  network: 'base',
  country_code: 'DE',
  payment_method: 'bank_transfer',
};

interface Rail {
  readonly id: string;
  readonly status: string;
  readonly instructions: object | null;
  readonly deposit: { readonly address: string; readonly amount: string } | null;
  readonly destination: { readonly amount: string };
}

function railsOf(server: ReferenceServer) {
  const call = callsTo(server);
  return async (method: string, path: string, body?: object) =>
    (await call(method, path, { ...KEYED, 'idempotency-key': randomUUID() }, body)) as Rail;
}

const atRest = (look: () => Promise<Rail>) =>
  until(async () => {
    const rail = await look();
    return ['requires_action', 'processing'].includes(rail.status) ? null : rail;
  });
