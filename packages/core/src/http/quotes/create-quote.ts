import { createQuote } from '../../application/quotes/create-quote.js';
import type { JsonText } from '../../domain/json/json-text.js';
import {
  executableQuoteResource,
  type ExecutableQuote,
  type GateExecutableQuote,
} from '../../domain/quote/executable-quote.js';
import { endpoint } from '../endpoint.js';
import { KEY_REFUSALS, SECRET_WRITE } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { RAILS_ENTITLEMENT } from '../requirements.js';
import { CREATE_QUOTE_BODY, EXECUTABLE_QUOTE, PRICE_REFUSALS } from './quote-schemas.js';

export const createQuoteEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'createQuote',
  path: '/v1/quotes',
  summary: 'Create an executable quote for one payment method',
  requires: RAILS_ENTITLEMENT,
  limits: GLOBAL_TIERS,
  body: CREATE_QUOTE_BODY,
  reply: EXECUTABLE_QUOTE,
  success: 201,
  refusals: [...KEY_REFUSALS, ...PRICE_REFUSALS],
  run: async ({ engine, caller, body, keyed, answer }) => {
    const done = await createQuote(engine, caller, body, keyed(createdQuote));
    return done.map((answered) => answer(answered, createdQuote));
  },
});

/** As it is when it is made: open. */
export function createdQuote(quote: ExecutableQuote): JsonText<GateExecutableQuote> {
  return executableQuoteResource(quote, quote.createdAt);
}
