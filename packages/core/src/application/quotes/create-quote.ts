import { err, ok, type Result } from 'neverthrow';
import { DAY } from '../../domain/instant.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import { storable } from '../../domain/json.js';
import type { Scope } from '../../domain/mode.js';
import { type Offer, type QuotePreview, spanOf } from '../../domain/quote/offers.js';
import type { PriceRequest, ResolvedPriceRequest } from '../../domain/quote/price-request.js';
import { type ExecutableQuote, fixQuote } from '../../domain/quote/quote.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import type { MarketCaller } from '../capabilities/retrieve-capabilities.js';
import type { Decision } from '../commit/apply.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/row-writes.js';
import { type DocumentKind, documentWrite, findKeptRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { type Keyed, keyed, unlessStored } from '../idempotency/keyed.js';
import { findOffers, type PriceRefusal } from './find-offers.js';

/** Executable quotes. A used quote is kept with its payment; an unused one only for a short time after its expiry. */
export const quoteKind: DocumentKind<ExecutableQuote> = {
  noun: 'quote',
  keepUntilOf: ({ usedBy, expiresAt }) => (usedBy === null ? expiresAt + UNUSED_KEPT : null),
};

const UNUSED_KEPT = DAY;

interface CreateQuote extends PriceRequest {
  readonly paymentMethod: PaymentMethod;
}

/** Fixes a price for one payment method, which can be used once before it expires. A repeat with the same key gets the same price. */
export function createQuote(
  engine: Engine,
  caller: MarketCaller,
  { paymentMethod, ...requested }: CreateQuote,
  idempotent: Idempotent<ExecutableQuote> | null,
): Keyed<ExecutableQuote, PriceRefusal> {
  const fix = async (): Fixed => {
    const priced = await findOffers(engine, caller, requested, paymentMethod);
    if (priced.isErr()) return err(priced.error);
    const { request, offers } = priced.value;
    const offer = offers.find(({ quote }) => quote.available && quote.paymentMethod === paymentMethod);
    if (offer === undefined) return unavailable(paymentMethod, offers[0]?.quote.unavailableReason ?? null);
    return execute(
      engine,
      { load: async () => ok(offer), decide: (found) => ok(decide(engine, caller.scope, request, found)) },
      idempotent,
    );
  };
  return keyed(engine, idempotent, () => unlessStored(engine, idempotent, fix));
}

type Fixed = Promise<Result<ExecuteResult<ExecutableQuote>, PriceRefusal | KeyRefusal>>;

function unavailable(paymentMethod: PaymentMethod, reason: string | null) {
  return refuse('corridor_not_supported', `${paymentMethod} cannot serve this: ${reason ?? 'it is not offered here'}.`);
}

function decide(
  engine: Engine,
  scope: Scope,
  request: ResolvedPriceRequest,
  { provider, quote }: Offer,
): Decision<ExecutableQuote> {
  const now = engine.clock.now(scope);
  const fixed = fixQuote({ id: engine.ids.object(now), scope, provider, quote: storable(quote), request }, now);
  return { change: { ...emptyChange(scope, now), documents: [documentWrite(quoteKind, fixed, null)] }, value: fixed };
}

/** Prices every payment method. Nothing is stored, and preview ids cannot be used to pay. */
export async function previewQuotes(
  engine: Engine,
  caller: MarketCaller,
  requested: PriceRequest,
): Promise<Result<QuotePreview, PriceRefusal>> {
  const priced = await findOffers(engine, caller, requested, null);
  const { mode } = caller.scope;
  const now = engine.clock.now(caller.scope);
  return priced.map(({ request, offers }) => ({
    mode,
    request,
    quotes: offers.map(({ quote }) => ({ ...quote, id: `preview_${engine.ids.object(now)}` })),
    ...spanOf(offers),
  }));
}

/** Retrieves an executable quote of the caller. */
export async function retrieveQuote(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<ExecutableQuote, Refusal<'quote_not_found'>>> {
  const quote = await findKeptRow(engine.store, quoteKind, scope, id, engine.clock.now(scope));
  return quote === null ? quoteNotFound() : ok(quote);
}

export function quoteNotFound(): ReturnType<typeof refuse<'quote_not_found'>> {
  return refuse('quote_not_found', 'There is no such quote for this key. The ids of a preview cannot be used.');
}
