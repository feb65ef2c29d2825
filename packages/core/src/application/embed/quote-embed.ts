import { err, ok, type Result } from 'neverthrow';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Partner } from '../../domain/partner/partner.js';
import { isEntitled } from '../../domain/partner/partner.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { bindTerms, type PaymentAttempt } from '../../domain/session/terms.js';
import type { MarketFault, QuoteAnswer } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { providerFor } from '../providers/route-provider.js';
import { sessionOfToken, type EmbedToken } from './embed-token.js';

export interface QuoteEmbed extends PaymentAttempt {
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
}

export type QuoteEmbedRefusal = Refusal<
  | 'session_not_open'
  | 'amount_mismatch'
  | 'terms_mismatch'
  | 'swap_not_enabled'
  | 'session_not_found'
  | 'invalid_embed_token'
  | MarketFault
>;

export interface Quotes extends Extract<QuoteAnswer, { kind: 'quotes' }> {
  /** What they are of: the session's own terms where there is one. */
  readonly attempt: PaymentAttempt;
}

/** Quotes for the checkout. Bound to the session's terms where there is one; an anonymous browser may ask freely. */
export async function quoteEmbed(
  engine: Engine,
  caller: { readonly token: EmbedToken; readonly partner: Partner },
  input: QuoteEmbed,
): Promise<Result<Quotes, QuoteEmbedRefusal>> {
  const { scope } = caller.token;
  const attempt = await boundAttempt(engine, caller.token, input);
  if (attempt.isErr()) return err(attempt.error);
  if (input.flow === 'swap' && !isEntitled(caller.partner, 'swap'))
    return refuse('swap_not_enabled', 'Swap is not enabled for this partner.');
  const provider = await providerFor(engine, scope, input.flow);
  if (provider === null) return refuse('corridor_not_supported', 'No provider serves this flow.');
  const answer = await provider.quote({ ...input, ...attempt.value, scope, now: engine.clock.now(scope.mode) });
  return answer.kind === 'refused' ? refuse(answer.code, answer.message) : ok({ ...answer, attempt: attempt.value });
}

async function boundAttempt(
  engine: Engine,
  token: EmbedToken,
  input: PaymentAttempt,
): Promise<Result<PaymentAttempt, QuoteEmbedRefusal>> {
  if (token.sessionId === null) return ok(input);
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const { status, terms } = session.value;
  if (status !== 'open') return refuse('session_not_open', `The session is already ${status}.`);
  return bindTerms(terms, input);
}
