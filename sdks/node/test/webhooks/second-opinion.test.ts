import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { webhooks } from '../../src/index.js';
import { signatureVectors } from '../vectors.js';

/** A public verifier of the same scheme, written by others. */
const { webhooks: theirs } = Stripe;
const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const payload = '{"id":"7c9e6679","type":"webhook.test","data":{"name":"Žofie 🚀"}}';

describe('the verifier of the stripe package', () => {
  it('accepts what we sign, and we what it signs', () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const ours = webhooks.generateTestHeader({ payload, secret: SECRET, timestamp });
    expect(ours).toBe(theirs.generateTestHeaderString({ payload, secret: SECRET, timestamp }));
    expect(theirs.constructEvent(payload, ours, SECRET)).toEqual(webhooks.constructEvent(payload, ours, SECRET));
  });

  const byText = signatureVectors.filter(({ payload: text, reason }) => text !== undefined && reason === null);
  it.each(byText)('accepts: $name', ({ payload: text = '', header, secrets, now, tolerance_seconds: tolerance }) => {
    const verified = secrets.some((secret) => holds(text, header ?? '', secret, tolerance, now));
    // Theirs reads a header strictly: no spaces around its parts; and takes a tolerance of nothing for none at all.
    expect(verified).toBe(!/\s/.test(header ?? ''));
  });
});

function holds(text: string, header: string, secret: string, tolerance: number, now: number): boolean {
  try {
    theirs.constructEvent(text, header, secret, tolerance, undefined, now * 1000);
    return true;
  } catch {
    return false;
  }
}
