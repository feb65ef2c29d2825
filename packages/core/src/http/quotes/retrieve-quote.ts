import { retrieveQuote } from '../../application/quotes/retrieve-quote.js';
import { executableQuoteResource } from '../../domain/quote/executable-quote.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { RAILS_ENTITLEMENT } from '../requirements.js';
import { EXECUTABLE_QUOTE } from './quote-schemas.js';

export const retrieveQuoteEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveQuote',
  path: '/v1/quotes/{id}',
  summary: 'Retrieve an executable quote',
  requires: RAILS_ENTITLEMENT,
  limits: GLOBAL_TIERS,
  reply: EXECUTABLE_QUOTE,
  refusals: ['quote_not_found'],
  run: async ({ engine, caller, params, mode }) => {
    const quote = await retrieveQuote(engine, caller.scope, param(params, 'id'));
    return quote.map((found) => executableQuoteResource(found, engine.clock.now(mode)));
  },
});
