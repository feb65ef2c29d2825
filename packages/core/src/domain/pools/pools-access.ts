import { ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import type { Scope } from '../mode.js';
import { refuse, type Refusal } from '../refusal.js';

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
