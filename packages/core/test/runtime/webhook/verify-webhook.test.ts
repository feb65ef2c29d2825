import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { signatureHeader, textToSign } from '../../../src/domain/webhook/signature.js';
import { nodeCrypto, verifyWebhook } from '../../../src/runtime/index.js';

const { hmacHex } = nodeCrypto({ masterKey: null });
const secret = 'whsec_a';
const body = '{"name":"Zoë €"}';
const t = 1_700_000_000;
const now = t * 1_000;
const bytes = new TextEncoder().encode(body);

/** Signs like the worker: text in, hex out. */
const sign = (text: string, secrets = [secret], at = t): string =>
  signatureHeader(
    at,
    secrets.map((key) => hmacHex(key, textToSign(at, text))),
  );

describe('a webhook signature', () => {
  it('made over the text verifies over the bytes', () => {
    expect(verifyWebhook(bytes, sign(body), secret, { now })).toEqual({ ok: true });
    expect(verifyWebhook(body, sign(body), secret, { now })).toEqual({ ok: true });
  });

  test.prop([fc.string({ unit: 'binary' }), fc.string({ minLength: 1, unit: 'binary' })])(
    'of any text and secret verifies',
    (text, key) => {
      expect(verifyWebhook(new TextEncoder().encode(text), sign(text, [key]), key, { now })).toEqual({ ok: true });
    },
  );

  test.prop([fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })])(
    'does not match when any byte was altered',
    (at, flip) => {
      const altered = bytes.map((byte, index) => (index === at ? byte ^ flip : byte));
      expect(verifyWebhook(altered, sign(body), secret, { now })).toEqual({ ok: false, reason: 'mismatch' });
    },
  );

  it('does not match another secret, nor a body that was parsed and serialized again', () => {
    expect(verifyWebhook(bytes, sign(body), 'whsec_b', { now })).toEqual({ ok: false, reason: 'mismatch' });
    expect(verifyWebhook('{"name": "Zoë €"}', sign(body), secret, { now })).toEqual({ ok: false, reason: 'mismatch' });
  });

  it('does not match when its time was altered', () => {
    const later = sign(body).replace(`t=${t}`, `t=${t + 1}`);
    expect(verifyWebhook(bytes, later, secret, { now })).toEqual({ ok: false, reason: 'mismatch' });
  });

  it('is accepted with any of several secrets, in any order', () => {
    const header = sign(body, ['whsec_new', 'whsec_old']);
    expect(verifyWebhook(bytes, header, 'whsec_old', { now })).toEqual({ ok: true });
    expect(verifyWebhook(bytes, sign(body), ['whsec_new', secret], { now })).toEqual({ ok: true });
  });

  it('is valid for 300 s in either direction and stale after that', () => {
    for (const skew of [-300, 300])
      expect(verifyWebhook(bytes, sign(body), secret, { now: now + skew * 1_000 }).ok).toBe(true);
    for (const skew of [-301, 301]) {
      expect(verifyWebhook(bytes, sign(body), secret, { now: now + skew * 1_000 })).toEqual({
        ok: false,
        reason: 'stale',
      });
    }
  });

  it('accepts a tolerance of 0', () => {
    expect(verifyWebhook(bytes, sign(body), secret, { now: now + 1_000, toleranceSeconds: 0 })).toEqual({
      ok: false,
      reason: 'stale',
    });
  });

  it('is checked against the current time by default', () => {
    const present = Math.floor(Date.now() / 1_000);
    expect(verifyWebhook(bytes, sign(body, [secret], present), secret).ok).toBe(true);
    expect(verifyWebhook(bytes, sign(body), secret)).toEqual({ ok: false, reason: 'stale' });
  });

  it('that is both old and forged is a mismatch', () => {
    expect(verifyWebhook(bytes, sign(body, ['guess']), secret, { now: now + 9e6 })).toEqual({
      ok: false,
      reason: 'mismatch',
    });
  });

  it.each([null, '', 'hello', 't=1', `v1=${'a'.repeat(64)}`, 't=x,v1=aa', 't=1,v1=short'])(
    '%j is malformed',
    (header) => {
      expect(verifyWebhook(bytes, header, secret, { now })).toEqual({ ok: false, reason: 'malformed_header' });
    },
  );

  it('never verifies with a secret that was not configured', () => {
    for (const none of ['', [''], []]) {
      expect(verifyWebhook(bytes, sign(body, ['']), none, { now })).toEqual({ ok: false, reason: 'mismatch' });
    }
  });
});
