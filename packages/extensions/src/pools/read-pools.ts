import {
  cutPage,
  DAY,
  type Instant,
  isEntitled,
  type Page,
  PAGE_LIMIT_MAX,
  type PageRequest,
  type PageStart,
  type Partner,
  type Refusal,
  refuse,
  type Restricted,
  type Scope,
  whyRestricted,
} from '@gateramp/core/domain';
import { type DocumentKind, type DocumentRow, type Engine, findRow, listRows } from '@gateramp/core/extension';
import type { PoolProvider } from './pool-provider.js';
import { err, ok, type Result } from 'neverthrow';
import type { PoolQuote } from './pool-quote.js';
import { balanceCounters, balancesOf, type PoolBalance, type PoolTrade } from './pool-trade.js';
import { ACCESS_ID, checkAccess, type MadeMovement, OPEN_ACCESS, type Pool, type PoolsAccess } from './pool.js';

/** How long an unused quote remains readable after its expiry. */
const EXPIRED_QUOTE_KEPT = DAY;

export const POOLS: DocumentKind<Pool> = { noun: 'pool' };

export const POOLS_ACCESS: DocumentKind<PoolsAccess> = { noun: 'pools_access' };

/** Movements by operators; found by reference, never listed. */
export const POOL_MOVEMENTS: DocumentKind<MadeMovement> = { noun: 'pool_movement' };

/** Executed quotes are kept with their trade, so that executing one again finds the trade. */
export const POOL_QUOTES: DocumentKind<PoolQuote> = {
  noun: 'pool_quote',
  groupOf: ({ poolId }) => poolId,
  keepUntilOf: ({ tradeId, expiresAt }) => (tradeId === null ? expiresAt + EXPIRED_QUOTE_KEPT : null),
};

export const POOL_TRADES: DocumentKind<PoolTrade> = { noun: 'pool_trade', groupOf: ({ poolId }) => poolId };

/** The hash on chain of the trade with the same id. A separate kind, because trades are grouped by pool and a row has only one group. */
export const POOL_TRADE_HASHES: DocumentKind<Pick<PoolTrade, keyof DocumentRow> & { readonly txHash: string }> = {
  noun: 'pool_trade_hash',
  groupOf: ({ txHash }) => hashGroup(txHash),
};

/** In lower case, because hashes are searched without regard to case. */
export function hashGroup(txHash: string): string {
  return txHash.toLowerCase();
}

/** The engine, and who prices and settles. */
export interface PoolsEngine {
  readonly engine: Engine;
  readonly provider: PoolProvider;
}

export interface PoolsCaller {
  readonly partner: Partner;
  readonly scope: Scope;
}

type AccessRefusal = Refusal<'pools_not_enabled' | 'pool_access_suspended' | 'kyc_not_approved'>;
export type PoolRefusal = AccessRefusal | Refusal<'pool_not_allowed' | 'pool_not_found'>;

export const POOLS_NOT_ENABLED = 'Pools are not enabled for this partner.';

/** Whether the caller may use pools. */
async function checkPoolsAccess(
  { store }: Engine,
  { partner, scope }: PoolsCaller,
): Promise<Result<null, AccessRefusal>> {
  if (!isEntitled(partner, 'pools')) return refuse('pools_not_enabled', POOLS_NOT_ENABLED);
  return checkAccess((await findRow(store, POOLS_ACCESS, scope, ACCESS_ID)) ?? OPEN_ACCESS);
}

/** The caller's pool, or the first applicable denial of the contract. */
export async function findPool(engine: Engine, caller: PoolsCaller, id: string): Promise<Result<Pool, PoolRefusal>> {
  const access = await checkPoolsAccess(engine, caller);
  if (access.isErr()) return err(access.error);
  const pool = await findRow(engine.store, POOLS, caller.scope, id);
  if (pool !== null) return ok(pool);
  if ((await engine.store.readSetting(ownerSetting(id))) !== null) {
    return refuse('pool_not_allowed', 'This pool is not one of yours.');
  }
  return refuse('pool_not_found', 'There is no such pool.');
}

/** Setting that stores the owner of a pool id; an id belongs to one partner only. */
export function ownerSetting(id: string): string {
  return `pool_owner/${id}`;
}

/** Why the caller's restrictions exclude the trade. Pools have no payment methods and do not ask for the buyer's country. */
export function whyPoolRestricted(
  { partner }: PoolsCaller,
  {
    asset,
    network,
    currency,
    amount,
  }: Pick<Pool, 'asset' | 'network' | 'currency'> & { readonly amount: string | null },
): Restricted | null {
  return whyRestricted(partner.restrictions, {
    flow: 'on_ramp',
    amount,
    currency,
    sourceToken: null,
    sourceNetwork: null,
    targetToken: asset,
    targetNetwork: network,
    paymentMethod: null,
    countryCode: null,
  });
}

export function noPoolProvider() {
  return refuse('corridor_not_supported', 'No provider of pools is configured for live mode.');
}

/** The caller's pools that its restrictions allow, by id. A partner has few, so there is no paging. */
export async function listPools(engine: Engine, caller: PoolsCaller): Promise<Result<readonly Pool[], AccessRefusal>> {
  const access = await checkPoolsAccess(engine, caller);
  if (access.isErr()) return err(access.error);
  const pools = await poolsOf(engine, caller.scope);
  return ok(pools.filter((pool) => whyPoolRestricted(caller, { ...pool, amount: null }) === null));
}

/** All pools of the partner, without access checks. */
export async function poolsOf({ store }: Pick<Engine, 'store'>, scope: Scope): Promise<readonly Pool[]> {
  const pools: Pool[] = [];
  for (let start: PageStart = { kind: 'newest' }; ;) {
    const request: PageRequest = { start, limit: PAGE_LIMIT_MAX };
    const { items, hasMore }: Page<Pool> = cutPage(await listRows(store, POOLS, scope, request), request);
    pools.push(...items);
    const last = items.at(-1);
    if (!hasMore || last === undefined) return pools.toReversed();
    start = { kind: 'after', id: last.id };
  }
}

/**
 * Trades of all the caller's pools, newest first. `cursor` is the id of the previous page's last trade; another partner's is treated as
 * unknown.
 */
export async function listPoolTrades(
  engine: Engine,
  caller: PoolsCaller,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<Result<Page<PoolTrade>, AccessRefusal | Refusal<'transaction_not_found'>>> {
  const access = await checkPoolsAccess(engine, caller);
  if (access.isErr()) return err(access.error);
  const { store } = engine;
  if (cursor !== null && (await findRow(store, POOL_TRADES, caller.scope, cursor)) === null) {
    return refuse(
      'transaction_not_found',
      'cursor does not match any of your trades; pass the nextCursor of the previous page.',
    );
  }
  const page = { limit, start: cursor === null ? { kind: 'newest' as const } : { kind: 'after' as const, id: cursor } };
  return ok(cutPage(await listRows(store, POOL_TRADES, caller.scope, page), page));
}

interface BalanceReading {
  readonly poolId: string;
  readonly balances: readonly PoolBalance[];
  readonly asOf: Instant;
}

/** Reads all parts of the balance at one moment, so that an amount in motion is counted exactly once. */
export async function retrievePoolBalance(
  engine: Engine,
  caller: PoolsCaller,
  poolId: string,
): Promise<Result<BalanceReading, PoolRefusal>> {
  const found = await findPool(engine, caller, poolId);
  if (found.isErr()) return err(found.error);
  const values = await engine.store.readCounters(caller.scope, balanceCounters(found.value));
  return ok({ poolId, balances: balancesOf(found.value, values), asOf: engine.clock.now(caller.scope) });
}
