import { runInNewContext } from 'node:vm';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { webhooks, WebhookSignatureError } from '../../src/index.js';
import type { RawBody, VerifyOptions } from '../../src/index.js';
import { signatureVectors, type SignatureVector } from '../vectors.js';

const { constructEvent, generateTestHeader } = webhooks;

/** A parsed body, which the types forbid but callers pass nevertheless. */
function payloadOf(vector: SignatureVector): RawBody {
  if (vector.payload !== undefined) return vector.payload;
  if (vector.payload_base64 !== undefined) return Buffer.from(vector.payload_base64, 'base64');
  return vector.payload_json as RawBody;
}

function reasonOf(attempt: () => unknown): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}

describe('constructEvent', () => {
  it.each(signatureVectors)('$name: $reason', (vector) => {
    const options = { now: vector.now * 1000, toleranceSeconds: vector.tolerance_seconds };
    const attempt = (): unknown => constructEvent(payloadOf(vector), vector.header, vector.secrets, options);
    expect(reasonOf(attempt)).toBe(vector.reason);
  });

  const secret = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
  const body = Buffer.from('{"id":"7c9e6679","type":"webhook.test","data":{"livemode":false}}');
  const timestamp = 1_893_499_440;
  const now = timestamp * 1000;
  const header = generateTestHeader({ payload: body, secret, timestamp });

  it('gives the event of what is signed, at the very time and by the system clock', () => {
    expect(constructEvent(body, header, secret, { now })).toEqual(JSON.parse(body.toString()));
    expect(constructEvent(body, generateTestHeader({ payload: body, secret }), secret)).toMatchObject({
      id: '7c9e6679',
    });
  });

  it('takes text, a Uint8Array, an ArrayBuffer, and a part of a larger buffer', () => {
    const larger = Buffer.concat([Buffer.from('before'), body, Buffer.from('after')]);
    const part = larger.subarray(6, 6 + body.length);
    for (const payload of [body.toString(), new Uint8Array(body), new Uint8Array(body).buffer, part])
      expect(constructEvent(payload, header, secret, { now })).toMatchObject({ id: '7c9e6679' });
  });

  it('takes bytes of another realm, as the sandbox of a test runner has them', () => {
    const [view, buffer] = runInNewContext('const b = Uint8Array.from(bytes); [b, b.buffer]', {
      bytes: [...body],
    }) as RawBody[];
    expect(view).not.toBeInstanceOf(Uint8Array);
    for (const payload of [view, buffer])
      expect(constructEvent(payload ?? '', header, secret, { now })).toMatchObject({ id: '7c9e6679' });
  });

  it('takes a header as Node hands it over', () => {
    expect(constructEvent(body, [header], secret, { now })).toMatchObject({ id: '7c9e6679' });
    expect(reasonOf(() => constructEvent(body, undefined, secret, { now }))).toBe('no_header');
    expect(reasonOf(() => constructEvent(body, [header, header], secret, { now }))).toBe('malformed_header');
  });

  it('refuses every change of a single byte of the body', () => {
    for (let index = 0; index < body.length; index += 1)
      for (let flip = 1; flip < 256; flip += 1) {
        const changed = Buffer.from(body);
        changed[index] = (changed[index] ?? 0) ^ flip;
        expect(reasonOf(() => constructEvent(changed, header, secret, { now }))).toBe('no_matching_signature');
      }
  });

  test.prop([fc.nat(header.length - 1), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })])(
    'refuses every change of a single character of the header',
    (index, character) => {
      fc.pre(character !== header[index]);
      const changed = header.slice(0, index) + character + header.slice(index + 1);
      expect(reasonOf(() => constructEvent(body, changed, secret, { now }))).not.toBe(null);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, null, '300', true, {}])(
    'refuses %j as a tolerance and as a clock: it would accept a delivery of any age',
    (value) => {
      for (const name of ['toleranceSeconds', 'now']) {
        // As plain JavaScript could pass it.
        const options = { now: now + 86_400_000, [name]: value } as VerifyOptions;
        const refusal = {
          name: 'InvalidRequestError',
          code: 'invalid_configuration',
          message: expect.stringContaining(name),
        };
        expect(() => constructEvent(body, header, secret, options)).toThrow(expect.objectContaining(refusal));
      }
    },
  );

  it('says what to do', () => {
    const attempt = (): unknown => constructEvent({} as RawBody, header, secret, { now });
    expect(attempt).toThrow(/^parsed_body: .*express\.raw/);
    expect(attempt).toThrow(expect.objectContaining({ name: 'WebhookSignatureError', type: 'invalid_request' }));
  });

  it('never says the secret', () => {
    for (const bad of [`${secret}\n`, `"${secret}"`, secret])
      try {
        constructEvent('{}', header, bad, { now });
        expect.unreachable();
      } catch (error) {
        expect(JSON.stringify(error) + String(error)).not.toContain('9fQ2');
      }
  });
});
