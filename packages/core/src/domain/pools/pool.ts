import type { Instant } from '../instant.js';
import type { Scope } from '../mode.js';

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
