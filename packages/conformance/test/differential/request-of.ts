import { CALLBACK_SIGNATURE_HEADER, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { attemptBody, quoteBody } from './attempt-body.js';
import { credentialsOf, EVERYBODY, POOLS, TRADER, type Who } from './cast.js';
import type { Ask, Asking, Caller, KeyChoice, Members, News, Query, Rail } from './command.js';
import {
  pick,
  type Exchange,
  type Known,
  type KnownIntent,
  type KnownRail,
  type KnownSession,
  type KnownToken,
  type Owned,
} from './known.js';
import { twisted } from './twisted.js';

/** What a client does not learn from answers, but the provider and the clock on the wall tell. */
export interface Facts {
  readonly callbackSecret: string;
  readonly wall: number;
  operationOf(intent: KnownIntent): string;
  /** What the provider calls its news. Honest ones call different news by different names. */
  eventOf(news: News, operationId: string): string;
}

/** The request of a command; null when it asks about something of which there is none yet. */
export function requestOf(
  { ask, by, caller, key, twist }: Asking,
  nth: number,
  known: Known,
  facts: Facts,
): Exchange | null {
  if (ask.to === 'repeat') return pick(known.sent, ask.nth);
  const target = targetOf(ask, EVERYBODY[by], known, facts);
  if (target === null) return null;
  const { who, method = 'GET', body = null, product } = target;
  // Pools have one host: what comes from elsewhere is a key of the other mode.
  const isTestKey = product === 'pools' && caller === 'other host';
  const mode = caller === 'other host' && !isTestKey ? otherMode(who.mode) : who.mode;
  const owner = isTestKey ? { ...who, mode: otherMode(who.mode) } : who;
  const credential =
    target.token === undefined ? byKey(target.auth ?? 'secret', owner, caller) : byToken(target.token, known, caller);
  const headers = {
    ...credential,
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...keyHeader(key, nth, method),
    ...target.headers,
  };
  const bytes = body === null ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const exchange = {
    mode,
    ...(product === undefined ? {} : { product }),
    method,
    path: target.path,
    headers,
    body: bytes,
    token: target.token ?? null,
  };
  return twist === null ? exchange : twisted(exchange, twist);
}

interface Target {
  readonly who: Who;
  readonly product?: 'pools';
  readonly path: string;
  readonly method?: string;
  readonly auth?: 'secret' | 'publishable' | 'none';
  readonly token?: KnownToken;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Members | string;
}

function targetOf(ask: Exclude<Ask, { to: 'repeat' }>, who: Who, known: Known, facts: Facts): Target | null {
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
    case 'quotes':
    case 'begin':
      return ofToken(ask, pick(known.tokens, ask.token), known);
    case 'intent':
    case 'confirm':
    case 'transaction':
      return ofIntent(ask, pick(known.intents, ask.intent));
    case 'cancelIntent':
      return ofIntent(
        ask,
        pick(
          waiting(known.intents, ({ row }) => row['status']),
          ask.intent,
        ),
      );
    case 'callback':
      return callback(ask.news, pick(known.intents, ask.intent), facts);
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
      // Mostly of the one who may trade.
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

function takeUp({ rail, quote: nth, body }: Extract<Ask, { to: 'takeUp' }>, known: Known): Target | null {
  const side = rail === 'pay_in' ? 'on_ramp' : 'off_ramp';
  // Now and then one of the other side.
  const some = nth > 8 ? known.fixedQuotes : known.fixedQuotes.filter((one) => one.side === side);
  const quote = pick(some, nth);
  if (quote === null) return null;
  const own =
    rail === 'pay_in'
      ? { wallet_address: WALLET }
      : {
          refund_address: WALLET,
          beneficiary: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Løvelace' },
        };
  return { who: quote.who, method: 'POST', path: `/v1/rails/${rail}s`, body: { quote_id: quote.id, ...own, ...body } };
}

const WALLET = '0x00000000000000000000000000000000000000aa';

/** Only what waits can be cancelled, so that is what is mostly asked for. */
function waiting<Item>(all: readonly Item[], statusOf: (item: Item) => unknown): readonly Item[] {
  const some = all.filter((one) => statusOf(one) === 'requires_action');
  return some.length === 0 ? all : some;
}

function railsOf({ rails }: Known, rail: Rail): readonly KnownRail[] {
  return rails.filter((one) => one.rail === rail);
}

function ofRail(
  ask: Extract<Ask, { to: 'rail' | 'cancelRail' | 'simulateRail' }>,
  payment: KnownRail | null,
): Target | null {
  if (payment === null) return null;
  const { who, rail, id } = payment;
  const path = `/v1/rails/${rail}s/${id}`;
  if (ask.to === 'rail') return { who, path };
  if (ask.to !== 'simulateRail') return { who, method: 'POST', path: `${path}/cancel` };
  return { who, method: 'POST', path: `/v1/test_helpers/rails/${id}/simulate`, body: { scenario: ask.scenario } };
}

type PoolAsk = Extract<Ask, { to: 'pools' | 'quotePool' | 'transact' | 'balance' | 'trades' }>;

function ofPools(ask: PoolAsk, known: Known): Pick<Target, 'path' | 'method' | 'body'> | null {
  switch (ask.to) {
    case 'pools':
      return { path: '/v1/pools' };
    case 'quotePool': {
      const { asset, network } = POOLS[ask.pool === 1 ? 1 : 0].terms;
      // What is asked of the second pool is mostly what it holds.
      const body = ask.pool === 1 && ask.body['asset'] === 'USDC' ? { ...ask.body, asset, network } : ask.body;
      return { method: 'POST', path: `/v1/pools/${poolId(ask.pool)}/quote`, body };
    }
    case 'transact': {
      const quote = pick(known.poolQuotes, ask.quote);
      if (quote === null) return null;
      const body = { quoteId: quote.id, destAddress: quote.destAddress, ...ask.body };
      return { method: 'POST', path: `/v1/pools/${quote.pool}/transact`, body };
    }
    case 'balance':
      return { path: `/v1/pools/${poolId(ask.pool)}/balance` };
    case 'trades':
      return { path: `/v1/pools/trades${queryText(ask.query, owned(known.trades, TRADER))}` };
  }
}

function poolId(nth: number): string {
  return POOLS[nth]?.terms.id ?? 'pool_of_nobody';
}

function bootstrap(ask: Extract<Ask, { to: 'bootstrap' }>, who: Who, known: Known): Target | null {
  const session = ask.session === null ? null : pick(known.sessions, ask.session);
  if (ask.session !== null && session === null) return null;
  const secret = ask.secret === 'wrong' ? `${session?.secret.slice(0, -1) ?? ''}_` : session?.secret;
  const body =
    secret === undefined ? {} : ask.secret === 'misnamed' ? { client_secret: secret } : { clientSecret: secret };
  const headers = ask.origin === null ? {} : { origin: ask.origin };
  return { who: session?.who ?? who, auth: 'publishable', method: 'POST', path: '/v1/embed/bootstrap', headers, body };
}

function ofToken(ask: Extract<Ask, { token: number }>, token: KnownToken | null, known: Known): Target | null {
  if (token === null) return null;
  const { who } = token;
  const headers = { origin: WIDGET_ORIGINS[who.mode] };
  if (ask.to === 'embedSession') return { who, token, headers, path: '/v1/embed/session' };
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
    body: attemptBody(ask.attempt, token.session, quote),
  };
}

const WIDGET_ORIGINS = { test: 'https://sandbox-widget.example', live: 'https://widget.example' } as const;

function ofIntent(
  ask: Extract<Ask, { to: 'intent' | 'confirm' | 'cancelIntent' | 'transaction' }>,
  intent: KnownIntent | null,
): Target | null {
  if (intent === null) return null;
  const { token, id, row } = intent;
  const { who } = token;
  const headers = { origin: WIDGET_ORIGINS[who.mode] };
  switch (ask.to) {
    case 'intent':
      return { who, token, headers, path: `/v1/embed/intents/${id}` };
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

/** What a willing buyer answers to the intent's next action. */
function wanted({ next_action: next }: Members): Members {
  const action = typeof next === 'object' && next !== null && 'type' in next ? next.type : 'payment_authentication';
  if (action === 'kyc')
    return {
      action,
      kyc: { first_name: 'Ada', last_name: 'Løvelace', date_of_birth: '1990-02-28', document_number: 'T22000129' },
    };
  return action === 'payment_authentication' ? { action, code: '000000' } : { action };
}

/** Only what is dead can be replayed, so that is what is mostly asked for. */
function ofDelivery(ask: Extract<Ask, { delivery: number }>, known: Known): Target | null {
  const dead = known.deliveries.filter(({ status }) => status === 'dead_lettered');
  const isReplay = ask.to === 'replay';
  const delivery = pick(isReplay && dead.length > 0 ? dead : known.deliveries, ask.delivery);
  if (delivery === null) return null;
  const path = `/v1/webhooks/deliveries/${delivery.id}`;
  return { who: delivery.who, ...(isReplay ? { method: 'POST', path: `${path}/replay` } : { path }) };
}

function callback(news: News, intent: KnownIntent | null, facts: Facts): Target | null {
  if (intent === null) return null;
  const { outcome, signed } = news;
  const operationId = facts.operationOf(intent);
  const body = JSON.stringify({ event_id: facts.eventOf(news, operationId), operation_id: operationId, outcome });
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

interface Ids {
  readonly own: readonly string[];
  readonly any: readonly string[];
}

function owned(all: readonly Owned[], who: Who): Ids {
  const own = all.filter((one) => one.who.partner === who.partner && one.who.mode === who.mode);
  return { own: own.map(({ id }) => id), any: all.map(({ id }) => id) };
}

function queryText({ filters, cursor }: Query, ids: Ids): string {
  const query = new URLSearchParams(
    Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]),
  );
  if (cursor !== null)
    query.set(
      cursor.name,
      cursor.of === 'nobody' ? 'f'.repeat(cursor.nth) : (pick(ids[cursor.of], cursor.nth) ?? '0'.repeat(24)),
    );
  return query.size === 0 ? '' : `?${query.toString()}`;
}

type Headers = Readonly<Record<string, string>>;

function byKey(auth: 'secret' | 'publishable' | 'none', who: Who, caller: Caller): Headers {
  if (auth === 'none') return {};
  const own = credentialsOf(who);
  const rival = credentialsOf({ ...who, partner: who.partner === 0 ? 1 : 0 });
  const keys: Readonly<Record<Caller, string | null>> = {
    owner: own[auth],
    rival: rival[auth],
    'other host': own[auth],
    'other type': auth === 'secret' ? own.publishable : own.secret,
    unknown: `${own[auth]}x`,
    revoked: caller === 'revoked' && auth === 'secret' ? own.spare : own.revoked,
    expired: own.expiring,
    malformed: 'sk_test_',
    none: null,
  };
  const key = keys[caller];
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

function byToken(own: KnownToken, known: Known, caller: Caller): Headers {
  const rival = known.tokens.findLast(({ who }) => who.mode === own.who.mode && who.partner !== own.who.partner);
  switch (caller) {
    case 'none':
      return {};
    case 'malformed':
    case 'unknown':
      return { 'x-embed-token': `${own.text.slice(0, -3)}abc` };
    case 'rival':
      return { 'x-embed-token': rival?.text ?? own.text };
    default:
      return { 'x-embed-token': own.text };
  }
}

function keyHeader(key: KeyChoice, nth: number, method: string): Headers {
  if (method !== 'POST' || key.kind === 'none') return {};
  if (key.kind === 'bad') return { 'idempotency-key': key.text };
  return { 'idempotency-key': key.kind === 'fresh' ? `fresh-${nth}` : `shared-${key.nth}` };
}

function otherMode(mode: Who['mode']): Who['mode'] {
  return mode === 'test' ? 'live' : 'test';
}
