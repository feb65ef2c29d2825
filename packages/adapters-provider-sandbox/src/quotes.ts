import { decimal, MINUTE, SECOND, type Instant, type PaymentMethod, type Quote } from '@gateramp/core/domain';
import type { QuoteAnswer, QuoteCheck, QuoteRequest } from '@gateramp/core/ports';
import {
  findCorridor,
  isServedCountry,
  isServedMethod,
  SANDBOX_LIMITS,
  SANDBOX_METHODS,
  type Corridor,
} from './corridors.js';
import { keyedDigest, sameDigest } from './digest.js';
import { settleAfter, type SettleDelays } from './plan.js';
import { readTerms, writeTerms } from './quote-terms.js';
import { priceOf } from './price.js';

/** The lifetime of a quote, including its last millisecond. */
export const QUOTE_LIFETIME_MS = 5 * MINUTE;

/** One quote per payment method of the flow, or for the requested one; unavailable methods stay listed. */
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

/** The id contains the expiry and all terms, and proves that it was issued here for this amount; no table of quotes is kept. */
export function checkQuote(id: string, request: QuoteRequest, key: string): QuoteCheck {
  const [, head, expiry, terms] = QUOTE_ID.exec(id) ?? [];
  const fixed = terms === undefined ? null : readTerms(terms);
  if (head === undefined || expiry === undefined || fixed === null) return NOT_FOUND;
  if (!sameDigest(id, signedId(request, head, key))) return NOT_FOUND;
  if (request.now > Number.parseInt(expiry, 36))
    return { kind: 'refused', code: 'quote_expired', message: 'This quote has expired; create a new one.' };
  return { kind: 'valid', fixed };
}

const NOT_FOUND: QuoteCheck = {
  kind: 'refused',
  code: 'quote_not_found',
  message: 'No such quote for this amount; create one and pass its id unchanged.',
};

const QUOTE_ID = /^quote_(([0-9a-z]{1,10})_([cbx][0-3]{2}(?:[a-z]{2})?))_[0-9a-f]{32}$/;

interface QuoteSubject {
  readonly request: QuoteRequest;
  readonly corridor: Corridor;
  readonly paymentMethod: PaymentMethod;
  readonly expiresAt: Instant;
}

function quoteId({ request, corridor, paymentMethod, expiresAt }: QuoteSubject, key: string): string {
  return signedId(
    request,
    `${expiresAt.toString(36)}_${writeTerms(corridor, paymentMethod, request.countryCode)}`,
    key,
  );
}

function signedId({ scope, flow, currency, amount }: QuoteRequest, head: string, key: string): string {
  const subject = [scope.partnerId, scope.mode, flow, currency.toUpperCase(), decimal.normalise(amount)];
  return `quote_${head}_${keyedDigest(key, head, JSON.stringify(subject)).slice(0, 32)}`;
}
