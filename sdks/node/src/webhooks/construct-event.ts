import { InvalidRequestError } from '../errors/classes.js';
import { WebhookSignatureError } from '../errors/webhook-signature-error.js';
import { type WebhookEvent } from '../types/webhook-event.js';
import { eventIn } from './event-in.js';
import { parseSignature, signatureOf, someEqual } from './signature.js';

/** The body as received. A Node Buffer is a Uint8Array. */
export type RawBody = string | Uint8Array | ArrayBuffer;
/** One secret, or, during a rotation, the old and the new. */
export type SigningSecrets = string | readonly string[];
/** A header value as Node provides it. */
export type SignatureHeader = string | readonly string[] | null | undefined;

/** The tolerance and the clock for checking a signature's age (spec: Signature rules 3). Both must be finite and at least 0. */
export interface VerifyOptions {
  /** The maximum age of a signature, or its distance into the future. Default 300; 0 is allowed. */
  readonly toleranceSeconds?: number | undefined;
  /** Epoch milliseconds. Default: the system clock. */
  readonly now?: number | undefined;
}

export const TOLERANCE_SECONDS = 300;

/**
 * Returns the event of a webhook after verifying its signature and age (spec: Signature rules). Synchronous. Pass the raw body as received,
 * never a parsed one. Throws a WebhookSignatureError whose `reason` says what failed, and an InvalidRequestError for an invalid option.
 */
export function constructEvent(
  payload: RawBody,
  header: SignatureHeader,
  secret: SigningSecrets,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): WebhookEvent {
  checkFinite('toleranceSeconds', toleranceSeconds);
  checkFinite('now', now);
  const body = bytesOf(payload);
  const secrets = secretsOf(secret);
  const line = (isList(header) ? header.join(',') : (header ?? '')).trim();
  if (line === '') throw new WebhookSignatureError('no_header');
  const signature = parseSignature(line);
  if (signature === null) throw new WebhookSignatureError('malformed_header');
  const expected = secrets.map((one) => signatureOf(signature.t, body, one));
  if (!someEqual(signature.v1, expected)) throw new WebhookSignatureError('no_matching_signature');
  const age = Math.floor(now / 1000) - Number(signature.t);
  // Written so that NaN fails the comparison.
  if (!(age <= toleranceSeconds)) throw new WebhookSignatureError('timestamp_too_old');
  if (!(-age <= toleranceSeconds)) throw new WebhookSignatureError('timestamp_in_future');
  const event = eventIn(body);
  if (event === null) throw notAnEvent();
  return event;
}

/** A tolerance or clock that is NaN or infinite (`Number(undefined)`) would accept signatures of any age. */
export function checkFinite(name: 'toleranceSeconds' | 'now' | 'leaseSeconds', value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new InvalidRequestError({
    code: 'invalid_configuration',
    message: `${name} must be a finite number of at least 0; got ${String(value)}.`,
  });
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

export function bytesOf(payload: RawBody): Uint8Array {
  if (typeof payload === 'string') return new TextEncoder().encode(payload);
  // Checked by structure rather than by class: the sandbox of a test runner has its own classes.
  if (ArrayBuffer.isView(payload)) return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  if (isArrayBuffer(payload)) return new Uint8Array(payload);
  throw new WebhookSignatureError('parsed_body');
}

const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/** Returns all secrets, each well formed. An empty one would be public knowledge. */
export function secretsOf(secret: SigningSecrets): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : isList(secret) ? secret : [];
  const areGood = secrets.every((one) => typeof one === 'string' && /^whsec_[\x21-\x7e]+$/.test(one));
  if (secrets.length === 0 || !areGood) throw new WebhookSignatureError('secret_malformed');
  return secrets;
}

/** The refusal of a signed body that is not an event. */
export const notAnEvent = (): WebhookSignatureError =>
  new WebhookSignatureError(
    'parsed_body',
    'The body is signed but is not an event: a JSON object with the members and types that the API reference describes.',
  );
