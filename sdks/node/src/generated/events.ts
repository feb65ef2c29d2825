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

/** What the `data` of each type of event is. */
export interface EventData {
  /** A session was created. */
  readonly 'gate_session.created': GateSession;
  /** A kyc_package was accepted at create. */
  readonly 'gate_session.kyc_package_accepted': KycPackageAcceptance;
  /** Money of an attempt began to move. */
  readonly 'gate_session.processing': GateSessionProcessing;
  /** An attempt settled: grant value on this event alone. */
  readonly 'gate_session.completed': GateSessionCompleted;
  /** An attempt failed; the session stays open. */
  readonly 'gate_session.failed': GateSessionFailed;
  /** A session was cancelled. */
  readonly 'gate_session.cancelled': GateSession;
  /** A session expired. */
  readonly 'gate_session.expired': GateSession;
  /** An attempt waits for the identity of its buyer. */
  readonly 'kyc.required': KycRequirement;
  /** A transaction changed after the end of its session or payment had been told. */
  readonly 'transaction.updated': Transaction;
  /** The status of a pay-in changed. */
  readonly 'pay_in.updated': PayIn;
  /** The status of a pay-out changed. */
  readonly 'pay_out.updated': PayOut;
  /** 80 % of the month’s completed sessions are used. */
  readonly 'partner.quota.warning': PartnerQuota;
  /** A partner asked for it, to try its endpoint. */
  readonly 'webhook.test': WebhookTest;
  /** The month’s completed sessions are used up. */
  readonly 'partner.quota.exhausted': PartnerQuota;
}
