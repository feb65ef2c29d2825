import type { Mode } from '@gateramp/core';
import { isRecord } from '@gateramp/core/domain';
import type { Members, Rail } from './command.js';
import { PARTNERS, TRADER, type Who } from './cast.js';

export interface Owned {
  readonly id: string;
  readonly who: Who;
}

export interface KnownSession extends Owned {
  readonly secret: string;
  readonly row: Members;
}

export interface KnownDelivery extends Owned {
  status: unknown;
}

export interface KnownQuote extends Owned {
  readonly side: unknown;
}

export interface KnownRail extends Owned {
  readonly rail: Rail;
  status: unknown;
}

export interface KnownPoolQuote {
  readonly id: string;
  readonly pool: string;
  readonly destAddress: unknown;
}

export interface KnownToken {
  readonly text: string;
  readonly who: Who;
  readonly session: KnownSession | null;
}

export interface KnownIntent {
  readonly id: string;
  readonly token: KnownToken;
  row: Members;
}

/** A saved method, with the token of the checkout that listed it. */
export interface KnownSavedMethod {
  readonly id: string;
  readonly token: KnownToken;
}

/** One request as it is sent. */
export interface Exchange {
  readonly mode: Mode;
  /** `pools` for the host of the pools product, which exists in live mode only; absent for the checkout's host. */
  readonly product?: 'pools';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** The embed token of the request, which owns the resources in its answer. */
  readonly token: KnownToken | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The knowledge of a client of all partners, from the answers so far. */
export class Known {
  readonly sessions: KnownSession[] = [];
  readonly tokens: KnownToken[] = [];
  readonly intents: KnownIntent[] = [];
  readonly savedMethods: KnownSavedMethod[] = [];
  /** Payments by the ids of their transactions. */
  readonly payments: Owned[] = [];
  readonly events: Owned[] = [];
  readonly quotes: string[] = [];
  readonly deliveries: KnownDelivery[] = [];
  /** Quotes that can be executed, which only one of the partners can create. */
  readonly fixedQuotes: KnownQuote[] = [];
  readonly rails: KnownRail[] = [];
  readonly poolQuotes: KnownPoolQuote[] = [];
  readonly trades: Owned[] = [];
  /** The latest ETag of each path. */
  readonly tags = new Map<string, string>();
  readonly sent: Exchange[] = [];
  /** The times at which known resources expire. */
  readonly ends: number[] = [];

  learn(exchange: Exchange, answer: Answer): void {
    this.sent.push(exchange);
    const { etag } = answer.headers;
    if (etag !== undefined) this.tags.set(exchange.path, etag);
    const row = rowOf(answer);
    if (row === null) return;
    this.eventsOf(row, exchange);
    const expiry = row['expires_at'] ?? row['expiresAt'];
    const end = typeof expiry === 'string' ? Date.parse(expiry) : Number.NaN;
    if (!Number.isNaN(end) && !this.ends.includes(end)) this.ends.push(end);
    if (exchange.product === 'pools') return this.ofPools(row);
    switch (row['object']) {
      case 'gate_session':
        return this.session(row, exchange.mode);
      case 'embed_bootstrap':
        return this.token(row, exchange.mode);
      case 'embed_quotes':
        return this.offered(row);
      case 'quote':
        return this.fixed(row, exchange.mode);
      case 'pay_in':
      case 'pay_out':
        return this.rail(row, row['object'], exchange.mode);
      case 'gate_intent':
        return this.intent(row, exchange);
      case 'webhook_delivery':
        return this.delivery(row, exchange.mode);
      case 'list':
        return this.listed(row, exchange);
      default:
    }
  }

  /** Learns the events of a list. Their data names the partner. */
  private eventsOf({ object, url, data }: Members, { mode }: Exchange): void {
    if (object !== 'list' || url !== '/v1/events' || !Array.isArray(data)) return;
    for (const event of data) {
      if (!isRecord(event) || !isRecord(event['data'])) continue;
      const id = String(event['id']);
      if (this.events.some((one) => one.id === id)) continue;
      const partner = event['data']['partner_id'] === PARTNERS[0].id ? 0 : 1;
      this.events.push({ id, who: { partner, mode } });
    }
  }

