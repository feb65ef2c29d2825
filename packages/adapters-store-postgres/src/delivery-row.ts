import type { Mode } from '@gateramp/core';
import { newDelivery, type Delivery, type Instant } from '@gateramp/core/domain';

/** What the columns of a delivery say: all that never changes, but whose session it is of and whom it is for. */
interface DeliveryColumns {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly createdAt: Instant;
}

/** Members that are as in a new delivery are undefined, and so in no JSON. */
type OwnMembers = { readonly [Name in Kept]: Delivery[Name] | undefined };

type Kept = Exclude<keyof Delivery, keyof DeliveryColumns>;

/**
 * The column `row`: of what the other columns do not say, what is not as in every new delivery. Most deliveries are
 * written, claimed and recorded once, and their JSON was most of what that moved. Member by member, each under its
 * name: by names that are looked up it cost nearly twice as much. A member that is added to a delivery is written, or this
 * does not compile.
 */
export function rowOfDelivery(delivery: Delivery): OwnMembers {
  const plain = plainDelivery(delivery);
  return {
    sessionId: other(delivery.sessionId, plain.sessionId),
    target: other(delivery.target, plain.target),
    status: other(delivery.status, plain.status),
    lane: other(delivery.lane, plain.lane),
    attemptCount: other(delivery.attemptCount, plain.attemptCount),
    attemptsTotal: other(delivery.attemptsTotal, plain.attemptsTotal),
    replayCount: other(delivery.replayCount, plain.replayCount),
    dueAt: other(delivery.dueAt, plain.dueAt),
    leaseToken: other(delivery.leaseToken, plain.leaseToken),
    leaseUntil: other(delivery.leaseUntil, plain.leaseUntil),
    claims: other(delivery.claims, plain.claims),
    parkedAt: other(delivery.parkedAt, plain.parkedAt),
    trigger: other(delivery.trigger, plain.trigger),
    url: other(delivery.url, plain.url),
    lastResponseStatus: other(delivery.lastResponseStatus, plain.lastResponseStatus),
    lastError: other(delivery.lastError, plain.lastError),
    lastAttemptAt: other(delivery.lastAttemptAt, plain.lastAttemptAt),
    deliveredAt: other(delivery.deliveredAt, plain.deliveredAt),
    deadLetteredAt: other(delivery.deadLetteredAt, plain.deadLetteredAt),
  };
}

function other<Value>(value: Value, plain: Value): Value | undefined {
  return value === plain ? undefined : value;
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
