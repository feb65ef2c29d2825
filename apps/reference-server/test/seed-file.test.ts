import { describe, expect, it } from 'vitest';
import { readSeed } from '../src/seed/seed-file.js';

const ACME = { id: '65f0c0ffee65f0c0ffee0001', name: 'Acme' };

const problemsOf = (...partners: readonly object[]): readonly string[] =>
  readSeed(JSON.stringify({ partners })).problems;

describe('the seed file', () => {
  it('takes the keys that are absent, and those that are null, for none', () => {
    const nothing = { secret_keys: [], publishable_keys: [], webhook_url: null, webhook_secret: null };
    const partner = {
      ...ACME,
      allowed_origins: [],
      kyc_trusted: false,
      saved_payment_methods: false,
      live_enabled: false,
      entitlements: [],
      rate_limit_factor: null,
      restrictions: null,
      quota: { completed_sessions: null },
      test: nothing,
      live: nothing,
      pools: [],
      pools_access: { status: 'active', kyc: 'approved' },
    };
    expect(readSeed(JSON.stringify({ partners: [ACME] })).seed).toEqual({ partners: [partner] });
    expect(readSeed(JSON.stringify({ partners: [{ ...ACME, quota: null, live: null, pools: null }] })).seed).toEqual({
      partners: [partner],
    });
  });

  it('takes everything that the contract shows', () => {
    const partner = {
      ...ACME,
      restrictions: null,
      allowed_origins: ['https://shop.example', 'http://127.0.0.1:3000'],
      kyc_trusted: true,
      saved_payment_methods: true,
      live_enabled: true,
      entitlements: ['swap', 'rails', 'pools'],
      rate_limit_factor: 20,
      quota: { completed_sessions: 1000 },
      test: {
        secret_keys: [
          'sk_test_0000000000000001',
          {
            key: 'sk_test_0000000000000002',
            scopes: ['events:read'],
            allowed_ips: ['10.0.0.0/8'],
            expires_at: '2030-01-31T00:00:00Z',
          },
        ],
        publishable_keys: ['pk_test_0000000000000001'],
        webhook_url: 'http://127.0.0.1:9999/hooks',
        webhook_secret: 'whsec_0000000000000001',
      },
      live: { secret_keys: [], publishable_keys: [], webhook_url: null, webhook_secret: null },
      pools: [
        {
          id: 'pool_usdc_eur',
          asset: 'USDC',
          network: 'base',
          currency: 'EUR',
          spreadBps: 30,
          feeBps: 20,
          balances: { USDC: '10000', EUR: '10000' },
        },
      ],
      pools_access: { status: 'suspended', kyc: 'pending' },
    };
    expect(readSeed(JSON.stringify({ partners: [partner] })).seed).toEqual({ partners: [partner] });
  });

  it('reads restrictions, of which what is absent or null allows everything', () => {
    const read = (restrictions: object) =>
      readSeed(JSON.stringify({ partners: [{ ...ACME, restrictions }] })).seed?.partners[0]?.restrictions;
    expect(
      read({
        flows: ['on_ramp'],
        payment_methods: ['card'],
        assets: ['USDC@base'],
        countries: ['de'],
        limits: [
          { flow: 'on_ramp', payment_method: 'card', currency: 'eur', min_amount: '10.00', max_amount: '500.00' },
          { currency: 'USD', max_amount: '50' },
        ],
      }),
    ).toEqual({
      flows: ['on_ramp'],
      paymentMethods: ['card'],
      assets: ['USDC@base'],
      countries: ['DE'],
      limits: [
        { flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '10.00', maxAmount: '500.00' },
        { flow: null, paymentMethod: null, currency: 'USD', minAmount: null, maxAmount: '50' },
      ],
    });
    expect(read({ flows: null, countries: ['DE'] })).toEqual({ countries: ['DE'] });
    expect(read({})).toBeNull();
  });

  it('names what is wrong with restrictions, an empty list among it', () => {
    const problems = problemsOf({
      ...ACME,
      restrictions: {
        flows: [],
        payment_methods: ['cash'],
        countries: ['Germany'],
        limits: [{ currency: 'EUR' }, { currency: 'EUR', min_amount: '2', max_amount: '1' }],
        currencies: ['EUR'],
      },
    });
    expect(problems.map((problem) => problem.split(': ')[0])).toEqual([
      'partners[0].restrictions.flows',
      'partners[0].restrictions.payment_methods[0]',
      'partners[0].restrictions.countries[0]',
      'partners[0].restrictions.limits[0]',
      'partners[0].restrictions.limits[1]',
      'partners[0].restrictions',
    ]);
  });

  it('names every problem with its place, and quotes no key', () => {
    const problems = problemsOf({
      ...ACME,
      allowed_origin: [],
      allowed_origins: ['https://shop.example/'],
      test: { secret_keys: ['sk_live_0000000000000009'], webhook_url: 'ftp://x', webhook_secret: 'short' },
      rate_limit_factor: 0,
      quota: { completed_sessions: -1 },
    });
    expect(problems.map((problem) => problem.split(': ')[0])).toEqual([
      'partners[0].allowed_origins[0]',
      'partners[0].rate_limit_factor',
      'partners[0].quota.completed_sessions',
      'partners[0].test.secret_keys[0]',
      'partners[0].test.webhook_url',
      'partners[0].test.webhook_secret',
      'partners[0]',
    ]);
    expect(problems.join()).toContain('Unrecognized key: "allowed_origin"');
    expect(problems.join()).not.toContain('0000000000000009');
  });

  it('refuses a name with control or format characters', () => {
    for (const name of ['Acme\u001b[2J', 'Ac\u202eme', 'Acme\n'])
      expect(problemsOf({ ...ACME, name })).toEqual([
        'partners[0].name: must not contain control or format characters.',
      ]);
  });

  it('refuses one id for two partners, and one key for two', () => {
    const keys = { test: { secret_keys: ['sk_test_0000000000000001'] } };
    expect(problemsOf({ ...ACME, ...keys }, { ...ACME, ...keys })).toEqual([
      'partners[1].id: is already the id of partners[0].',
      'partners[1]: shares a key with partners[0].',
    ]);
  });

  it('refuses what is not JSON, or not partners', () => {
    expect(readSeed('{').problems).toEqual(['is not valid JSON.']);
    expect(readSeed('{}').problems[0]).toMatch(/^partners: /);
  });
});
