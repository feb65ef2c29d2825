import { POOLS_NOT_ENABLED } from '../../application/pools/find-pool.js';
import type { ErrorCode } from '../../domain/error-code.js';
import { POOLS_HOST } from '../hosts.js';
import { KEYED_WRITE, SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';

const ON_POOLS_HOST = {
  hosts: POOLS_HOST,
  requires: { entitlement: 'pools', code: 'pools_not_enabled', message: POOLS_NOT_ENABLED },
  limits: GLOBAL_TIERS,
} as const;

export const POOLS_READ = { ...SECRET_READ, ...ON_POOLS_HOST } as const;

export const POOLS_WRITE = { ...KEYED_WRITE, ...ON_POOLS_HOST } as const;

/** Of the partner, whichever pool it asks for. */
export const ACCESS_REFUSALS = [
  'pools_not_enabled',
  'pool_access_suspended',
  'kyc_not_approved',
] as const satisfies readonly ErrorCode[];

export const POOL_REFUSALS = [
  ...ACCESS_REFUSALS,
  'pool_not_allowed',
  'pool_not_found',
] as const satisfies readonly ErrorCode[];
