import { ok, type Result } from 'neverthrow';
import { readBranding } from '../application/branding/read-branding.js';
import { updateBranding } from '../application/branding/update-branding.js';
import type { Engine } from '../application/engine.js';
import { brandingResource, type GateBranding } from '../domain/branding/branding.js';
import type { Scope } from '../domain/mode.js';
import { UPDATE_BRANDING_BODY, type UpdateBranding } from '../http/branding/branding-schemas.js';
import { parsed } from './given.js';
import { callWithBody, type KeyedCall } from './keyed-call.js';
import type { GateRefusal } from './resources.js';

/** How a partner's checkout looks, for hosts that call in process; each mode has its own. */
export interface BrandingResource {
  retrieve(caller: Scope): Promise<Result<GateBranding, GateRefusal>>;
  /** An absent field stays, null clears. */
  update(caller: Scope, changes: UpdateBranding, options?: KeyedCall): Promise<Result<GateBranding, GateRefusal>>;
}

export function inProcessBranding(engine: Engine, ready: () => Promise<void>): BrandingResource {
  return {
    retrieve: async (caller) => ok(parsed(brandingResource(await readBranding(engine, caller)))),
    update: async (caller, changes, options) => {
      await ready();
      const body = { schema: UPDATE_BRANDING_BODY, given: changes };
      const call = { caller, options, path: 'branding.update', body, render: brandingResource };
      return callWithBody(engine, call, (value, use) => updateBranding(engine, caller, value, use));
    },
  };
}
