import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiKey, Mode, Scope } from '@gateramp/core';
import { MODES, decimal, type PaymentAttempt, type Instant, type PageRequest, type Terms } from '@gateramp/core/domain';
import { ACME, OPEN_TERMS, T0, aKey } from '../../../../conformance/src/builders.js';
import { domainTopic, refusalOf } from './domain-subject.js';

/** Key mode by host mode: the refusal, or null if the key is accepted. */
const HOST_TABLE: Record<Mode, Record<Mode, string | null>> = {
  test: { test: null, live: 'test_key_on_live' },
  live: { test: 'live_key_on_sandbox', live: null },
};

const ids = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 });
const scopes: fc.Arbitrary<Scope> = fc.record({ partnerId: ids, mode: fc.constantFrom(...MODES) });
const uses = fc.record({ scope: scopes, sessionId: fc.option(ids, { nil: null }) });

const amounts = fc
  .tuple(fc.nat(10_000), fc.constantFrom('', '.0', '.50', '.12345678'))
  .map(([whole, fraction]) => `${whole}${fraction}`);
const maybe = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: null });
const flows = fc.constantFrom('on_ramp', 'off_ramp', 'swap');
const bound = {
  amount: amounts,
  currency: fc.constantFrom('EUR', 'USD'),
  targetToken: maybe('USDC', 'usdc', 'ETH'),
  targetNetwork: maybe('base', 'ethereum'),
  walletAddress: maybe('0xAbC', '0xabc'),
};
const terms: fc.Arbitrary<Terms> = fc.record({ ...bound, flow: fc.option(flows, { nil: null }) });
const attempts: fc.Arbitrary<PaymentAttempt> = fc.record({ ...bound, flow: flows });

export const accessLaws = domainTopic('Domain: keys, keys of requests, terms and pages', {
  'answers every combination of key and host, and allows only equal modes'(domain) {
    for (const type of ['sk', 'pk']) {
      for (const mode of MODES) {
        const key = domain.parseKey(`${type}_${mode}_AbCdEfGh1234`);
        assert.ok(key !== null);
        assert.deepEqual([key.type, key.mode], [type === 'sk' ? 'secret' : 'publishable', mode]);
        for (const host of MODES) {
          assert.equal(refusalOf(domain.checkHost(key, host)), HOST_TABLE[mode][host]);
        }
      }
    }
  },

  'reads no key out of anything else'(domain) {
    for (const text of [
      '',
      'sk_test_',
      'sk_prod_AbCdEfGh',
      'rk_test_AbCdEfGh',
      'SK_test_AbCdEfGh',
      'sk_test_AbCdEfGh ',
      'sk-test-AbCdEfGh',
    ]) {
      assert.equal(domain.parseKey(text), null, text);
    }
  },

  'refuses a key that was revoked, by whatever clock, and one that has expired'(domain) {
    const said = (key: ApiKey, now: Instant): string | null => refusalOf(domain.checkKeyLife(key, now));
    assert.equal(said(aKey(), T0), null);
    assert.equal(said({ ...aKey(), revokedAt: T0 + 3_600_000 }, T0), 'revoked_api_key');
    assert.equal(said({ ...aKey(), revokedAt: T0 }, T0), 'revoked_api_key');
    assert.equal(said({ ...aKey(), expiresAt: T0 }, T0), null);
    assert.equal(said({ ...aKey(), expiresAt: T0 }, T0 + 1), 'expired_api_key');
  },

  'gives two partners, modes or sessions never the same idempotency scope'(domain) {
    fc.assert(
      fc.property(uses, uses, (one, other) => {
        const same =
          one.scope.partnerId === other.scope.partnerId &&
          one.scope.mode === other.scope.mode &&
          one.sessionId === other.sessionId;
        const scopesEqual =
          domain.idempotencyScope(one.scope, one.sessionId) === domain.idempotencyScope(other.scope, other.sessionId);
        assert.equal(scopesEqual, same);
      }),
    );
    const [mine, theirs] = [ACME, { ...ACME, partnerId: '65f0c0ffee65f0c0ffee0009' }];
    assert.notEqual(domain.idempotencyScope(mine, null), domain.idempotencyScope(theirs, null));
    assert.notEqual(domain.idempotencyScope(mine, null), domain.idempotencyScope({ ...mine, mode: 'live' }, null));
    assert.notEqual(domain.idempotencyScope(mine, null), domain.idempotencyScope(mine, 'session'));
  },

  'lets an attempt fill what the terms leave open and change nothing they fix'(domain) {
    fc.assert(
      fc.property(terms, attempts, (fixed, asked) => {
        const result = domain.bindTerms(fixed, asked);
        if (result.isErr()) return;
        const agreed = result.value;
        assert.equal(agreed.amount, fixed.amount, 'the text given at create is kept');
        assert.ok(decimal.equals(fixed.amount, asked.amount));
        assert.equal(agreed.currency, fixed.currency);
        if (fixed.flow !== null) assert.equal(agreed.flow, fixed.flow);
        assert.equal(agreed.targetToken, fixed.targetToken ?? asked.targetToken);
        assert.equal(agreed.targetNetwork, fixed.targetNetwork ?? asked.targetNetwork);
        assert.equal(agreed.walletAddress, fixed.walletAddress ?? asked.walletAddress);
        if (fixed.walletAddress !== null && asked.walletAddress !== null)
          assert.equal(asked.walletAddress, fixed.walletAddress);
      }),
      { numRuns: 500 },
    );
  },

  'refuses every attempt that differs in one bound term'(domain) {
    const fixed: Terms = {
      ...OPEN_TERMS,
      flow: 'on_ramp',
      targetToken: 'USDC',
      targetNetwork: 'base',
      walletAddress: '0xAbC',
    };
    const asked: PaymentAttempt = { ...fixed, flow: 'on_ramp', amount: '100.0' };
    assert.ok(domain.bindTerms(fixed, asked).isOk(), 'one amount however it is written');
    assert.equal(refusalOf(domain.bindTerms(fixed, { ...asked, amount: '100.01' })), 'amount_mismatch');
    const tampered: readonly Partial<PaymentAttempt>[] = [
      { flow: 'swap' },
      { currency: 'USD' },
      { targetToken: 'ETH' },
      { targetNetwork: 'ethereum' },
      { walletAddress: '0xabc' },
    ];
    for (const change of tampered) {
      assert.equal(refusalOf(domain.bindTerms(fixed, { ...asked, ...change })), 'terms_mismatch');
    }
  },

  'cuts a page to its limit, newest first in both directions, and says whether there is more'(domain) {
    fc.assert(
      fc.property(fc.nat(12), fc.integer({ min: 1, max: 10 }), (total, limit) => {
        const rows = Array.from({ length: Math.min(total, limit + 1) }, (_, nth) => nth);
        const expected = { items: rows.slice(0, limit), hasMore: total > limit };
        const page = (start: PageRequest['start']) => domain.cutPage(rows, { start, limit });
        assert.deepEqual(page({ kind: 'newest' }), expected);
        assert.deepEqual(page({ kind: 'after', id: 'x' }), expected);
        assert.deepEqual(page({ kind: 'before', id: 'x' }), { ...expected, items: expected.items.toReversed() });
      }),
    );
  },
});
