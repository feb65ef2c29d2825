import type { Engine } from '../application/engine.js';
import type { Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';

/** The partner a host calls for. That there is none is the host's mistake, not a refusal. */
export async function partnerOf({ partners }: Engine, { partnerId }: Scope): Promise<Partner> {
  const partner = await partners.findPartner(partnerId);
  if (partner === null) throw new Error(`No such partner: ${partnerId}.`);
  return partner;
}
