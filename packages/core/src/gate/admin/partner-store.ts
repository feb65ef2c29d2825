import type { Engine } from '../../application/engine.js';
import type { PartnerStore } from '../../ports/partners.js';
import { GateFault } from '../checks/gate-fault.js';

/** Where partners, keys and endpoints are written; a `GateFault` where the store keeps none because the host has its own. */
export function partnerStoreOf({ partnerStore }: Engine): PartnerStore {
  if (partnerStore !== null) return partnerStore;
  throw new GateFault('There is nothing to administer', ["the store keeps no partners: they are the host's own."]);
}
