import type { Instant } from '@gateramp/core/domain';

/**
 * A key is good at the very instant it expires. Its row holds the first at which it is free: that is what statements
 * and the index compare with.
 */
export function reusableFrom(expiresAt: Instant): Instant {
  return expiresAt + 1;
}

/** The last instant at which the key of a stored row is good. */
export function validUntil(storedExpiry: Instant): Instant {
  return storedExpiry - 1;
}
