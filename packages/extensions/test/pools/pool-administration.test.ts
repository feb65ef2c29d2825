import { createTestGate, type TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

const TERMS = { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
const OTHERS = '65f0c0ffee65f0c0ffee0002';

async function withPool(): Promise<TestGate> {
  const t = await createTestGate();
  await t.gate.admin.savePool(t.partner.id, TERMS);
  return t;
}

async function eur({ gate, partner }: TestGate): Promise<string | undefined> {
  const balance = await gate.pools.balance({ partnerId: partner.id, mode: 'live' }, TERMS.id);
  return balance._unsafeUnwrap().balances.find(({ currency }) => currency === 'EUR')?.available;
}

it('changes a balance once per reference, and never below zero', async () => {
  const t = await withPool();
  const move = (amount: string, reference: string, currency = 'EUR') =>
    t.gate.admin.movePoolBalance(t.partner.id, { poolId: TERMS.id, currency, amount, reference });
  expect(await Promise.all([move('100', 'a'), move('100', 'a')])).toEqual(['moved', 'known']);
  expect(await move('100.00', 'a')).toBe('known');
  expect(await move('100', 'a', 'eur')).toBe('known');
  expect(await move('250.5', 'a')).toBe('other_amount');
  expect(await move('-100.01', 'b')).toBe('insufficient');
  expect(await eur(t)).toBe('100');
  // A refused movement is not recorded, so its reference is free.
  expect(await move('-40', 'b')).toBe('moved');
  expect(await eur(t)).toBe('60');
  expect(await Promise.all([move('1', 'c'), move('2', 'c')])).toEqual(['moved', 'other_amount']);
  expect(await eur(t)).toBe('61');
});

it('changes spread and fee of a pool, but not its owner or currencies', async () => {
  const t = await withPool();
  await t.gate.admin.savePool(t.partner.id, { ...TERMS, spreadBps: 10, asset: 'usdc', network: 'Base' });
  const { data } = (await t.gate.pools.list({ partnerId: t.partner.id, mode: 'live' }))._unsafeUnwrap();
  expect(data).toMatchObject([{ poolId: TERMS.id, asset: 'USDC', network: 'base', spreadBps: 10, feeBps: 20 }]);
  await expect(t.gate.admin.savePool(t.partner.id, { ...TERMS, asset: 'ETH' })).rejects.toThrow('cannot be changed');
  await expect(t.gate.admin.savePool(OTHERS, TERMS)).rejects.toThrow('of another partner');
});

it('lists all faults of its arguments', async () => {
  const { gate, partner } = await withPool();
  const wrong = { ...TERMS, id: 'a pool', currency: 'usdc', spreadBps: 9_000, feeBps: 1_001 };
  await expect(gate.admin.savePool(partner.id, wrong)).rejects.toMatchObject({ problems: { length: 3 } });
  const movement = { poolId: 'none', currency: 'EUR', amount: '1', reference: 'r' };
  await expect(gate.admin.movePoolBalance(partner.id, movement)).rejects.toThrow('no pool with this poolId');
  const foreign = { ...movement, poolId: TERMS.id, currency: 'USD' };
  await expect(gate.admin.movePoolBalance(partner.id, foreign)).rejects.toThrow('USDC and EUR');
  await expect(gate.admin.movePoolBalance(partner.id, { ...foreign, amount: 'x' })).rejects.toThrow('decimal');
});

it('returns in process the same as the pools host, for live callers only', async () => {
  const t = await withPool();
  const refused = await t.gate.pools.list({ partnerId: t.partner.id, mode: 'test' });
  expect(refused._unsafeUnwrapErr().code).toBe('key_mode_mismatch');
  await t.gate.admin.setPoolsAccess(t.partner.id, { status: 'suspended', kyc: 'approved' });
  const suspended = await t.gate.pools.balance({ partnerId: t.partner.id, mode: 'live' }, TERMS.id);
  expect(suspended._unsafeUnwrapErr().code).toBe('pool_access_suspended');
});
