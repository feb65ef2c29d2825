import * as z from 'zod';
import { bootstrap as open, type Bootstrapped } from '../../application/embed/bootstrap.js';
import { isoTime } from '../../domain/instant.js';
import { jsonObject, toJsonText, type JsonText } from '../../domain/json/json-text.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint, type BodyInput, type Read } from '../endpoint.js';
import { optional, readFields, text } from '../fields.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';
import { embedSession } from './embed-session.js';

const schema = z.strictObject({ clientSecret: optional(text(200)) });

export const bootstrap = endpoint({
  method: 'POST',
  path: '/v1/embed/bootstrap',
  summary: 'Open the checkout in a browser and receive its embed token',
  auth: 'publishable',
  limits: perMinute(30),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: 'partner',
  query: noQuery,
  body: ({ document }: BodyInput): Read<z.infer<typeof schema>> => readFields(schema, document.value),
  success: 200,
  errors: { origin_not_allowed: 403, session_not_found: 404 },
  run: async ({ engine, host, caller, mode, body, origin }) => {
    const opened = await open(engine, {
      partner: caller.partner,
      mode,
      keyHash: caller.keyHash,
      origin,
      widgetOrigin: host.widgetOrigins[mode],
      clientSecret: body.clientSecret ?? null,
    });
    return opened.map(bootstrapResource);
  },
});

function bootstrapResource(opened: Bootstrapped): JsonText {
  const { session, partner } = opened;
  return jsonObject(
    {
      object: 'embed_bootstrap',
      available: opened.unavailableReason === null,
      unavailable_reason: opened.unavailableReason,
      mode: opened.mode,
      embed_token: opened.embedToken,
      expires_at: isoTime(opened.expiresAt),
      expires_in: Math.floor((opened.expiresAt - opened.issuedAt) / 1000),
      flow: session?.terms.flow ?? null,
      partner: { id: partner.id, display_name: partner.name },
    },
    {
      session: session === null ? toJsonText(null) : embedSession(session),
      capabilities: toJsonText({ flows: [...opened.flows], payment_methods: [...opened.paymentMethods] }),
      branding: partner.branding ?? toJsonText(null),
    },
  );
}
