import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type JsonText, readJson } from '../../../src/domain/json.js';
import { sessionResource } from '../../../src/domain/session/session-resource.js';
import { NOW, parsed, session, SESSION_ID, terms } from '../builders.js';
import { forAll } from '../for-all.js';

describe('the GateSession', () => {
  it('has exactly the fields of the contract, null where absent', () => {
    const bare = session({ terms: terms({ flow: null, targetToken: null, targetNetwork: null }) });
    expect(parsed(sessionResource(bare))).toStrictEqual({
      id: SESSION_ID,
      object: 'gate_session',
      partner_id: '65f0c0ffee65f0c0ffee0001',
      mode: 'test',
      flow: null,
      amount: '100.00',
      currency: 'EUR',
      target_token: null,
      target_network: null,
      return_url: 'https://shop.example/done',
      cancel_url: null,
      wallet_address: null,
      user_reference: null,
      kyc_pre_verified: false,
      status: 'open',
      expires_at: '2026-03-11T12:00:00.000Z',
      created_at: '2026-03-10T12:00:00.000Z',
      metadata: {},
    });
  });

  it('shows the fields sent at creation, with the exact text of the amount', () => {
    const full = session({
      mode: 'live',
      terms: terms({ flow: 'swap', amount: '0100.0', walletAddress: '0xAbC' }),
      cancelUrl: 'https://shop.example/back',
      userReference: 'user-7',
      kyc: { provider: 'idco', acceptedAt: NOW, digest: 'x' },
      status: 'completed',
      txRefid: 'gtx_1',
    });
    expect(parsed(sessionResource(full))).toMatchObject({
      mode: 'live',
      flow: 'swap',
      amount: '0100.0',
      target_token: 'USDC',
      target_network: 'base',
      wallet_address: '0xAbC',
      cancel_url: 'https://shop.example/back',
      user_reference: 'user-7',
      kyc_pre_verified: true,
      status: 'completed',
    });
  });

  it('returns metadata verbatim: key order, spacing and unusual numbers', () => {
    const metadata = '{ "b": 1.0, "10":1e400, "9":-0,\n"a":{"__proto__":1} }' as JsonText;
    const text = sessionResource(session({ metadata }));
    expect(readJson(text, 32)._unsafeUnwrap().members.get('metadata')).toBe(metadata);
  });

  forAll([fc.json()])('is JSON whatever the metadata', (metadata) => {
    expect(parsed(sessionResource(session({ metadata: metadata as JsonText }))).metadata).toEqual(JSON.parse(metadata));
  });
});
