/** The answer of the bare routes: as many bytes as a session, without any stored data. */
export function bareAnswer(body) {
  return {
    id: '01a1f84596a0069ad263e346',
    object: 'gate_session',
    partner_id: '65f0c0ffee65f0c0ffee0001',
    mode: 'test',
    flow: null,
    amount: body.amount,
    currency: body.currency,
    target_token: null,
    target_network: null,
    return_url: body.return_url,
    cancel_url: null,
    wallet_address: null,
    user_reference: null,
    kyc_pre_verified: false,
    status: 'open',
    expires_at: '2030-01-02T00:00:00.000Z',
    created_at: '2030-01-01T00:00:00.000Z',
    metadata: {},
    client_secret: 'gsec_01a1f84596a0069ad263e346_0123456789abcdefghijklmnopqrstuv',
  };
}

export const STORED = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
