import { err, ok, type Result } from 'neverthrow';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import { storable } from '../../domain/json/storable.js';
import type { Scope } from '../../domain/mode.js';
import { fixQuote, type ExecutableQuote } from '../../domain/quote/executable-quote.js';
import type { Offer } from '../../domain/quote/offers.js';
import type { QuoteAsk, ServedAsk } from '../../domain/quote/quote-ask.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import type { MarketCaller } from '../capabilities/read-capabilities.js';
import type { Decision } from '../commit/decision.js';
import { execute, type Executed } from '../commit/execute.js';
import { findStored, type KeyRefusal } from '../commit/stored-reply.js';
import { documentWrite } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { priceAsk, type PriceRefusal } from './price-ask.js';
import { quoteKind } from './quote-kind.js';

export interface CreateQuote extends QuoteAsk {
  readonly paymentMethod: PaymentMethod;
}

/** Fixes a price for one payment method, to be taken up once before it expires. A repeat with the same key gets the same price. */
export async function createQuote(
  engine: Engine,
  caller: MarketCaller,
  { paymentMethod, ...asked }: CreateQuote,
  idempotent: Idempotent<ExecutableQuote> | null,
): Promise<Result<Answered<ExecutableQuote>, PriceRefusal | KeyRefusal | Refusal<'operation_in_progress'>>> {
  const done = await onePerKey(engine, idempotent, async (): Fixed => {
    const known = idempotent === null ? null : await findStored(engine, idempotent);
    if (known !== null) return known;
    const priced = await priceAsk(engine, caller, asked, paymentMethod);
    if (priced.isErr()) return err(priced.error);
    const { ask, offers } = priced.value;
    const offer = offers.find(({ quote }) => quote.available && quote.paymentMethod === paymentMethod);
    if (offer === undefined) return unavailable(paymentMethod, offers[0]?.quote.unavailableReason ?? null);
    return execute(
      engine,
      { load: async () => ok(offer), decide: (found) => ok(decide(engine, caller.scope, ask, found)) },
      idempotent,
    );
  });
  return done.andThen(answered);
}

type Fixed = Promise<Result<Executed<ExecutableQuote>, PriceRefusal | KeyRefusal>>;

function unavailable(paymentMethod: PaymentMethod, reason: string | null) {
  return refuse('corridor_not_supported', `${paymentMethod} cannot serve this: ${reason ?? 'it is not offered here'}.`);
}

function decide(engine: Engine, scope: Scope, ask: ServedAsk, { provider, quote }: Offer): Decision<ExecutableQuote> {
  const now = engine.clock.now(scope.mode);
  const fixed = fixQuote({ id: engine.ids.object(now), scope, provider, quote: storable(quote), ask }, now);
  return { change: { ...emptyChange(scope, now), documents: [documentWrite(quoteKind, fixed, null)] }, value: fixed };
}
