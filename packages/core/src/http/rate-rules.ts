import { HOUR, SECOND } from '../domain/instant.js';
import type { RateRule } from '../domain/limits/rate-window.js';

/** A route's own limit: hits per 60 seconds (spec: Limits). */
export function perMinute(limit: number): readonly RateRule[] {
  return [{ name: 'route', limit, windowMs: 60 * SECOND }];
}

/** Tiers that all routes without a limit of their own share. */
export const GLOBAL_TIERS: readonly RateRule[] = [
  { name: 'short', limit: 10, windowMs: 10 * SECOND },
  { name: 'medium', limit: 60, windowMs: 60 * SECOND },
  { name: 'long', limit: 300, windowMs: HOUR },
];
