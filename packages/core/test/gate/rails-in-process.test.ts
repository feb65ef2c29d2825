import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

const ASK = {
  currency: 'EUR',
  asset: 'USDC',
  amount: '100.00',
  country_code: 'DE',
  payment_method: 'bank_transfer',
} as const;
const WALLET = '0x00000000000000000000000000000000000000aa';
const BENEFICIARY = { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' } as const;

const callerOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' }) as const;
const get = async (t: TestGate, path: string) => (await t.request('GET', path, { key: t.keys.secret.test })).json;

async function quoted(t: TestGate, side: 'on_ramp' | 'off_ramp'): Promise<string> {
  return (await t.gate.quotes.create(callerOf(t), { ...ASK, side }))._unsafeUnwrap().id;
}

describe('gate.rails', () => {
  it('begins, retrieves, lists and cancels the same payments as HTTP', async () => {
    const t = await createTestGate();
    const { payIns, payOuts } = t.gate.rails;
    const body = { quote_id: await quoted(t, 'on_ramp'), wallet_address: WALLET, user_reference: 'order-1' };
    const payIn = (await payIns.create(callerOf(t), body))._unsafeUnwrap();
    expect(payIn).toMatchObject({ object: 'pay_in', status: 'requires_action', user_reference: 'order-1' });
    expect(await get(t, `/v1/rails/pay_ins/${payIn.id}`)).toEqual(payIn);
    expect((await payIns.list(callerOf(t)))._unsafeUnwrap()).toEqual(await get(t, '/v1/rails/pay_ins'));
    const cancelled = (await payIns.cancel(callerOf(t), payIn.id))._unsafeUnwrap();
    expect(cancelled.status).toBe('cancelled');
    expect((await payIns.retrieve(callerOf(t), payIn.id))._unsafeUnwrap()).toEqual(cancelled);

    const order = { quote_id: await quoted(t, 'off_ramp'), beneficiary: BENEFICIARY, refund_address: WALLET };
    const payOut = (await payOuts.create(callerOf(t), order))._unsafeUnwrap();
    expect(await get(t, `/v1/rails/pay_outs/${payOut.id}`)).toEqual(payOut);
    expect(JSON.stringify(payOut)).not.toContain(BENEFICIARY.iban);
  });

  it('returns the same payment to a repeat with the same key, and refuses a used quote', async () => {
    const t = await createTestGate();
    const body = { quote_id: await quoted(t, 'on_ramp'), wallet_address: WALLET };
    const create = (key?: string) =>
      t.gate.rails.payIns.create(callerOf(t), body, key === undefined ? {} : { idempotencyKey: key });
    const first = await create('pay-1');
    expect(first.isOk()).toBe(true);
    expect(await create('pay-1')).toEqual(first);
    expect((await create())._unsafeUnwrapErr().code).toBe('quote_already_used');
  });

  it('refuses what HTTP refuses: fields, ids, and missing entitlements', async () => {
    const t = await createTestGate();
    const { payIns, payOuts } = t.gate.rails;
    // A value that a JavaScript host may pass.
    const wrong = await payIns.create(callerOf(t), { quote_id: 7 } as never);
    expect(wrong._unsafeUnwrapErr().code).toBe('validation_failed');
    for (const id of ['0'.repeat(24), 'a\u0000']) {
      expect((await payIns.retrieve(callerOf(t), id))._unsafeUnwrapErr().code).toBe('intent_not_found');
      expect((await payOuts.cancel(callerOf(t), id))._unsafeUnwrapErr().code).toBe('intent_not_found');
    }
    await t.gate.admin.savePartner({ ...t.partner, entitlements: [] });
    for (const answer of [await payIns.list(callerOf(t)), await payOuts.list(callerOf(t))])
      expect(answer._unsafeUnwrapErr().code).toBe('rails_api_not_enabled');
  });
});
