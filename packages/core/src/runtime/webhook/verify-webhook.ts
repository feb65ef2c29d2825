import { createHmac, timingSafeEqual } from 'node:crypto';
import { epochSeconds, type Instant } from '../../domain/instant.js';
import { isFresh, parseSignatureHeader, textToSign } from '../../domain/webhook/signature.js';

/** How old or early the timestamp of a signature may be (spec: Signature rules 3). */
export const TOLERANCE_SECONDS = 300;

/** Whether it is ours and fresh, or why not. */
export type WebhookVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'malformed_header' | 'stale' | 'mismatch' };

/** By what clock, and how old a signature may be. */
export interface VerifyWebhookOptions {
  /** Epoch milliseconds; the system's clock when left out. */
  readonly now?: Instant;
  /** 300 when left out; 0 is a tolerance too. */
  readonly toleranceSeconds?: number;
}

/**
 * Whether a `Gate-Signature` header belongs to these bytes (spec: Signature rules). Give the body as it arrived, never
 * parsed and written again. Several secrets may be good during a rotation; an empty one never is.
 * `stale` is said only of a signature that is otherwise genuine.
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

/** A secret that was never configured must not become the key of an HMAC that anyone can compute. */
function usable(secrets: string | readonly string[]): readonly string[] {
  return (typeof secrets === 'string' ? [secrets] : secrets).filter((secret) => secret !== '');
}

function hmac(secret: string, t: number, rawBody: Uint8Array | string): Buffer {
  return createHmac('sha256', secret).update(textToSign(t, '')).update(rawBody).digest();
}

/** Compares every pair to the end: the time it takes shows neither which one nor how much of it fitted. */
function someEqual(given: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let found = false;
  for (const a of given) for (const b of expected) found = timingSafeEqual(a, b) || found;
  return found;
}
