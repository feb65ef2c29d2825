import type { TestGate } from '@gateramp/testing';
import { expect } from 'vitest';

const POOL = { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** A completed trade in live mode. */
export async function traded({
  gate,
  partner,
  clock,
}: TestGate): Promise<{ readonly id: string; readonly poolId: string; readonly hash: string }> {
  const live = { partnerId: partner.id, mode: 'live' } as const;
  await gate.admin.savePool(partner.id, POOL);
  for (const currency of ['USDC', 'EUR'])
    await gate.admin.movePoolBalance(partner.id, { poolId: POOL.id, currency, amount: '1000', reference: currency });
  const terms = {
    asset: 'USDC',
    amount: '10',
    currency: 'EUR',
    side: 'on_ramp',
    network: 'base',
    destAddress: WALLET,
  } as const;
  const quote = (await gate.pools.quote(live, POOL.id, terms))._unsafeUnwrap();
  const order = { quoteId: quote.quoteId, destAddress: WALLET };
  const { transactId: id } = (await gate.pools.transact(live, POOL.id, order))._unsafeUnwrap();
  await gate.runDue();
  // The clocks of both modes advance together here.
  await clock.advanceTo(clock.now('live') + 5_000);
  await gate.runDue();
  const [trade] = (await gate.pools.trades(live))._unsafeUnwrap().data;
  expect(trade).toMatchObject({
    transactId: id,
    status: 'completed',
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  return { id, poolId: POOL.id, hash: trade?.txHash ?? '' };
}
