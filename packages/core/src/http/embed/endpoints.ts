import { bootstrap, cancelEmbedSession, retrieveEmbedSession } from '../../application/embed/bootstrap.js';
import { quoteEmbed } from '../../application/embed/quote-embed.js';
import { listSavedMethods, removeSavedMethod } from '../../application/embed/saved-methods.js';
import { cancelIntent } from '../../application/intents/cancel-intent.js';
import { confirmIntent } from '../../application/intents/confirm-intent.js';
import { type CreateIntent, createIntent } from '../../application/intents/create-intent.js';
import { renderIntent, retrieveIntent } from '../../application/intents/read-intents.js';
import { awaitsDocument, uploadDocument } from '../../application/intents/upload-document.js';
import { keepRefusal } from '../../application/timeline.js';
import type { ErrorCode } from '../../domain/error-code.js';
import { savedMethodResource } from '../../domain/intent/saved-method.js';
import type { Mode } from '../../domain/mode.js';
import { refuse } from '../../domain/refusal.js';
import { endpoint } from '../endpoint.js';
import { CHECKOUT_HOSTS } from '../hosts.js';
import { param } from '../pipeline/router.js';
import { EMBED_READ, EMBED_WRITE, KEY_REFUSALS, perMinute } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import { documentBody, noQuery } from '../schema/request.js';
import { CONFIRM_INTENT_BODY, CREATE_INTENT_BODY, GATE_INTENT } from './intent-schemas.js';
import { bootstrapResource, embedSession, quotesResource, removedMethodResource } from './resources.js';
import {
  BOOTSTRAP_BODY,
  CREATE_QUOTES_BODY,
  EMBED_BOOTSTRAP,
  EMBED_QUOTES,
  EMBED_SESSION,
  QUOTE_REFUSALS,
  REMOVED_METHOD,
  SAVED_METHOD,
} from './schemas.js';

/** The only endpoint for publishable keys, so it uses no preset. */
export const bootstrapEndpoint = endpoint({
  name: 'bootstrap',
  method: 'POST',
  path: '/v1/embed/bootstrap',
  summary: 'Open the checkout in a browser and receive its embed token',
  hosts: CHECKOUT_HOSTS,
  auth: 'publishable',
  scope: null,
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

export const retrieveEmbedSessionEndpoint = endpoint({
  ...EMBED_READ,
  name: 'retrieveEmbedSession',
  path: '/v1/embed/session',
  summary: 'Retrieve the session of the embed token',
  reply: EMBED_SESSION,
  refusals: ['session_not_found', 'invalid_embed_token'],
  run: async ({ engine, caller }) => (await retrieveEmbedSession(engine, caller)).map(embedSession),
});

export const cancelEmbedSessionEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'cancelEmbedSession',
  path: '/v1/embed/session/cancel',
  summary: 'Cancel the session of the embed token',
  // A repeat is refused because of the session's state, like the partner's cancel.
  idempotency: 'ignored',
  reply: EMBED_SESSION,
  refusals: ['session_not_found', 'session_not_open', 'session_processing', 'invalid_embed_token'],
  run: async ({ engine, caller }) => (await cancelEmbedSession(engine, caller)).map(embedSession),
});

export const createQuotesEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'createQuotes',
  path: '/v1/embed/quotes',
  summary: 'Create quotes for the checkout, one per payment method',
  // Quotes are not stored here, so a repeat may get a new response.
  idempotency: 'ignored',
  body: CREATE_QUOTES_BODY,
  reply: EMBED_QUOTES,
  refusals: QUOTE_REFUSALS,
  run: async ({ engine, caller, body, mode, requestId }) => {
    const quotes = await quoteEmbed(engine, caller, body);
    if (quotes.isErr()) {
      const { scope, sessionId } = caller.token;
      await keepRefusal(engine, { scope, sessionId, code: quotes.error.code, terms: body, requestId });
    }
    return quotes.map((found) => quotesResource(found, { ...found.attempt, countryCode: body.countryCode, mode }));
  },
});

/** The page of the hosted checkout to which the provider's page returns the buyer. The key's hash identifies the shop. */
const RETURN_PATH = '/return';

/** The refusals of creating an attempt. */
export const INTENT_REFUSALS = [
  ...KEY_REFUSALS,
  ...QUOTE_REFUSALS,
  'validation_failed',
  'session_required',
  'intent_in_progress',
  'quota_exhausted',
  'too_many_attempts',
  'payment_method_not_found',
  'quote_not_found',
  'quote_expired',
  'wallet_address_invalid',
] as const satisfies readonly ErrorCode[];

const CARDS_ELSEWHERE = refuse(
  'origin_not_allowed',
  'Cards are entered in the hosted checkout only: the Origin header must be that of the checkout.',
);

/** A security code is a field of the card, also of a saved one. */
function hasCardFields(details: CreateIntent['paymentDetails']): boolean {
  return details !== null && ('cardNumber' in details || ('cvc' in details && details.cvc !== null));
}

/** Only the checkout page sends cards (spec: Invariants 3). Without such a page, only test cards are taken. */
function takesCards(widget: string | null, mode: Mode, origin: string | null): boolean {
  return widget === null ? mode === 'test' : origin === widget;
}

