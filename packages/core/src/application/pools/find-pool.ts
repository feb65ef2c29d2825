import { err, ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import { ACCESS_ID, checkAccess, OPEN_ACCESS } from '../../domain/pools/pools-access.js';
import type { Pool } from '../../domain/pools/pool.js';
import { whyRestricted, type Restricted } from '../../domain/partner/restrictions.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { findRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { POOLS, POOLS_ACCESS } from './kinds.js';

export interface PoolsCaller {
  readonly partner: Partner;
  readonly scope: Scope;
}

export type AccessRefusal = Refusal<'pools_not_enabled' | 'pool_access_suspended' | 'kyc_not_approved'>;
export type PoolRefusal = AccessRefusal | Refusal<'pool_not_allowed' | 'pool_not_found'>;

export const POOLS_NOT_ENABLED = 'Pools are not enabled for this partner.';

/** Whether the caller may use pools at all. */
export async function checkPoolsAccess(
  { store }: Engine,
  { partner, scope }: PoolsCaller,
): Promise<Result<null, AccessRefusal>> {
  if (!isEntitled(partner, 'pools')) return refuse('pools_not_enabled', POOLS_NOT_ENABLED);
  return checkAccess((await findRow(store, POOLS_ACCESS, scope, ACCESS_ID)) ?? OPEN_ACCESS);
}

/** The caller's pool, or the first of the contract's denials that holds. */
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

/** Where it is kept whose pool an id names. A pool belongs to one partner, so that an id never means two. */
export function ownerSetting(id: string): string {
  return `pool_owner/${id}`;
}

/** Why the caller's restrictions exclude the trade. Pools have no payment methods, and the buyer's country is not asked for. */
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
