import type { ErrorCode } from '../error-code.js';
import type { Instant } from '../instant.js';
import type { PaymentMethod } from '../intent/intent.js';
import type { Scope } from '../mode.js';
import type { Flow } from '../session/terms.js';

/**
 * A browser asked for terms that a session or its market does not have, and was refused. Of what it sent only the terms
 * are kept: no card, no address, no account and no name.
 */
export interface RefusedAttempt extends Scope {
  readonly id: string;
  readonly version: number;
  readonly sessionId: string;
  readonly requestId: string | null;
  readonly code: ErrorCode;
  readonly asked: AskedTerms;
  readonly createdAt: Instant;
}

/** What of a refused request is kept. */
export interface AskedTerms {
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
}

const OF_TERMS: readonly ErrorCode[] = [
  'amount_mismatch',
  'terms_mismatch',
  'wallet_address_invalid',
  'corridor_not_supported',
  'asset_network_mismatch',
  'amount_below_minimum',
  'amount_above_maximum',
  'swap_not_enabled',
  'quote_not_found',
  'quote_expired',
  'validation_failed',
];

/** Whether a refusal is about what was asked for, rather than about who asked, when, or how often. */
export function isOfTerms(code: ErrorCode): boolean {
  return OF_TERMS.includes(code);
}