export const createIntentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'createIntent',
  path: '/v1/embed/intents',
  summary: 'Create an intent: one attempt to pay',
  body: CREATE_INTENT_BODY,
  reply: GATE_INTENT,
  success: 201,
  refusals: [...INTENT_REFUSALS, 'origin_not_allowed'],
  run: async ({ engine, host, mode, caller, body, origin, keyed, answer, requestId }) => {
    const widget = host.widgetOrigins[mode];
    if (hasCardFields(body.paymentDetails) && !takesCards(widget, mode, origin)) return CARDS_ELSEWHERE;
    const returnUrl = widget === null ? null : `${widget}${RETURN_PATH}?key=${caller.token.keyHash}`;
    const done = await createIntent(engine, { ...caller, returnUrl }, body, keyed(renderIntent(engine)));
    if (done.isErr()) {
      const { scope, sessionId } = caller.token;
      await keepRefusal(engine, { scope, sessionId, code: done.error.code, terms: body, requestId });
    }
    return done.map((answered) => answer(answered, renderIntent(engine)));
  },
});

export const retrieveIntentEndpoint = endpoint({
  ...EMBED_READ,
  name: 'retrieveIntent',
  path: '/v1/embed/intents/{id}',
  summary: 'Retrieve an intent of the bound session',
  reply: GATE_INTENT,
  refusals: ['intent_not_found', 'session_not_found', 'session_required', 'invalid_embed_token'],
  run: async ({ engine, caller, params }) => {
    const found = await retrieveIntent(engine, caller.token, param(params, 'id'));
    return found.map(({ intent, transaction }) => renderIntent(engine)(intent, transaction));
  },
});

export const confirmIntentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'confirmIntent',
  path: '/v1/embed/intents/{id}/confirm',
  summary: 'Confirm the next action of an intent',
  body: CONFIRM_INTENT_BODY,
  reply: GATE_INTENT,
  refusals: [
    ...KEY_REFUSALS,
    'invalid_embed_token',
    'intent_not_found',
    'session_not_found',
    'session_required',
    'intent_not_confirmable',
    'validation_failed',
  ],
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const input = { intentId: param(params, 'id'), confirmation: body };
    const done = await confirmIntent(engine, caller, input, keyed(renderIntent(engine)));
    return done.map((answered) => answer(answered, renderIntent(engine)));
  },
});

export const uploadDocumentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'uploadDocument',
  path: '/v1/embed/intents/{id}/documents/{side}',
  summary: 'Upload one side of an identity document',
  // A later file of a side replaces the earlier one, so repeats are harmless without a key.
  idempotency: 'ignored',
  limits: perMinute(30),
  body: documentBody,
  reply: GATE_INTENT,
  refusals: [
    'invalid_embed_token',
    'intent_not_found',
    'session_not_found',
    'session_required',
    'intent_not_confirmable',
    'operation_in_progress',
    'validation_failed',
  ],
  awaitsFile: ({ engine, caller, params }) =>
    awaitsDocument(engine, caller, { intentId: param(params, 'id'), side: param(params, 'side') }),
  run: async ({ engine, caller, params, body }) => {
    const upload = { intentId: param(params, 'id'), side: param(params, 'side'), ...body };
    return (await uploadDocument(engine, caller, upload)).map((intent) => renderIntent(engine)(intent));
  },
});

export const cancelIntentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'cancelIntent',
  path: '/v1/embed/intents/{id}/cancel',
  summary: 'Cancel an intent before money moves',
  reply: GATE_INTENT,
  refusals: [
    ...KEY_REFUSALS,
    'invalid_embed_token',
    'intent_not_found',
    'session_not_found',
    'session_required',
    'session_processing',
    'intent_not_confirmable',
  ],
  run: async ({ engine, caller, params, keyed, answer }) => {
    const done = await cancelIntent(engine, caller, { intentId: param(params, 'id') }, keyed(renderIntent(engine)));
    return done.map((answered) => answer(answered, renderIntent(engine)));
  },
});

const SAVED_METHOD_REFUSALS = [
  'invalid_embed_token',
  'session_not_found',
  'session_required',
] as const satisfies readonly ErrorCode[];

const SAVED_METHODS_PATH = '/v1/embed/payment_methods';

export const listSavedMethodsEndpoint = endpoint({
  ...EMBED_READ,
  name: 'listSavedMethods',
  path: SAVED_METHODS_PATH,
  summary: 'List the saved payment methods of the buyer',
  reply: listOf(SAVED_METHOD, SAVED_METHODS_PATH),
  refusals: SAVED_METHOD_REFUSALS,
  run: async ({ engine, caller }) => {
    const found = await listSavedMethods(engine, caller);
    return found.map(({ methods, now }) =>
      listEnvelope({ items: methods, hasMore: false }, SAVED_METHODS_PATH, (method) =>
        savedMethodResource(method, now),
      ),
    );
  },
});

export const removeSavedMethodEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'removeSavedMethod',
  path: `${SAVED_METHODS_PATH}/{id}/remove`,
  summary: 'Remove a saved payment method',
  reply: REMOVED_METHOD,
  refusals: [...KEY_REFUSALS, ...SAVED_METHOD_REFUSALS, 'payment_method_not_found'],
  run: async ({ engine, caller, params, keyed, answer }) => {
    const done = await removeSavedMethod(engine, caller, param(params, 'id'), keyed(removedMethodResource));
    return done.map((answered) => answer(answered, removedMethodResource));
  },
});
