import type { GateWith } from '@gateramp/core';
import { apiDocument } from '@gateramp/extensions/api-document';
import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { type PoolProvider, pools } from '@gateramp/extensions/pools';

/** The extensions of this server. */
export function extensionsOf(poolProvider?: PoolProvider) {
  return [pools(poolProvider), consoleAccess(), inspection({ keepsRefusedRequests: true }), apiDocument()] as const;
}

/** The gate of this server, with its extensions. */
export type Gate = GateWith<ReturnType<typeof extensionsOf>>;
