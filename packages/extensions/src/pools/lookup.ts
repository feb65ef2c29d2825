import { scopeOf } from '@gateramp/core/domain';
import { type ExtensionLookup, findRow, type FoundObject, listRows } from '@gateramp/core/extension';
import { OF_HASH_MAX } from '@gateramp/core/ports';
import { poolTradeMembers } from './pool-resources.js';
import type { PoolTrade } from './pool-trade.js';
import { hashGroup, POOL_TRADE_HASHES, POOL_TRADES } from './read-pools.js';

/** Finds trades by their id, or by their hash on chain. */
export const findTrades: ExtensionLookup = {
  find: async ({ store }, scope, id) => {
    const trade = await findRow(store, POOL_TRADES, scope, id);
    return trade === null ? null : found(trade);
  },
  findByTxHash: async ({ store }, scope, txHash) => {
    const page = { start: { kind: 'newest' }, limit: OF_HASH_MAX } as const;
    const hashes = await listRows(store, POOL_TRADE_HASHES, scope, page, { group: hashGroup(txHash) });
    const trades = await Promise.all(hashes.map((row) => findRow(store, POOL_TRADES, scopeOf(row), row.id)));
    return trades.flatMap((trade) => (trade === null ? [] : [found(trade)]));
  },
};

function found(trade: PoolTrade): FoundObject {
  return { kind: 'pool_trade', id: trade.id, resource: poolTradeMembers(trade) };
}
