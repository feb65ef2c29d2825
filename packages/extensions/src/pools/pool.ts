import { type Decimal, decimal, type Instant, type Refusal, refuse, type Scope } from '@gateramp/core/domain';
import { ok, type Result } from 'neverthrow';

/** Liquidity offered to one partner: the pool takes `currency` and pays out `asset`. Pools exist in live mode only. */
export interface Pool extends Scope {
  /** Chosen by the operator, such as `pool_usdc_eur`; it belongs to one partner permanently. */
  readonly id: string;
  readonly version: number;
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
  readonly spreadBps: number;
  readonly feeBps: number;
  readonly createdAt: Instant;
}

/** Basis points of the whole amount. */
export const BPS_WHOLE = 10_000;

export function totalBps({ spreadBps, feeBps }: Pick<Pool, 'spreadBps' | 'feeBps'>): number {
  return spreadBps + feeBps;
}

/** The currencies of a pool, in the order of its balances. */
export function currenciesOf({ asset, currency }: Pick<Pool, 'asset' | 'currency'>): readonly [string, string] {
  return [asset, currency];
}

/** An operator's setting of whether an entitled partner may use its pools. */
export interface PoolsAccess extends Scope {
  readonly id: typeof ACCESS_ID;
  readonly version: number;
  readonly status: 'active' | 'suspended';
  readonly kyc: 'approved' | 'pending';
  readonly createdAt: Instant;
}

/** Constant id: a partner has one access record. */
export const ACCESS_ID = 'access';

/** The fields of the access record that decide whether the partner may trade. */
export type AccessTerms = Pick<PoolsAccess, 'status' | 'kyc'>;

/** The access of a partner without a record. */
export const OPEN_ACCESS: AccessTerms = { status: 'active', kyc: 'approved' };

/** Denials that do not depend on a pool, in the contract's order; the entitlement is checked before them. */
export function checkAccess({
  status,
  kyc,
}: AccessTerms): Result<null, Refusal<'pool_access_suspended' | 'kyc_not_approved'>> {
  if (status === 'suspended') return refuse('pool_access_suspended', 'Your access to pools is suspended.');
  if (kyc === 'pending') {
    return refuse('kyc_not_approved', 'Your company has not been approved for pools yet.');
  }
  return ok(null);
}

/** A deposit into a pool by an operator; a negative amount is a withdrawal. */
export interface PoolMovement {
  readonly poolId: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** Idempotency reference, unique per pool and currency: a repeated movement has no effect. */
  readonly reference: string;
}

/** A movement that was made; kept permanently, so that its reference never applies to another amount. */
export interface MadeMovement extends PoolMovement, Scope {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Instant;
}

/** The movement's id. Unambiguous, because the pool id and the currency contain no slash. */
export function movementId({ poolId, currency, reference }: PoolMovement): string {
  return `${poolId}/${currency}/${reference}`;
}

/** The result of repeating a reference. The amount of movements from before this record existed (null) is unknown, so they match. */
export function repeatedMovement(made: MadeMovement | null, { amount }: PoolMovement): 'known' | 'other_amount' {
  return made === null || decimal.equals(made.amount, amount) ? 'known' : 'other_amount';
}
