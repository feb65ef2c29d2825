import { CALLBACK_SIGNATURE_HEADER, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { attemptBody, quoteBody } from '../attempt-body.js';
import type { Who } from '../cast.js';
import type { Ask, Members, ProviderUpdate } from '../command.js';
import { pick, type Known, type KnownIntent, type KnownSavedMethod, type KnownToken } from '../known.js';
import type { Facts, Target } from './target.js';

export function bootstrap(ask: Extract<Ask, { to: 'bootstrap' }>, who: Who, known: Known): Target | null {
  const session = ask.session === null ? null : pick(known.sessions, ask.session);
  if (ask.session !== null && session === null) return null;
  const secret = ask.secret === 'wrong' ? `${session?.secret.slice(0, -1) ?? ''}_` : session?.secret;
  const body =
    secret === undefined ? {} : ask.secret === 'misnamed' ? { client_secret: secret } : { clientSecret: secret };
  const headers = ask.origin === null ? {} : { origin: ask.origin };
  return { who: session?.who ?? who, auth: 'publishable', method: 'POST', path: '/v1/embed/bootstrap', headers, body };
}

export function ofToken(ask: Extract<Ask, { token: number }>, token: KnownToken | null, known: Known): Target | null {
  if (token === null) return null;
  const { who } = token;
  const headers = { origin: WIDGET_ORIGINS[who.mode] };
  if (ask.to === 'embedSession') return { who, token, headers, path: '/v1/embed/session' };
  if (ask.to === 'cancelEmbedSession') return { who, token, headers, method: 'POST', path: '/v1/embed/session/cancel' };
  if (ask.to === 'savedMethods') return { who, token, headers, path: '/v1/embed/payment_methods' };
  if (ask.to === 'quotes')
    return {
      who,
      token,
      headers,
      method: 'POST',
      path: '/v1/embed/quotes',
      body: quoteBody(ask.attempt, token.session),
    };
  const quote = ask.attempt.quote === null ? null : pick(known.quotes, ask.attempt.quote);
  return {
    who,
    token,
    headers,
    method: 'POST',
    path: '/v1/embed/intents',
    body: attemptBody(ask.attempt, token.session, quote, known.savedMethods),
  };
}

/** Removes a saved method, with the token of the checkout that listed it. */
export function ofSavedMethod(method: KnownSavedMethod | null): Target | null {
  if (method === null) return null;
  const { token, id } = method;
  const { who } = token;
  const headers = { origin: WIDGET_ORIGINS[who.mode] };
  return { who, token, headers, method: 'POST', path: `/v1/embed/payment_methods/${id}/remove` };
}

const WIDGET_ORIGINS = { test: 'https://sandbox-widget.example', live: 'https://widget.example' } as const;

export function ofIntent(
  ask: Extract<Ask, { to: 'intent' | 'confirm' | 'document' | 'cancelIntent' | 'transaction' }>,
  intent: KnownIntent | null,
): Target | null {
  if (intent === null) return null;
  const { token, id, row } = intent;
  const { who } = token;
  const headers = { origin: WIDGET_ORIGINS[who.mode] };
  switch (ask.to) {
    case 'intent':
      return { who, token, headers, path: `/v1/embed/intents/${id}` };
    case 'document':
      return {
        who,
        token,
        headers: { ...headers, 'content-type': 'application/pdf' },
        method: 'POST',
        path: `/v1/embed/intents/${id}/documents/${ask.side}`,
        body: '%PDF-1.7',
      };
    case 'cancelIntent':
      return { who, token, headers, method: 'POST', path: `/v1/embed/intents/${id}/cancel` };
    case 'transaction':
      return { who, path: `/v1/transactions/${String(row['tx_refid'])}` };
    case 'confirm': {
      const body = ask.answer === 'what it asks for' ? wanted(row) : ask.answer;
      return { who, token, headers, method: 'POST', path: `/v1/embed/intents/${id}/confirm`, body };
    }
  }
}

export function asksForDocuments({ next_action: next }: Members): boolean {
  return typeof next === 'object' && next !== null && 'documents' in next;
}

/** The confirmation that completes the intent's next action. */
function wanted({ next_action: next }: Members): Members {
  const action = typeof next === 'object' && next !== null && 'type' in next ? next.type : 'payment_authentication';
  if (action === 'kyc' && asksForDocuments({ next_action: next })) return { action, kyc: { documents: 'submitted' } };
  if (action === 'kyc')
    return {
      action,
      kyc: { first_name: 'Ada', last_name: 'Løvelace', date_of_birth: '1990-02-28', document_number: 'T22000129' },
    };
  return action === 'payment_authentication' ? { action, code: '000000' } : { action };
}

export function callback(update: ProviderUpdate, intent: KnownIntent | null, facts: Facts): Target | null {
  if (intent === null) return null;
  const { outcome, signed } = update;
  const operationId = facts.operationOf(intent);
  const body = JSON.stringify({ event_id: facts.eventOf(update, operationId), operation_id: operationId, outcome });
  const at = signed === 'long ago' ? facts.wall - 301_000 : facts.wall;
  const signature = signSandboxCallback(body, signed === 'by another' ? 'another secret' : facts.callbackSecret, at);
  const headers = signed === 'not at all' ? {} : { [CALLBACK_SIGNATURE_HEADER]: signature };
  return {
    who: intent.token.who,
    auth: 'none',
    method: 'POST',
    path: '/v1/providers/sandbox/callbacks',
    headers,
    body,
  };
}
