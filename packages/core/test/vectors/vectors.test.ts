import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STATUSES } from '../../src/http/errors.js';
import { signatureHeader, textToSign } from '../../src/domain/webhook/signature.js';
import { nodeCrypto, verifyWebhook, type WebhookVerdict } from '../../src/runtime/index.js';
import { RETRY_POLICY, RETRY_VECTORS } from './retry-vectors.js';
import { SIGNATURE_VECTORS, type SignatureReason, type SignatureVector } from './signature-vectors.js';

const spec = new URL('../../../../spec/', import.meta.url);

const FILES = [
  {
    file: 'signature-vectors.json',
    document: {
      about:
        'Expected results of every webhook verifier. The body is `payload` (text), `payload_base64` (bytes) or `payload_json` (a parsed value); `now` is in epoch seconds; `reason` is null if the signature is valid. If several reasons apply, the first of this order is expected: a payload that is neither text nor bytes, the secrets, the header, the signature, its time, and a body that is not a JSON object.',
      vectors: SIGNATURE_VECTORS,
    },
  },
  {
    file: 'retry-vectors.json',
    document: {
      about:
        'How every server SDK handles a response: whether the operation is retried, the bounds of the random wait, and otherwise the error. `retries_made` counts earlier retries; `now` is in epoch milliseconds. Header names are in lower case.',
      policy: RETRY_POLICY,
      vectors: RETRY_VECTORS,
    },
  },
] as const;

it.each(FILES)('spec/$file is current; npm run openapi regenerates it', ({ file, document }) => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env['GATERAMP_WRITE_SPEC'] === '1') writeFileSync(new URL(file, spec), text);
  expect(readFileSync(new URL(file, spec), 'utf8')).toBe(text);
});

it.each(FILES)('the names in spec/$file are unique identifiers', ({ document }) => {
  const names = document.vectors.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

/** The result of the engine's verifier for each reason of an SDK. The engine has fewer reasons and does not parse the body. */
const VERDICTS: Readonly<Record<SignatureReason, WebhookVerdict>> = {
  parsed_body: { ok: true },
  no_header: { ok: false, reason: 'malformed_header' },
  malformed_header: { ok: false, reason: 'malformed_header' },
  no_matching_signature: { ok: false, reason: 'mismatch' },
  timestamp_too_old: { ok: false, reason: 'stale' },
  timestamp_in_future: { ok: false, reason: 'stale' },
  secret_malformed: { ok: false, reason: 'mismatch' },
};

const payloadOf = (vector: SignatureVector): string | Uint8Array | null =>
  'payload' in vector
    ? vector.payload
    : 'payload_base64' in vector
      ? Buffer.from(vector.payload_base64, 'base64')
      : null;

describe('the engine agrees with its vectors', () => {
  // The engine's verifier takes only bytes and text, and the host's own secrets, which were checked when they were set.
  const asked = SIGNATURE_VECTORS.filter(
    (vector) => payloadOf(vector) !== null && !(vector.reason === 'secret_malformed' && vector.secrets.length > 1),
  );

  it.each(asked.filter(({ reason, header }) => reason !== 'secret_malformed' || header !== null))(
    '$name: $reason',
    (vector) => {
      const verdict = verifyWebhook(payloadOf(vector) ?? '', vector.header, vector.secrets, {
        now: vector.now * 1000,
        toleranceSeconds: vector.tolerance_seconds,
      });
      expect(verdict).toEqual(vector.reason === null ? { ok: true } : VERDICTS[vector.reason]);
    },
  );

  it('signs like the vectors', () => {
    const [plain] = SIGNATURE_VECTORS;
    if (plain === undefined || !('payload' in plain)) throw new Error('The first vector is the plain one.');
    const { hmacHex } = nodeCrypto({ masterKey: null });
    const [secret = ''] = plain.secrets;
    expect(signatureHeader(plain.now, [hmacHex(secret, textToSign(plain.now, plain.payload))])).toBe(plain.header);
  });
});

it('all reasons and all codes of the engine have vectors', () => {
  const reasons = new Set(SIGNATURE_VECTORS.map(({ reason }) => reason));
  expect([...reasons].sort()).toEqual([null, ...Object.keys(VERDICTS)].sort());
  const codes = new Set(RETRY_VECTORS.map(({ code }) => code));
  expect(Object.keys(STATUSES).filter((code) => !codes.has(code))).toEqual([]);
});

it('only the failures that the contract lists are retried', () => {
  const statuses = RETRY_VECTORS.flatMap(({ answer, retried }) =>
    retried && 'status' in answer ? [answer.status] : [],
  );
  expect([...new Set(statuses)].sort()).toEqual([200, 408, 425, 429, 500, 502, 503, 504]);
});
