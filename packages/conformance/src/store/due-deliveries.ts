import type { Scope } from '@gateramp/core';
import { HOUR, type Delivery, type DeliveryTarget, type Instant } from '@gateramp/core/domain';
import type { ClaimedDelivery, DeliveryClaim, Store } from '@gateramp/core/ports';
import { ACME, T0, aDelivery, aPartnerEvent, aUuid, nowIn } from '../builders.js';
import { LEASE_MS, eventOnly } from '../changes.js';
import { idsOf } from './queries.js';
import { commit } from './store-subject.js';

/** The time of claims in examples, when all waiting deliveries are due. */
export const LATER = T0 + HOUR;

/** By default a claim of everything that is due. */
export function request(traits: Partial<DeliveryClaim> = {}): DeliveryClaim {
  return {
    now: nowIn(LATER),
    lane: 'first',
    limit: 100,
    perEndpoint: 100,
    leaseMs: LEASE_MS,
    token: aUuid(),
    ...traits,
  };
}

export function claimedIds(claimed: readonly ClaimedDelivery[]): readonly string[] {
  return idsOf(claimed.map((each) => each.delivery));
}

/** `count` waiting deliveries of one endpoint, due one millisecond apart. */
export async function waiting(store: Store, count: number, traits: Waiting = {}): Promise<readonly Delivery[]> {
  const { scope = ACME, from = T0, target = 'webhook' } = traits;
  const rows: Delivery[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const event = aPartnerEvent(scope, from + nth);
    const row = aDelivery(event, from + nth, target);
    await commit(store, eventOnly(event, row));
    rows.push(row);
  }
  return rows;
}

interface Waiting {
  readonly scope?: Scope;
  readonly from?: Instant;
  readonly target?: DeliveryTarget;
}
