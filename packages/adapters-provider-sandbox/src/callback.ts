import {
  decimal,
  epochSeconds,
  FAILURE_CODES,
  hasBadCharacters,
  isFresh,
  isRecord,
  parseSignatureHeader,
  signatureHeader,
  STAGES,
  type Failure,
  type Instant,
} from '@gateramp/core/domain';
import type { RawCallback } from '@gateramp/core/ports';
import { keyedDigest, sameDigest } from './digest.js';
import { SETTLEMENT_ERROR } from './plan.js';
import type { ReportedOutcome } from './report.js';

/** The header with the signature of a sandbox callback. */
export const CALLBACK_SIGNATURE_HEADER = 'x-sandbox-signature';

/**
 * Signs callbacks in test mode, unless `testCallbackSecret` overrides it. It is public: anyone who knows it and the id of a test operation
 * can settle that operation, which moves no money. Live mode never accepts it.
 */
export const SANDBOX_TEST_CALLBACK_SECRET = 'sandbox_test_callback_secret';

/** Callbacks with an older signature, or one further in the future, are refused. */
export const CALLBACK_TOLERANCE_SECONDS = 300;

export interface CallbackUpdate {
  readonly eventId: string;
  readonly operationId: string;
  readonly outcome: ReportedOutcome;
}

/**
 * Reads a callback whose raw bytes were signed with one of the secrets within the tolerance. An empty secret, which
 * anyone could sign with, authenticates nothing.
 */
export function readCallback(
  callback: RawCallback,
  secrets: readonly (string | null)[],
): CallbackUpdate | { readonly kind: 'unauthenticated' } | { readonly kind: 'malformed'; readonly message: string } {
  if (!secrets.some((secret) => isAuthentic(callback, secret))) return { kind: 'unauthenticated' };
  const body = parseBody(callback.rawBody);
  if (body === null) return malformed('The body must be a JSON object.');
  const { event_id: eventId, operation_id: operationId } = body;
  if (!isId(eventId)) return malformed('event_id must be a string of 1 to 255 characters.');
  if (!isId(operationId)) return malformed('operation_id must be a string of 1 to 255 characters.');
  const outcome = readOutcome(body);
  if (outcome === null)
    return malformed(
      'outcome must be processing, succeeded, failed (with a valid failure or none), refunded, charged_back (with a valid dispute or none), dispute_won (with a dispute) or refund_returned (with a refund_id).',
    );
  return { eventId, operationId, outcome };
}

/** Returns the value of `x-sandbox-signature` for a body sent at `now` (wall time), as a real provider would sign it. */
export function signSandboxCallback(rawBody: string | Uint8Array, secret: string, now: Instant): string {
  const t = epochSeconds(now);
  return signatureHeader(t, [keyedDigest(secret, `${t}.`, rawBody)]);
}

function isAuthentic(callback: RawCallback, secret: string | null): boolean {
  if (secret === null || secret === '') return false;
  const signature = parseSignatureHeader(callback.headers[CALLBACK_SIGNATURE_HEADER] ?? '');
  if (signature === null || !isFresh(signature.t, epochSeconds(callback.now), CALLBACK_TOLERANCE_SECONDS)) return false;
  const expected = keyedDigest(secret, `${signature.t}.`, callback.rawBody);
  return signature.v1.some((given) => sameDigest(given, expected));
}

type Members = Readonly<Record<string, unknown>>;

function parseBody(rawBody: Uint8Array): Members | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function readOutcome({
  outcome: kind,
  failure = null,
  dispute = null,
  refund_id: refundId,
}: Members): ReportedOutcome | null {
  switch (kind) {
    case 'processing':
      return { kind, stage: 'conversion' };
    case 'succeeded':
    case 'refunded':
      return { kind };
    case 'charged_back': {
      if (dispute === null) return { kind };
      const read = readDispute(dispute);
      return read === null ? null : { kind, dispute: { ...read, status: 'open' } };
    }
    case 'dispute_won': {
      const read = readDispute(dispute);
      return read === null ? null : { kind, dispute: read };
    }
    case 'refund_returned':
      return isId(refundId) ? { kind, refundId } : null;
    case 'failed': {
      const read = failure === null ? SETTLEMENT_ERROR : readFailure(failure);
      return read === null ? null : { kind, failure: read };
    }
    default:
      return null;
  }
}

function readFailure(value: unknown): Failure | null {
  if (!isRecord(value)) return null;
  const code = FAILURE_CODES.find((known) => known === value['code']);
  const stage = STAGES.find((known) => known === value['stage']);
  const { message, retryable } = value;
  if (code === undefined || stage === undefined || !isText(message) || typeof retryable !== 'boolean') return null;
  return { code, stage, message, retryable };
}

function readDispute(value: unknown): { readonly id: string; readonly amount: string } | null {
  if (!isRecord(value)) return null;
  const { id, amount } = value;
  const isAmount = isText(amount) && amount.length <= 40 && decimal.isDecimal(amount) && decimal.isPositive(amount);
  return isId(id) && isAmount ? { id, amount } : null;
}

function isId(value: unknown): value is string {
  return isText(value) && value.length > 0 && value.length <= 255;
}

/** Text that every store of the ledger accepts. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !hasBadCharacters(value);
}

function malformed(message: string): { readonly kind: 'malformed'; readonly message: string } {
  return { kind: 'malformed', message };
}
