import { createHmac, timingSafeEqual } from 'node:crypto';
import { epochSeconds, type Instant } from '../../domain/instant.js';
import { isFresh, parseSignatureHeader, textToSign } from '../../domain/webhook/signature.js';

/** Maximum difference between a signature's timestamp and the current time (spec: Signature rules 3). */
export const TOLERANCE_SECONDS = 300;

/** Whether the signature is valid and fresh, or why not. */
export type WebhookVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'malformed_header' | 'stale' | 'mismatch' };

/** The clock and tolerance of a verification. */
export interface VerifyWebhookOptions {
  /** Epoch milliseconds; by default the system's clock. */
  readonly now?: Instant;
  /** 300 by default; 0 requires the same second. */
  readonly toleranceSeconds?: number;
}

/**
 * Verifies that a `Gate-Signature` header belongs to the body (spec: Signature rules). Pass the body as received, never parsed and
 * serialized again. Several secrets can be valid during a rotation; empty ones are ignored. `stale` is returned only if the signature is
 * otherwise valid.
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  header: string | null,
  secrets: string | readonly string[],
  { now = Date.now(), toleranceSeconds = TOLERANCE_SECONDS }: VerifyWebhookOptions = {},
): WebhookVerdict {
  const signature = header === null ? null : parseSignatureHeader(header);
  if (signature === null) return { ok: false, reason: 'malformed_header' };
  const given = signature.v1.map((hex) => Buffer.from(hex, 'hex'));
  const expected = usable(secrets).map((secret) => hmac(secret, signature.t, rawBody));
  if (!someEqual(given, expected)) return { ok: false, reason: 'mismatch' };
  if (!isFresh(signature.t, epochSeconds(now), toleranceSeconds)) return { ok: false, reason: 'stale' };
  return { ok: true };
}

/** A missing secret must not become the key of an HMAC that anyone can compute. */
function usable(secrets: string | readonly string[]): readonly string[] {
  return (typeof secrets === 'string' ? [secrets] : secrets).filter((secret) => secret !== '');
}

function hmac(secret: string, t: number, rawBody: Uint8Array | string): Buffer {
  return createHmac('sha256', secret).update(textToSign(t, '')).update(rawBody).digest();
}

/** Compares all pairs completely, so that the duration reveals neither which pair matched nor how much of it. */
function someEqual(given: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let found = false;
  for (const a of given) for (const b of expected) found = timingSafeEqual(a, b) || found;
  return found;
}
