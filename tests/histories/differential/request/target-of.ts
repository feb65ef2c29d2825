import { TRADER, type Who } from '../cast.js';
import type { Ask } from '../command.js';
import { pick, type Known, type KnownSession } from '../known.js';
import { asksForDocuments, bootstrap, callback, ofIntent, ofSavedMethod, ofToken } from './of-checkout.js';
import { ofPools } from './of-pools.js';
import { ofRail, railsOf, takeUp } from './of-rails.js';
import { owned, queryText } from './query-text.js';
import type { Facts, Target } from './target.js';
import { waiting } from './waiting.js';

/** The target of a command; null while there is no such resource. */
export function targetOf(ask: Exclude<Ask, { to: 'repeat' }>, who: Who, known: Known, facts: Facts): Target | null {
  switch (ask.to) {
    case 'create':
      return { who, method: 'POST', path: '/v1/gate_sessions', body: ask.body };
    case 'sessions':
      return { who, path: `/v1/gate_sessions${queryText(ask.query, owned(known.sessions, who))}` };
    case 'transactions':
      return { who, path: `/v1/transactions${queryText(ask.query, owned(known.payments, who))}` };
    case 'events':
      return { who, path: `/v1/events${queryText(ask.query, owned(known.events, who))}` };
    case 'event': {
      const event = pick(known.events, ask.event);
      return event === null ? null : { who: event.who, path: `/v1/events/${event.id}` };
    }
    case 'session':
    case 'cancel':
    case 'timeline':
    case 'simulate':
      return ofSession(ask, pick(known.sessions, ask.session));
    case 'bootstrap':
      return bootstrap(ask, who, known);
    case 'embedSession':
    case 'cancelEmbedSession':
    case 'savedMethods':
    case 'quotes':
    case 'begin':
      return ofToken(ask, pick(known.tokens, ask.token), known);
    case 'intent':
    case 'confirm':
    case 'transaction':
      return ofIntent(ask, pick(known.intents, ask.intent));
    case 'document':
      // Few intents require documents, so most uploads go to those.
      return ofIntent(
        ask,
        pick(
          known.intents.filter(({ row }) => asksForDocuments(row)),
          ask.intent,
        ) ?? pick(known.intents, ask.intent),
      );
    case 'removeMethod':
      return ofSavedMethod(pick(known.savedMethods, ask.method));
    case 'cancelIntent':
      return ofIntent(
        ask,
        pick(
          waiting(known.intents, ({ row }) => row['status']),
          ask.intent,
        ),
      );
    case 'callback':
      return callback(ask.update, pick(known.intents, ask.intent), facts);
    case 'preview':
      return { who, method: 'POST', path: '/v1/quotes/preview', body: ask.body };
    case 'fixQuote':
      return { who, method: 'POST', path: '/v1/quotes', body: ask.body };
    case 'fixedQuote': {
      const quote = pick(known.fixedQuotes, ask.quote);
      return quote === null ? null : { who: quote.who, path: `/v1/quotes/${quote.id}` };
    }
    case 'takeUp':
      return takeUp(ask, known);
    case 'rails': {
      const own = known.rails.filter(({ rail }) => rail === ask.rail);
      return { who, path: `/v1/rails/${ask.rail}s${queryText(ask.query, owned(own, who))}` };
    }
    case 'rail':
    case 'simulateRail':
      return ofRail(ask, pick(known.rails, ask.payment));
    case 'cancelRail':
      return ofRail(
        ask,
        pick(
          waiting(railsOf(known, ask.rail), ({ status }) => status),
          ask.payment,
        ),
      );
    case 'capabilities': {
      const path = `/v1/capabilities/${ask.list}`;
      const tag = ask.isKept ? known.tags.get(path) : undefined;
      return { who, path, headers: tag === undefined ? {} : { 'if-none-match': tag } };
    }
    case 'branding':
      return { who, path: '/v1/branding' };
    case 'rebrand':
      return { who, method: 'POST', path: '/v1/branding', body: ask.body };
    case 'deliveries':
      return { who, path: `/v1/webhooks/deliveries${queryText(ask.query, owned(known.deliveries, who))}` };
    case 'delivery':
    case 'replay':
      return ofDelivery(ask, known);
    case 'replayAll':
      return { who, method: 'POST', path: '/v1/webhooks/deliveries/replay', body: ask.body };
    case 'rotate':
      return { who, method: 'POST', path: '/portal/webhook-secret/rotate', body: ask.body };
    case 'endpoint':
      return { who, path: '/v1/webhooks/endpoint' };
    case 'testWebhook':
      return { who, method: 'POST', path: '/v1/webhooks/test' };
    case 'pools':
    case 'quotePool':
    case 'transact':
    case 'balance':
    case 'trades': {
      const target = ofPools(ask, known);
      // The caller is mostly the partner that may trade.
      const trader = who.partner === 1 && who.mode === 'live' ? who : TRADER;
      return target === null ? null : { ...target, who: trader, product: 'pools' };
    }
    case 'clock':
      return { who, path: '/v1/test_helpers/clock' };
    case 'advance':
      return { who, method: 'POST', path: '/v1/test_helpers/clock/advance', body: { seconds: ask.seconds } };
    case 'health':
      return { who, path: '/health', auth: 'none' };
    case 'preflight':
      return {
        who,
        method: 'OPTIONS',
        path: ask.path,
        auth: 'none',
        headers: { origin: 'https://shop.example', 'access-control-request-method': ask.method },
      };
    case 'elsewhere':
      return { who, method: ask.method, path: ask.path };
  }
}

function ofSession(
  ask: Extract<Ask, { session: number; to: 'session' | 'cancel' | 'timeline' | 'simulate' }>,
  session: KnownSession | null,
): Target | null {
  if (session === null) return null;
  const { who, id } = session;
  if (ask.to === 'session') return { who, path: `/v1/gate_sessions/${id}` };
  if (ask.to === 'timeline') return { who, path: `/v1/gate_sessions/${id}/timeline` };
  if (ask.to === 'cancel') return { who, method: 'POST', path: `/v1/gate_sessions/${id}/cancel` };
  return {
    who,
    method: 'POST',
    path: `/v1/test_helpers/gate_sessions/${id}/simulate`,
    body: { scenario: ask.scenario },
  };
}

/** Prefers dead-lettered deliveries, since only those can be replayed. */
function ofDelivery(ask: Extract<Ask, { delivery: number }>, known: Known): Target | null {
  const dead = known.deliveries.filter(({ status }) => status === 'dead_lettered');
  const isReplay = ask.to === 'replay';
  const delivery = pick(isReplay && dead.length > 0 ? dead : known.deliveries, ask.delivery);
  if (delivery === null) return null;
  const path = `/v1/webhooks/deliveries/${delivery.id}`;
  return { who: delivery.who, ...(isReplay ? { method: 'POST', path: `${path}/replay` } : { path }) };
}
