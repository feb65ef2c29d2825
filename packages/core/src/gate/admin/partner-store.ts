import type { Engine } from '../../application/engine.js';
import type { PartnerStore } from '../../ports/partners.js';
import { GateFault } from '../checks/gate-fault.js';

/** Where partners, keys and endpoints are written; a `GateFault` where the host has its own: what is written here would never be read. */
export function partnerStoreOf({ partners, partnerStore }: Engine): PartnerStore {
  if (partnerStore !== null && partners === partnerStore) return partnerStore;
  throw new GateFault('gate.admin is not available', [
    "partners, keys and endpoints are managed by the host through its partners port. Write them to the host's own tables.",
  ]);
}
