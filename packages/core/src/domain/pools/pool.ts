import { ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import type { Scope } from '../mode.js';
import { type Decimal, equals } from '../money.js';
import { type Refusal, refuse } from '../refusal.js';

/** Money that is available to one partner: its currency to be taken, its asset to be given. Pools are live only. */
export interface Pool extends Scope {
  /** The operator's own name for it, of one partner for good: `pool_usdc_eur`. */
  readonly id: string;
  readonly version: number;
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
  readonly spreadBps: number;
  readonly feeBps: number;
  readonly createdAt: Instant;
}

/** A share of one per cent of one per cent. */
export const BPS_WHOLE = 10_000;

export function totalBps({ spreadBps, feeBps }: Pick<Pool, 'spreadBps' | 'feeBps'>): number {
  return spreadBps + feeBps;
}

/** Its two kinds of money, as balances list them. */
export function currenciesOf({ asset, currency }: Pick<Pool, 'asset' | 'currency'>): readonly [string, string] {
  return [asset, currency];
}

/** Whether an entitled partner may use its pools at the moment; an operator's word. */
export interface PoolsAccess extends Scope {
  readonly id: typeof ACCESS_ID;
  readonly version: number;
  readonly status: 'active' | 'suspended';
  readonly kyc: 'approved' | 'pending';
  readonly createdAt: Instant;
}

/** A partner has one. */
export const ACCESS_ID = 'access';

/** What of a partner's access decides whether it may trade. */
export type AccessTerms = Pick<PoolsAccess, 'status' | 'kyc'>;

/** What holds until an operator has said otherwise. */
export const OPEN_ACCESS: AccessTerms = { status: 'active', kyc: 'approved' };

/** The denials that do not depend on a pool, in the contract's order; the entitlement comes before them. */
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

/** Money that an operator puts into a pool, or takes out of it with a minus sign. */
export interface PoolMovement {
  readonly poolId: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** Names the movement among those of this pool and currency: given again, it does nothing. */
  readonly reference: string;
}

/** A movement that was made; kept for good, so that its reference goes on meaning this amount. */
export interface MadeMovement extends PoolMovement, Scope {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Instant;
}

/** What a reference means once: neither part before it holds a slash. */
export function movementId({ poolId, currency, reference }: PoolMovement): string {
  return `${poolId}/${currency}/${reference}`;
}

/** What giving a reference again comes to. Of movements made before they were kept (null) the amount is not known. */
export function givenAgain(made: MadeMovement | null, { amount }: PoolMovement): 'known' | 'other_amount' {
  return made === null || equals(made.amount, amount) ? 'known' : 'other_amount';
}
