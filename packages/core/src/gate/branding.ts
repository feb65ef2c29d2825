import { err, ok, type Result } from 'neverthrow';
import { readBranding } from '../application/branding/read-branding.js';
import { updateBranding } from '../application/branding/update-branding.js';
import type { Engine } from '../application/engine.js';
import { brandingResource, type GateBranding } from '../domain/branding/branding.js';
import type { Scope } from '../domain/mode.js';
import { UPDATE_BRANDING_BODY, type UpdateBranding } from '../http/branding/branding-schemas.js';
import { answerOf, keyUse, parsed, readGiven, type KeyedCall } from './given.js';
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
      const given = readGiven(engine, caller, UPDATE_BRANDING_BODY, changes);
      if (given.isErr()) return err(given.error);
      const { value, canonical } = given.value;
      const key = options?.idempotencyKey;
      const use = keyUse(engine, { caller, key, path: 'branding.update', canonical, render: brandingResource });
      if (use.isErr()) return err(use.error);
      const done = await updateBranding(engine, caller, value, use.value);
      return done.map((answered) => answerOf(answered, brandingResource));
    },
  };
}
