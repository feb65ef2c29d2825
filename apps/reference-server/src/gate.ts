import type { GateWith } from '@gateramp/core';
import { apiDocument } from '@gateramp/extensions/api-document';
import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { type PoolProvider, pools } from '@gateramp/extensions/pools';
import { sandbox, type SandboxControl } from '@gateramp/extensions/sandbox';

/** What the extensions use; a process that only administers uses neither. */
interface Controlled {
  readonly poolProvider?: PoolProvider;
  readonly control?: SandboxControl;
}

/** The extensions of this server. */
export function extensionsOf({ poolProvider, control }: Controlled = {}) {
  return [
    pools(poolProvider),
    consoleAccess(),
    inspection({ keepsRefusedRequests: true }),
    sandbox(control),
    apiDocument(),
  ] as const;
}

/** The gate of this server, with its extensions. */
export type Gate = GateWith<ReturnType<typeof extensionsOf>>;
