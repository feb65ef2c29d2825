import type { Instant } from '../instant.js';
import type { Scope } from '../mode.js';
import { equals, type Decimal } from '../money/decimal.js';

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
