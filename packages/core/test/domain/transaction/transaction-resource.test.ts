import { describe, expect, it } from 'vitest';

import { type JsonText, readJson } from '../../../src/domain/json.js';
import { transactionResource } from '../../../src/domain/transaction/transaction-resource.js';
import { NOW, parsed, purchase } from '../builders.js';

describe('the transaction', () => {
  it('has exactly the fields of the contract, null where absent', () => {
    const stage = (type: string) => ({
      type,
      status: 'pending',
      failure_code: null,
      updated_at: '2026-03-10T12:00:00.000Z',
    });
    expect(parsed(transactionResource(purchase().transaction))).toStrictEqual({
      id: 'gtx_aaaaaaaaaaaaaaaaaaaa',
      object: 'transaction',
      refid: 'gtx_aaaaaaaaaaaaaaaaaaaa',
      session_id: '0123456789abcdef01234567',
      intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      partner_id: '65f0c0ffee65f0c0ffee0001',
      mode: 'test',
      flow: 'on_ramp',
      status: 'pending',
      source: { amount: '100.00', currency: 'EUR', network: null },
      destination: { amount: null, currency: 'USDC', network: 'base' },
      exchange_rate: null,
      fees: [],
      fee_total: null,
      payment_method: 'card',
      country_code: 'DE',
      wallet_address: null,
      tx_hash: null,
      tx_url: null,
      confirmations: null,
      user_reference: null,
      metadata: {},
      stages: ['kyc', 'screening', 'payment', 'conversion', 'delivery'].map(stage),
      failure: null,
      settled_after_close: false,
      amount_refunded: null,
      amount_returned: null,
      refunds: [],
      disputes: [],
      created_at: '2026-03-10T12:00:00.000Z',
      updated_at: '2026-03-10T12:00:00.000Z',
      completed_at: null,
    });
  });

  it('shows only the contract’s members of sides and fees, whatever else a provider added', () => {
    const side = { amount: '1', currency: 'EUR', network: null, iban: 'DE00' };
    const fee = { type: 'processing', amount: '1.50', currency: 'EUR', account: 'x' };
    const shown = parsed(
      transactionResource({
        ...purchase().transaction,
        source: side,
        destination: side,
        fees: [fee],
        completedAt: NOW,
      }),
    );
    expect(shown.source).toStrictEqual({ amount: '1', currency: 'EUR', network: null });
    expect(shown.destination).toStrictEqual({ amount: '1', currency: 'EUR', network: null });
    expect(shown.fees).toStrictEqual([{ type: 'processing', amount: '1.50', currency: 'EUR' }]);
    expect(shown.completed_at).toBe('2026-03-10T12:00:00.000Z');
  });

  it('returns the session’s metadata verbatim', () => {
    const metadata = '{ "b": 1.0, "10":1e400, "9":-0 }' as JsonText;
    const text = transactionResource(purchase({ session: { metadata } }).transaction);
    expect(readJson(text, 32)._unsafeUnwrap().members.get('metadata')).toBe(metadata);
  });
});
