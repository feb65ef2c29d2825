import { ok, type Result } from 'neverthrow';
import { refuse, type Refusal } from '../refusal.js';
import type { Scope } from '../mode.js';

/** 1–255 visible ASCII characters. */
const USABLE = /^[\x21-\x7e]{1,255}$/;

/** Reads the idempotency key of a request; null when none was sent and none is required. */
export function readIdempotencyKey(
  header: string | null,
  required: boolean,
): Result<string | null, Refusal<'idempotency_key_required' | 'idempotency_key_invalid'>> {
  if (header === null) {
    if (!required) return ok(null);
    return refuse(
      'idempotency_key_required',
      'Send an Idempotency-Key header: a UUID v4 that stays the same on retries.',
    );
  }
  if (!USABLE.test(header)) {
    return refuse('idempotency_key_invalid', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return ok(header);
}

/** Separates the keys of partners, modes and, on embed calls, sessions or anonymous browsers. The route is part of the fingerprint. */
export function idempotencyScope(scope: Scope, browser: string | null): string {
  const base = `${scope.partnerId}/${scope.mode}`;
  return browser === null ? base : `${base}/${browser}`;
}

/** The text that identifies an operation; hashed with a key before it is stored. */
export function fingerprintText(method: string, path: string, canonicalBody: string): string {
  return `${method} ${path}\n${canonicalBody}`;
}

/** An HTTP response to be replayed byte for byte. */
export interface WireReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** A reply encrypted with its requester's idempotency key (`docs/spec-notes.md` C1). Base64 text. */
export type SealedReply = string;

/** The state of an idempotency row. */
export type IdempotencyState =
  | { readonly kind: 'started'; readonly resourceId: string; readonly taskId: string }
  | { readonly kind: 'sealed'; readonly reply: SealedReply };
