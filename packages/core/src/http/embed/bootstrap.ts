import { bootstrap } from '../../application/embed/bootstrap.js';
import { endpoint } from '../endpoint.js';
import { CHECKOUT_HOSTS } from '../hosts.js';
import { perMinute } from '../rate-rules.js';
import { noQuery } from '../schema/query.js';
import { bootstrapResource } from './bootstrap-resource.js';
import { BOOTSTRAP_BODY, EMBED_BOOTSTRAP } from './embed-schemas.js';

/** The one endpoint of publishable keys, so it is written out in full. */
export const bootstrapEndpoint = endpoint({
  name: 'bootstrap',
  method: 'POST',
  path: '/v1/embed/bootstrap',
  summary: 'Open the checkout in a browser and receive its embed token',
  hosts: CHECKOUT_HOSTS,
  auth: 'publishable',
  requires: null,
  limits: perMinute(30),
  idempotency: 'ignored',
  cors: 'partner',
  caching: null,
  known: null,
  query: noQuery,
  body: BOOTSTRAP_BODY,
  reply: EMBED_BOOTSTRAP,
  success: 200,
  refusals: ['origin_not_allowed', 'session_not_found'],
  run: async ({ engine, host, caller, mode, body, origin }) => {
    const opened = await bootstrap(engine, {
      partner: caller.partner,
      mode,
      keyHash: caller.keyHash,
      origin,
      widgetOrigin: host.widgetOrigins[mode],
      clientSecret: body.clientSecret,
      countryCode: body.countryCode,
    });
    return opened.map(bootstrapResource);
  },
});
