import { decimal, MINUTE, SECOND, type Instant, type PaymentMethod, type Quote } from '@gateramp/core';
import type { QuoteAnswer, QuoteCheck, QuoteRequest } from '@gateramp/core/ports';
import { findCorridor, isServedCountry, isServedMethod, SANDBOX_LIMITS, SANDBOX_METHODS, type Corridor } from './corridors.js';
import { keyedDigest, sameDigest } from './digest.js';
import { settleAfter, type SettleDelays } from './plan.js';
import { priceOf } from './price.js';

/** A quote is good for so long, its last millisecond included. */
export const QUOTE_LIFETIME_MS = 5 * MINUTE;

/** One quote per payment method of the flow, or of the one asked for; those that cannot serve stay listed. */
export function quote(request: QuoteRequest, key: string, delays: SettleDelays): QuoteAnswer {
  const corridor = findCorridor(request);
  if ('code' in corridor) return { kind: 'refused', ...corridor };
  const expiresAt = request.now + QUOTE_LIFETIME_MS;
  const methods = request.paymentMethod === null ? SANDBOX_METHODS[request.flow] : [request.paymentMethod];
  const price = priceOf(corridor, request.amount);
  return {
    kind: 'quotes',
    rateFetchedAt: request.now,
    expiresAt,
    quotes: methods.map((paymentMethod): Quote => {
      const unavailableReason = whyUnavailable(request, paymentMethod);
      return {
        id: quoteId({ request, corridor, paymentMethod, expiresAt }, key),
        paymentMethod,
        available: unavailableReason === null,
        unavailableReason,
        ...price,
        limits: { ...SANDBOX_LIMITS, currency: corridor.currency },
        estimatedSettlementSeconds: Math.ceil(settleAfter(corridor.flow, paymentMethod, delays) / SECOND),
        expiresAt,
      };
    }),
  };
}

function whyUnavailable(request: QuoteRequest, method: PaymentMethod): string | null {
  if (!isServedMethod(request.flow, method)) return 'payment_method_not_supported';
  if (!isServedCountry(request.countryCode)) return 'region_unsupported';
  return null;
}

/** An id says when it ends and for which method, and proves that it was made here for these terms; no table of quotes is kept. */
export function checkQuote(id: string, request: QuoteRequest, key: string): QuoteCheck {
  const parts = QUOTE_ID.exec(id);
  const expiry = parts?.[1];
  const paymentMethod = METHOD_OF[parts?.[2] ?? ''];
  const corridor = findCorridor(request);
  if (expiry === undefined || paymentMethod === undefined || 'code' in corridor) return NOT_FOUND;
  if (request.paymentMethod !== null && request.paymentMethod !== paymentMethod) return NOT_FOUND;
  const expiresAt = Number.parseInt(expiry, 36);
  if (!sameDigest(id, quoteId({ request, corridor, paymentMethod, expiresAt }, key))) return NOT_FOUND;
  if (request.now > expiresAt) return { code: 'quote_expired', message: 'This quote has expired; ask for a new one.' };
  return 'valid';
}

const NOT_FOUND: QuoteCheck = { code: 'quote_not_found', message: 'No such quote for these terms; ask for one and pass its id unchanged.' };

const QUOTE_ID = /^quote_([0-9a-z]{1,10})([cbx])_[0-9a-f]{32}$/;
const METHOD_LETTERS: Readonly<Record<PaymentMethod, string>> = { card: 'c', bank_transfer: 'b', crypto: 'x' };
const METHOD_OF: Readonly<Record<string, PaymentMethod>> = { c: 'card', b: 'bank_transfer', x: 'crypto' };

interface QuoteSubject {
  readonly request: QuoteRequest;
  readonly corridor: Corridor;
  readonly paymentMethod: PaymentMethod;
  readonly expiresAt: Instant;
}

function quoteId(subject: QuoteSubject, key: string): string {
  const { request, corridor, paymentMethod, expiresAt } = subject;
  const head = `${expiresAt.toString(36)}${METHOD_LETTERS[paymentMethod]}`;
  const terms = [request.scope.partnerId, request.scope.mode, corridor, decimal.normalise(request.amount)];
  return `quote_${head}_${keyedDigest(key, head, JSON.stringify(terms)).slice(0, 32)}`;
}
