import * as z from 'zod';
import type { EventData, EventType } from '../../domain/webhook/event-types.js';
import { objectId, refid } from '../schema/members.js';
import { wireType, type WireType } from '../schema/wire-type.js';
import { PAY_IN, PAY_OUT } from '../rails/rail-schemas.js';
import { GATE_SESSION, sessionMembers } from '../sessions/session-schemas.js';
import { TRANSACTION } from '../transactions/transaction-schemas.js';
import {
  failedAttempt,
  KYC_PACKAGE_ACCEPTANCE,
  KYC_REQUIREMENT,
  PARTNER_QUOTA,
  WEBHOOK_TEST,
} from './event-data-schemas.js';

const intentId = '68a1f0d5c8fa5e204b6d8fa1';

const PROCESSING = wireType<EventData['gate_session.processing']>()(
  'GateSessionProcessing',
  z.object({ ...sessionMembers.shape, intent_id: objectId }),
  {
    description: 'The session whose payment is being processed, and its intent.',
    example: { ...sessionMembers.example, intent_id: intentId },
  },
);

const COMPLETED = wireType<EventData['gate_session.completed']>()(
  'GateSessionCompleted',
  z.object({ ...sessionMembers.shape, tx_refid: refid }),
  {
    description: 'The completed session. `tx_refid` is the `refid` of its transaction.',
    example: { ...sessionMembers.example, status: 'completed', tx_refid: 'gtx_4fQ9bTzW1kLmX7cVn2Rs' },
  },
);

const FAILED = wireType<EventData['gate_session.failed']>()(
  'GateSessionFailed',
  z.object({ ...sessionMembers.shape, ...failedAttempt }),
  {
    description: 'The session with the failed attempt, and the reason. `attempt` counts from 1.',
    example: {
      ...sessionMembers.example,
      intent_id: intentId,
      failure: {
        code: 'payment_declined',
        stage: 'payment',
        message: 'The card was declined.',
        retryable: true,
        occurred_at: '2030-01-01T12:04:10.000Z',
      },
      attempt: 1,
    },
  },
);

/** Every event as the documents describe it: when it is sent, and what its data is. A new one is a line here and one in `EventData`. */
export const EVENTS: {
  readonly [Type in EventType]: { readonly when: string; readonly data: WireType<EventData[Type]> };
} = {
  'gate_session.created': { when: 'A session was created.', data: GATE_SESSION },
  'gate_session.kyc_package_accepted': { when: 'A kyc_package was accepted at create.', data: KYC_PACKAGE_ACCEPTANCE },
  'gate_session.processing': { when: 'The payment of an attempt is being processed.', data: PROCESSING },
  'gate_session.completed': { when: 'A session was completed. Fulfil the order on this event only.', data: COMPLETED },
  'gate_session.failed': { when: 'An attempt failed; the session stays open.', data: FAILED },
  'gate_session.cancelled': { when: 'A session was cancelled.', data: GATE_SESSION },
  'gate_session.expired': { when: 'A session expired.', data: GATE_SESSION },
  'kyc.required': { when: 'An attempt requires identity verification of the buyer.', data: KYC_REQUIREMENT },
  'transaction.updated': {
    when: 'A transaction changed after its session or payment had ended.',
    data: TRANSACTION,
  },
  'pay_in.updated': { when: 'The status of a pay-in changed.', data: PAY_IN },
  'pay_out.updated': { when: 'The status of a pay-out changed.', data: PAY_OUT },
  'partner.quota.warning': { when: '80 % of the monthly quota of completed sessions is used.', data: PARTNER_QUOTA },
  'webhook.test': { when: 'A test event that the partner requested for its endpoint.', data: WEBHOOK_TEST },
  'partner.quota.exhausted': { when: 'The monthly quota of completed sessions is used up.', data: PARTNER_QUOTA },
};

// The table has exactly the keys of its type.
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];
