import type { GateWith } from '@gateramp/core';
import { type PoolProvider, pools } from '@gateramp/extensions/pools';

/** The extensions of this server. */
export function extensionsOf(poolProvider?: PoolProvider) {
  return [pools(poolProvider)] as const;
}

/** The gate of this server, with its extensions. */
export type Gate = GateWith<ReturnType<typeof extensionsOf>>;
