import type { Scope } from '@gateramp/core';
import type { MoneyEffect } from '@gateramp/adapters-provider-sandbox';
import type { GateEvent, Intent, RailPayment, Transaction } from '@gateramp/core/domain';
import type { PoolTrade } from '@gateramp/extensions/pools';
import type { Document, Store } from '@gateramp/core/ports';
import { EVERYBODY, POOLS, scopeOf, TRADER } from '../differential/cast.js';
import type { Rail } from '../differential/command.js';
import type { Aftermath } from './crowd.js';

/** A pay-in or pay-out with its intent, transaction, events and movements of money. */
export interface RailRemains {
  readonly payment: RailPayment;
  readonly intent: Intent;
  readonly transaction: Transaction;
  readonly events: readonly GateEvent[];
  readonly effects: readonly MoneyEffect[];
}

/** The pools of the partner that may trade, and the trades in them. */
export interface PoolRemains {
  readonly trades: readonly { readonly trade: PoolTrade; readonly effects: readonly MoneyEffect[] }[];
  readonly balances: readonly PoolBalances[];
}

export interface PoolBalances {
  readonly pool: string;
  readonly currency: string;
  readonly opening: string;
  readonly available: string;
  readonly reserved: string;
}

type Sources = Pick<Aftermath, 'store' | 'ledger' | 't'>;

const ALL = { start: { kind: 'newest' }, limit: 1_000 } as const;
const ANY = { createdAfter: null, createdBefore: null } as const;
const RAILS: readonly Rail[] = ['pay_in', 'pay_out'];

export async function readRails({ store, ledger, t }: Sources): Promise<readonly RailRemains[]> {
  const remains: RailRemains[] = [];
  for (const who of EVERYBODY)
    for (const rail of RAILS) {
      const scope = scopeOf(who);
      const type = `${rail}.updated`;
      const events = await store.list('event', scope, { ...ANY, type, sessionId: null }, ALL);
      for (const document of await store.list('document', scope, rail, { ...ANY, group: null }, ALL)) {
        const payment = rowOf<RailPayment>(document);
        const intent = existing(await store.find('intent', scope, payment.id));
        remains.push({
          payment,
          intent,
          transaction: existing(await store.find('transaction', scope, payment.txRefid)),
          events: events.filter(({ body }) => body.includes(`"${payment.id}"`)),
          effects: await ledger.effects(intent.operationId, t.clock.now(who.mode)),
        });
      }
    }
  return remains;
}

export async function readPools({ store, ledger, t }: Sources): Promise<PoolRemains> {
  const scope = scopeOf(TRADER);
  const documents = await store.list('document', scope, 'pool_trade', { ...ANY, group: null }, ALL);
  const trades = await Promise.all(
    documents.map(async (document) => {
      const trade = rowOf<PoolTrade>(document);
      return { trade, effects: await ledger.effects(trade.operationId, t.clock.now('live')) };
    }),
  );
  const own = POOLS.filter(({ owner }) => owner === TRADER.partner);
  const balances = await Promise.all(
    own.flatMap(({ opening, terms }) =>
      [terms.asset, terms.currency].map(async (currency) => {
        const [available, reserved] = await parts(store, scope, `pool/${scope.partnerId}/live/${terms.id}/${currency}`);
        return { pool: terms.id, currency, opening, available, reserved };
      }),
    ),
  );
  return { trades, balances };
}

async function parts(store: Store, scope: Scope, name: string): Promise<readonly [string, string]> {
  const [available = '0', reserved = '0'] = await store.readCounters(scope, [`${name}/available`, `${name}/reserved`]);
  return [available, reserved];
}

function rowOf<Row>({ body }: Document): Row {
  // The body of a document is the row of its noun.
  return JSON.parse(body) as Row;
}

function existing<Row>(row: Row | null): Row {
  if (row === null) throw new Error('A payment over rails has no intent or no transaction.');
  return row;
}
