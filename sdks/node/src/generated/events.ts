// Written by scripts/generate-types.mjs out of spec/.

import type { Transaction, PayIn, PayOut } from './money.js';
import type {
  GateSession,
  KycPackageAcceptance,
  GateSessionProcessing,
  GateSessionCompleted,
  GateSessionFailed,
  KycRequirement,
  PartnerQuota,
  WebhookTest,
} from './resources.js';

/** The `data` of each type of event. */
export interface EventData {
  /** A session was created. */
  readonly 'gate_session.created': GateSession;
  /** A kyc_package was accepted at create. */
  readonly 'gate_session.kyc_package_accepted': KycPackageAcceptance;
  /** The payment of an attempt is being processed. */
  readonly 'gate_session.processing': GateSessionProcessing;
  /** A session was completed. Fulfil the order on this event only. */
  readonly 'gate_session.completed': GateSessionCompleted;
  /** An attempt failed; the session stays open. */
  readonly 'gate_session.failed': GateSessionFailed;
  /** A session was cancelled. */
  readonly 'gate_session.cancelled': GateSession;
  /** A session expired. */
  readonly 'gate_session.expired': GateSession;
  /** An attempt requires identity verification of the buyer. */
  readonly 'kyc.required': KycRequirement;
  /** A transaction changed after its session or payment had ended. */
  readonly 'transaction.updated': Transaction;
  /** The status of a pay-in changed. */
  readonly 'pay_in.updated': PayIn;
  /** The status of a pay-out changed. */
  readonly 'pay_out.updated': PayOut;
  /** 80 % of the monthly quota of completed sessions is used. */
  readonly 'partner.quota.warning': PartnerQuota;
  /** A test event that the partner requested for its endpoint. */
  readonly 'webhook.test': WebhookTest;
  /** The monthly quota of completed sessions is used up. */
  readonly 'partner.quota.exhausted': PartnerQuota;
}
