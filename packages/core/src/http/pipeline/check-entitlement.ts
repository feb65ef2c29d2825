import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import type { Refusal } from '../../domain/refusal.js';
import type { AnyEndpoint } from '../endpoint.js';

/** A partner without the product is refused before anything of its request is read (spec: Authentication 4). */
export function entitlementRefusal(
  { requires }: Pick<AnyEndpoint, 'requires'>,
  partner: Partner | null,
): Refusal | null {
  if (requires === null || (partner !== null && isEntitled(partner, requires.entitlement))) return null;
  return { code: requires.code, message: requires.message };
}
