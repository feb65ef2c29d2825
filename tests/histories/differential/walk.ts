import { credentialsOf, EVERYBODY, POOLS, TRADER } from './cast.js';
import type { Exchange } from './known.js';

/** Requests for the lists of all partners, with a key that no history revokes. */
export const walk: readonly Pick<Exchange, 'mode' | 'path' | 'headers'>[] = EVERYBODY.flatMap((who) =>
  ['/v1/gate_sessions', '/v1/transactions'].map((path) => ({
    mode: who.mode,
    path,
    headers: { authorization: `Bearer ${credentialsOf(who).secret}` },
  })),
);

const trader = {
  mode: 'live',
  product: 'pools',
  headers: { authorization: `Bearer ${credentialsOf(TRADER).secret}` },
} as const;

/** Requests for the pool balances and the trades. */
export const books: readonly Pick<Exchange, 'mode' | 'product' | 'path' | 'headers'>[] = [
  ...POOLS.filter(({ owner }) => owner === 0).map(({ terms }) => `/v1/pools/${terms.id}/balance`),
  '/v1/pools/trades?limit=100',
].map((path) => ({ ...trader, path }));
