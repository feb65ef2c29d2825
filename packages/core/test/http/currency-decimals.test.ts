import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { currencyDecimals, fitsCurrency } from '../../src/domain/money.js';
import { WALLET } from '../engine/checkout.js';

const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' };

const ROUTES = {
  '/v1/quotes/preview': ASK,
  '/v1/quotes': { ...ASK, payment_method: 'bank_transfer' },
} as const;

function ask(t: TestGate, path: string, body: object) {
  return t.request('POST', path, { key: t.keys.secret.test, body });
}

describe('the decimals of an amount', () => {
  it.each([
    ['EUR', '77.12', true],
    ['EUR', '77.123456', false],
    ['EUR', '77.1200', true],
    ['JPY', '1000', true],
    ['jpy', '1000.5', false],
    ['KWD', '1.234', true],
    ['KWD', '1.2345', false],
  ])('of %s %s are within ISO 4217: %s', (currency, amount, fits) => {
    expect(fitsCurrency(amount, currency)).toBe(fits);
  });

  it('are two if ISO 4217 does not list the currency', () => {
    expect(currencyDecimals('XYZ')).toBe(2);
  });

  it.each(Object.entries(ROUTES))('in excess are 400 at the field of POST %s', async (path, body) => {
    const t = await createTestGate();
    for (const [currency, amount, decimals] of [
      ['EUR', '77.123456', 2],
      ['JPY', '77.1', 0],
      ['KWD', '77.1234', 3],
    ] as const)
      expect(await ask(t, path, { ...body, currency, amount })).toMatchObject({
        status: 400,
        json: {
          code: 'validation_failed',
          errors: [
            {
              field: 'amount',
              code: 'too_many_decimals',
              message: `amount must have at most ${decimals} decimals in ${currency}`,
            },
          ],
        },
      });
    expect((await ask(t, path, body)).status).toBeLessThan(300);
    expect((await ask(t, path, { ...body, amount: '1.123456789' })).json['errors']).toMatchObject([
      { field: 'amount', code: 'invalid_format' },
    ]);
  });

  it('in excess are 400 at the field of a pool quote', async () => {
    const t = await createTestGate();
    const pool = { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
    const created = await t.gate.pools.quote({ partnerId: t.partner.id, mode: 'live' }, pool.id, {
      side: 'on_ramp',
      asset: 'USDC',
      network: 'base',
      currency: 'EUR',
      amount: '77.123456',
      destAddress: WALLET,
    });
    expect(created._unsafeUnwrapErr()).toMatchObject({
      code: 'validation_failed',
      fields: [{ field: 'amount', code: 'too_many_decimals' }],
    });
  });

  it('may be eight for a session', async () => {
    const t = await createTestGate();
    const created = await t.createSession({ amount: '77.12345678' });
    expect(created.amount).toBe('77.12345678');
  });
});
