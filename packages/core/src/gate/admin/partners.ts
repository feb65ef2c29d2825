import { isRecord } from '../../domain/json.js';
import type { Engine } from '../../application/engine.js';
import type { Partner } from '../../domain/partner/partner.js';
import type { PartnerStore } from '../../ports/partners.js';
import { partnerProblems } from '../checks/check-administration.js';
import { GateArgumentError, throwIfAny } from '../checks/argument-error.js';

/**
 * The store of partners, keys and endpoints. Throws a `GateArgumentError` if the host manages its own, because writes to the store would
 * never be read.
 */
export function partnerStoreOf({ partners, partnerStore }: Engine): PartnerStore {
  if (partnerStore !== null && partners === partnerStore) return partnerStore;
  throw new GateArgumentError('gate.admin is not available', [
    "partners, keys and endpoints are managed by the host through its partners port. Write them to the host's own tables.",
  ]);
}

/** A partner to create; omitted fields have the defaults that `createPartner` documents. */
export type NewPartner = Pick<Partner, 'name' | 'allowedOrigins'> & Partial<Omit<Partner, 'id'>>;

export interface PartnerAdministration {
  /**
   * Creates a partner with a generated id (24 hexadecimal digits). By default it is not trusted with KYC packages, not enabled for live
   * mode, has no entitlements beyond buying and selling, and no quota.
   */
  createPartner(partner: NewPartner): Promise<Partner>;
  /** Stores the complete partner under your own id, replacing an existing one. */
  savePartner(partner: Partner): Promise<void>;
}

const DEFAULTS: Omit<Partner, 'id' | 'name' | 'allowedOrigins'> = {
  kycTrusted: false,
  liveEnabled: false,
  entitlements: [],
  completedSessionsQuota: null,
};

export function partnerAdministration(engine: Engine): PartnerAdministration {
  const { clock, ids } = engine;
  return {
    createPartner: async (given) => {
      const partner: Partner = { ...DEFAULTS, ...given, id: ids.object(clock.now('live')) };
      const isNamed = isRecord(given) && Object.hasOwn(given, 'id');
      throwIfAny(
        'createPartner received an invalid partner',
        partnerProblems(isRecord(given) ? partner : given),
        isNamed ? ['id is generated; use savePartner to choose it.'] : [],
      );
      await partnerStoreOf(engine).save('partner', partner);
      return partner;
    },
    savePartner: async (partner) => {
      throwIfAny('savePartner received an invalid partner', partnerProblems(partner));
      await partnerStoreOf(engine).save('partner', partner);
    },
  };
}
