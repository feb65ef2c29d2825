import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import type { Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import { entitlementRefusal } from '../http/pipeline/check-entitlement.js';
import { RAILS_ENTITLEMENT } from '../http/requirements.js';
import { partnerOf } from './partner-of.js';
import type { GateRefusal } from './resources.js';

/** What only a partner with the `rails` entitlement may ask; others are refused as over HTTP, whatever they ask. */
export async function onRails<Value>(
  engine: Engine,
  scope: Scope,
  call: (partner: Partner) => Promise<Result<Value, GateRefusal>>,
): Promise<Result<Value, GateRefusal>> {
  const partner = await partnerOf(engine, scope);
  const unentitled = entitlementRefusal({ requires: RAILS_ENTITLEMENT }, partner);
  return unentitled === null ? call(partner) : err(unentitled);
}
