import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { createQuote } from '../application/quotes/create-quote.js';
import { previewQuotes } from '../application/quotes/preview-quotes.js';
import { retrieveQuote } from '../application/quotes/retrieve-quote.js';
import type { Scope } from '../domain/mode.js';
import { executableQuoteResource, type GateExecutableQuote } from '../domain/quote/executable-quote.js';
import { quotePreviewResource, type GateQuotePreview } from '../domain/quote/quote-preview.js';
import { createdQuote } from '../http/quotes/create-quote.js';
import {
  CREATE_QUOTE_BODY,
  PREVIEW_QUOTES_BODY,
  type CreateQuote,
  type PreviewQuotes,
} from '../http/quotes/quote-schemas.js';
import { idOf } from '../http/schema/list-query.js';
import { parsed, readGiven } from './given.js';
import { callWithBody, type KeyedCall } from './keyed-call.js';
import { onRails } from './on-rails.js';
import { partnerOf } from './partner-of.js';
import type { GateRefusal } from './resources.js';

type Answer<Value> = Promise<Result<Value, GateRefusal>>;

/** Prices for hosts that call in process: the same rules, keys and shapes as over HTTP. */
export interface Quotes {
  /** Of all payment methods, for display only. */
  preview(caller: Scope, body: PreviewQuotes): Answer<GateQuotePreview>;
  /** Of one payment method, to be used once. Needs the `rails` entitlement, as `retrieve` does. */
  create(caller: Scope, body: CreateQuote, options?: KeyedCall): Answer<GateExecutableQuote>;
  retrieve(caller: Scope, id: string): Answer<GateExecutableQuote>;
}

export function inProcessQuotes(engine: Engine, ready: () => Promise<void>): Quotes {
  return {
    preview: async (scope, body) => {
      const given = readGiven(engine, scope, PREVIEW_QUOTES_BODY, body);
      if (given.isErr()) return err(given.error);
      const preview = await previewQuotes(
        engine,
        { partner: await partnerOf(engine, scope), scope },
        given.value.value,
      );
      return preview.map((found) => parsed(quotePreviewResource(found)));
    },
    create: (scope, body, options) =>
      onRails(engine, scope, async (partner) => {
        await ready();
        const call = {
          caller: scope,
          options,
          path: 'quotes.create',
          body: { schema: CREATE_QUOTE_BODY, given: body },
          render: createdQuote,
        };
        return callWithBody(engine, call, (value, use) => createQuote(engine, { partner, scope }, value, use));
      }),
    retrieve: (scope, id) =>
      onRails(engine, scope, async () => {
        const quote = await retrieveQuote(engine, scope, idOf(id));
        return quote.map((found) => parsed(executableQuoteResource(found, engine.clock.now(scope.mode))));
      }),
  };
}
