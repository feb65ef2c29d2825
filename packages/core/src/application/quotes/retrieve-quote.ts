import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import type { ExecutableQuote } from '../../domain/quote/executable-quote.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { findKeptRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { quoteKind } from './quote-kind.js';

/** An executable quote of the caller's own. */
export async function retrieveQuote(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<ExecutableQuote, Refusal<'quote_not_found'>>> {
  const quote = await findKeptRow(engine.store, quoteKind, scope, id, engine.clock.now(scope.mode));
  return quote === null ? quoteNotFound() : ok(quote);
}

export function quoteNotFound(): ReturnType<typeof refuse<'quote_not_found'>> {
  return refuse('quote_not_found', 'There is no such quote for this key. The ids of a preview cannot be used.');
}
