import type { Mode } from '@gateramp/core';
import { newDelivery, type Delivery, type Instant } from '@gateramp/core/domain';

/** What the columns of a delivery tell: all that never changes, but whose session it is of and whom it is for. */
export interface DeliveryColumns {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly createdAt: Instant;
}

/**
 * The column `row`: of what the other columns do not tell, what is not as in every new delivery. Most deliveries are written, claimed and recorded
 * once, and their JSON was most of what that moved.
 */
export function rowOfDelivery(delivery: Delivery): Partial<Delivery> {
  const plain = plainDelivery(delivery);
  const told: Record<string, unknown> = {};
  for (const name of KEPT) if (delivery[name] !== plain[name]) told[name] = delivery[name];
  return told;
}

/** The delivery that its columns and `rowOfDelivery` were made of. */
export function deliveryOfRow(columns: DeliveryColumns, row: string): Delivery {
  // Written above from a Delivery.
  return { ...plainDelivery(columns), ...(JSON.parse(row) as Partial<Delivery>) };
}

/** As a delivery of a webhook begins. */
function plainDelivery({ id, eventId, eventType, partnerId, mode, createdAt }: DeliveryColumns): Delivery {
  const input = { id, eventId, eventType, sessionId: null, partnerId, mode, target: 'webhook' } as const;
  return newDelivery(input, createdAt);
}

/** A member that is added to a delivery is kept, or this does not compile. */
const KEPT = Object.keys({
  sessionId: true,
  target: true,
  status: true,
  lane: true,
  attemptCount: true,
  attemptsTotal: true,
  replayCount: true,
  dueAt: true,
  leaseToken: true,
  leaseUntil: true,
  claims: true,
  parkedAt: true,
  trigger: true,
  url: true,
  lastResponseStatus: true,
  lastError: true,
  lastAttemptAt: true,
  deliveredAt: true,
  deadLetteredAt: true,
} satisfies Record<Exclude<keyof Delivery, keyof DeliveryColumns>, true>) as readonly (keyof Delivery)[];