  private session(row: Members, mode: Mode): void {
    const { id, client_secret: secret } = row;
    if (typeof id !== 'string' || typeof secret !== 'string' || this.sessions.some((one) => one.id === id)) return;
    const partner = row['partner_id'] === PARTNERS[0].id ? 0 : 1;
    this.sessions.push({ id, secret, row, who: { partner, mode } });
  }

  private token(row: Members, mode: Mode): void {
    const bound = row['session'];
    const session = this.sessions.find(({ id }) => isRecord(bound) && bound['id'] === id) ?? null;
    const partner = isRecord(row['partner']) && row['partner']['id'] === PARTNERS[0].id ? 0 : 1;
    this.tokens.push({ text: String(row['embed_token']), session, who: { partner, mode } });
  }

  private offered(row: Members): void {
    const { quotes } = row;
    if (!Array.isArray(quotes)) return;
    for (const quote of quotes) if (isRecord(quote) && typeof quote['id'] === 'string') this.quotes.push(quote['id']);
  }

  private fixed({ id, side }: Members, mode: Mode): void {
    if (typeof id !== 'string' || this.fixedQuotes.some((one) => one.id === id)) return;
    this.fixedQuotes.push({ id, side, who: { partner: 0, mode } });
  }

  private rail({ id, status, tx_refid: refid }: Members, rail: Rail, mode: Mode): void {
    if (typeof id !== 'string') return;
    const known = this.rails.find((one) => one.id === id);
    if (known !== undefined) {
      known.status = status;
      return;
    }
    const who = { partner: 0, mode } as const;
    this.rails.push({ id, rail, status, who });
    this.payments.push({ id: String(refid), who });
  }

  /** Learns from an answer of the pools product, which has no `object`. */
  private ofPools({ transactId, quoteId, poolId, destAddress }: Members): void {
    if (typeof transactId === 'string') {
      if (!this.trades.some(({ id }) => id === transactId)) this.trades.push({ id: transactId, who: TRADER });
    } else if (typeof quoteId === 'string' && !this.poolQuotes.some(({ id }) => id === quoteId))
      this.poolQuotes.push({ id: quoteId, pool: String(poolId), destAddress });
  }

  private listed({ data }: Members, { mode, token }: Exchange): void {
    if (!Array.isArray(data)) return;
    // In the order of creation, so that the latest item is the last one known.
    for (const row of data.toReversed()) {
      if (!isRecord(row)) continue;
      if (row['object'] === 'webhook_delivery') this.delivery(row, mode);
      const id = row['object'] === 'saved_payment_method' ? String(row['id']) : null;
      if (id !== null && token !== null && !this.savedMethods.some((one) => one.id === id))
        this.savedMethods.push({ id, token });
    }
  }

  private delivery({ id, status, partner_id: partnerId }: Members, mode: Mode): void {
    if (typeof id !== 'string') return;
    const known = this.deliveries.find((one) => one.id === id);
    const partner = partnerId === PARTNERS[0].id ? 0 : 1;
    if (known === undefined) this.deliveries.push({ id, status, who: { partner, mode } });
    else known.status = status;
  }

  private intent(row: Members, { token }: Exchange): void {
    const known = this.intents.find(({ id }) => id === row['id']);
    const own = token ?? this.tokens.findLast(({ session }) => session?.id === row['session_id']) ?? null;
    if (known !== undefined) known.row = row;
    else if (own !== null) {
      this.intents.push({ id: String(row['id']), token: own, row });
      this.payments.push({ id: String(row['tx_refid']), who: own.who });
    }
  }
}

/** The nth item, counted from the latest; null without items. */
export function pick<Item>(items: readonly Item[], nth: number): Item | null {
  return items.length === 0 ? null : (items[items.length - 1 - (nth % items.length)] ?? null);
}

/** The JSON object in an answer; null for other bodies. */
export function rowOf({ body }: Pick<Answer, 'body'>): Members | null {
  try {
    const row: unknown = JSON.parse(body);
    return isRecord(row) ? row : null;
  } catch {
    return null;
  }
}
