import type { failureMembers } from '../intent/intent-resource.js';
import type { KycRequirement } from '../intent/intent.js';
import type { PartnerQuota } from '../quota/quota-resource.js';
import type { GatePayIn, GatePayOut } from '../rails/rail-resource.js';
import type { KycPackageAcceptance } from '../session/session-state.js';
import type { GateSession } from '../session/session-resource.js';
import type { GateTransaction } from '../transaction/transaction-resource.js';
import type { WebhookTest } from './event.js';

/** All event types and the shape of their `data` (spec: Webhook events). Types not listed cannot be announced or consumed. */
export type EventData = {
  readonly 'gate_session.created': GateSession;
  readonly 'gate_session.kyc_package_accepted': KycPackageAcceptance;
  readonly 'gate_session.processing': GateSession & { readonly intent_id: string };
  readonly 'gate_session.completed': GateSession & { readonly tx_refid: string };
  readonly 'gate_session.failed': GateSession & FailedAttempt;
  readonly 'gate_session.cancelled': GateSession;
  readonly 'gate_session.expired': GateSession;
  readonly 'kyc.required': KycRequirement;
  readonly 'transaction.updated': GateTransaction;
  readonly 'pay_in.updated': GatePayIn;
  readonly 'pay_out.updated': GatePayOut;
  readonly 'partner.quota.warning': PartnerQuota;
  readonly 'partner.quota.exhausted': PartnerQuota;
  readonly 'webhook.test': WebhookTest;
};

/** An event type. */
export type EventType = keyof EventData;

/** Event types whose data is the session, plus members that the type adds. */
export type SessionEventType = {
  [Type in EventType]: EventData[Type] extends GateSession ? Type : never;
}[EventType];

/** The members that an event type adds to the session. */
export type AddedToSession<Type extends SessionEventType> = Omit<EventData[Type], keyof GateSession>;

/** What `gate_session.failed` adds to the session. */
export type FailedAttempt = {
  readonly intent_id: string;
  readonly failure: NonNullable<ReturnType<typeof failureMembers>> & { readonly occurred_at: string };
  readonly attempt: number;
};
