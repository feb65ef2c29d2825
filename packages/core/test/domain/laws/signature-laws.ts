import { TOLERANCE_SECONDS } from '../../../src/runtime/webhook/verify-webhook.js';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { epochSeconds, type GateEvent, type JsonText } from '@gateramp/core/domain';
import { ACME, T0, aUuid } from '../../../../conformance/src/builders.js';
import { domainTopic, type DomainSubject, type SignedAttempt } from './domain-subject.js';

const NOW = epochSeconds(T0);
const SECRET = 'whsec_4f9d2c';

/** JSON that a parser would not reproduce exactly: spacing, key order, number formats, escapes. */
const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{ "b":1.0, "a":1e2,\n"10":0, "2":-0 }',
    '{"a":"\\u00e9\\/","a":2}',
    '[ ]',
    '"é\u{1F600}"',
    '12345678901234567890',
  ),
  fc.json(),
);

function sealed(domain: DomainSubject, data: string): GateEvent {
  const event = { id: aUuid(), ...ACME, sessionId: 'session', sequence: 1, type: 'gate_session.created' };
  // Both generators above produce JSON.
  return domain.freezeEvent({ ...event, data: data as JsonText }, T0);
}

function signed(domain: DomainSubject, event: GateEvent, wallSeconds = NOW): SignedAttempt {
  return domain.signAttempt({ event, secrets: [SECRET], wallSeconds });
}

function verifies(
  domain: DomainSubject,
  attempt: { readonly body: string | Uint8Array; readonly signature: string },
  traits: Receiving = {},
): boolean {
  return domain.verifyAttempt({
    body: typeof attempt.body === 'string' ? new TextEncoder().encode(attempt.body) : attempt.body,
    signature: attempt.signature,
    secret: traits.secret ?? SECRET,
    nowSeconds: traits.nowSeconds ?? NOW,
    toleranceSeconds: TOLERANCE_SECONDS,
  });
}

interface Receiving {
  readonly secret?: string;
  readonly nowSeconds?: number;
}

export const signatureLaws = domainTopic('Domain: events and signatures', {
  'verifies whatever was signed, with the same secret only'(domain) {
    fc.assert(
      fc.property(texts, fc.string({ minLength: 1 }), (data, other) => {
        const attempt = signed(domain, sealed(domain, data));
        assert.ok(verifies(domain, attempt));
        if (other !== SECRET) assert.ok(!verifies(domain, attempt, { secret: other }));
      }),
      { numRuns: 100 },
    );
  },

  'fails when any byte of the body is changed'(domain) {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), (data, place, flip) => {
        const attempt = signed(domain, sealed(domain, data));
        const body = new TextEncoder().encode(attempt.body);
        const at = place % body.length;
        body[at] = (body[at] ?? 0) ^ flip;
        assert.ok(!verifies(domain, { body, signature: attempt.signature }));
      }),
      { numRuns: 200 },
    );
  },

  'fails when any byte of the header is changed'(domain) {
    const attempt = signed(domain, sealed(domain, '{"object":"gate_session"}'));
    for (let at = 0; at < attempt.signature.length; at += 1) {
      for (const flip of [1, 2, 4, 8, 16, 32, 64]) {
        const changed = String.fromCharCode(attempt.signature.charCodeAt(at) ^ flip);
        const signature = attempt.signature.slice(0, at) + changed + attempt.signature.slice(at + 1);
        assert.ok(!verifies(domain, { body: attempt.body, signature }), signature);
      }
    }
  },

  'accepts a header with several v1 when any of them is by its secret'(domain) {
    const event = sealed(domain, '{}');
    const attempt = domain.signAttempt({ event, secrets: ['whsec_new', 'whsec_old'], wallSeconds: NOW });
    assert.equal(attempt.signature.match(/v1=/g)?.length, 2);
    for (const secret of ['whsec_new', 'whsec_old']) assert.ok(verifies(domain, attempt, { secret }));
    assert.ok(!verifies(domain, attempt, { secret: 'whsec_other' }));
  },

  'accepts a signature up to exactly 300 seconds old or ahead, and no more'(domain) {
    const attempt = signed(domain, sealed(domain, '{}'));
    for (const offset of [-300, 0, 300]) {
      assert.ok(domain.isFresh(NOW, NOW + offset, 300));
      assert.ok(verifies(domain, attempt, { nowSeconds: NOW + offset }), `${offset} s`);
    }
    for (const offset of [-301, 301]) {
      assert.ok(!domain.isFresh(NOW, NOW + offset, 300));
      assert.ok(!verifies(domain, attempt, { nowSeconds: NOW + offset }), `${offset} s`);
    }
  },

  'signs every attempt separately: `t` is the wall time of that attempt'(domain) {
    const event = sealed(domain, '{}');
    for (const wallSeconds of [NOW, NOW + 60, NOW + 360, NOW + 2_160, NOW + 9_360]) {
      const attempt = signed(domain, event, wallSeconds);
      assert.match(attempt.signature, new RegExp(`^t=${wallSeconds},v1=[0-9a-f]{64}$`));
      assert.ok(verifies(domain, attempt, { nowSeconds: wallSeconds }));
    }
  },

  'sends the very bytes that were frozen, at every attempt'(domain) {
    fc.assert(
      fc.property(texts, (data) => {
        const event = sealed(domain, data);
        assert.ok(event.body.includes(data), 'the data is spliced in as it was given');
        for (const wallSeconds of [NOW, NOW + 60, NOW + 360])
          assert.equal(signed(domain, event, wallSeconds).body, event.body);
      }),
      { numRuns: 100 },
    );
  },

  'freezes the envelope: id, type, epoch seconds, sequence, livemode, data'(domain) {
    const event = sealed(domain, '{"object":"gate_session"}');
    assert.deepEqual(JSON.parse(event.body), {
      id: event.id,
      type: 'gate_session.created',
      created_at: NOW,
      sequence: 1,
      livemode: false,
      data: { object: 'gate_session' },
    });
  },
});
