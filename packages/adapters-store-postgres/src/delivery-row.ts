import type { Mode } from '@gateramp/core';
import { newDelivery, type Delivery, type Instant } from '@gateramp/core/domain';

/** The immutable members of a delivery that have their own columns, except its session and target. */
interface DeliveryColumns {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly createdAt: Instant;
}

/** Members with the value of a new delivery are undefined, and therefore omitted from the JSON. */
type OwnMembers = { readonly [Name in Kept]: Delivery[Name] | undefined };

type Kept = Exclude<keyof Delivery, keyof DeliveryColumns>;

/**
 * The column `row`: the members that neither the other columns nor the defaults of a new delivery determine. Most deliveries are written,
 * claimed and recorded once, and their JSON was most of the transferred data. Members are listed by name: looking names up cost nearly
 * twice as much. A member that is added to a delivery must be listed here, or this does not compile.
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
    traceparent: delivery.traceparent,
    tracestate: delivery.tracestate,
    replayedIn: delivery.replayedIn,
  };
}

function other<Value>(value: Value, plain: Value): Value | undefined {
  return value === plain ? undefined : value;
}

/** Restores a delivery from its columns and the result of `rowOfDelivery`. */
export function deliveryOfRow(columns: DeliveryColumns, row: string): Delivery {
  // Written above from a Delivery.
  return { ...plainDelivery(columns), ...(JSON.parse(row) as Partial<Delivery>) };
}

/** The initial state of a webhook delivery. */
function plainDelivery({ id, eventId, eventType, partnerId, mode, createdAt }: DeliveryColumns): Delivery {
  const input = { id, eventId, eventType, sessionId: null, partnerId, mode, target: 'webhook' } as const;
  return newDelivery(input, createdAt);
}
