import * as z from 'zod';
import type { KycRequirement } from '../../domain/intent/intent.js';
import type { PartnerQuota } from '../../domain/quota/quota-resource.js';
import type { KycPackageAcceptance } from '../../domain/session/session-state.js';
import type { EventData, EventType } from '../../domain/webhook/event-types.js';
import type { GateEventEnvelope, WebhookTest } from '../../domain/webhook/event.js';
import type { EventFilter } from '../../ports/rows.js';
import { PAY_IN, PAY_OUT } from '../rails/schemas.js';
import { oneOf, text } from '../schema/fields.js';
import { instant, listQuery } from '../schema/lists.js';
import {
  documented,
  failure,
  mode,
  objectId,
  opaque,
  partnerId,
  refid,
  time,
  wireType,
  type WireType,
} from '../schema/members.js';
import { GATE_SESSION, sessionMembers } from '../sessions/schemas.js';
import { TRANSACTION } from '../transactions/schemas.js';

const KYC_PACKAGE_ACCEPTANCE = wireType<KycPackageAcceptance>()(
  'KycPackageAcceptance',
  z.object({
    object: z.literal('kyc_package_acceptance'),
    session_id: objectId,
    partner_id: partnerId,
    mode,
    provider: z.string(),
    accepted_at: time,
    user_reference: z.string().nullable(),
  }),
  {
    description: 'The provider that verified the buyer of a session, and when. Contains nothing of the package itself.',
    example: {
      object: 'kyc_package_acceptance',
      session_id: '68a1f0c2b7e94d1f3a5c7e90',
      partner_id: 'prt_acme',
      mode: 'test',
      provider: 'acme-kyc',
      accepted_at: '2030-01-01T12:00:00.000Z',
      user_reference: 'order-1001',
    },
  },
);

const KYC_REQUIREMENT = wireType<KycRequirement>()(
  'KycRequirement',
  z.object({
    object: z.literal('kyc_requirement'),
    session_id: objectId,
    partner_id: partnerId,
    mode,
    intent_id: objectId,
    level: z.string(),
    reasons: z.array(z.string()),
    user_reference: z.string().nullable(),
    expires_at: time,
  }),
  {
    description: 'The identity data that an attempt requires, and the deadline for it.',
    example: {
      object: 'kyc_requirement',
      session_id: '68a1f0c2b7e94d1f3a5c7e90',
      partner_id: 'prt_acme',
      mode: 'test',
      intent_id: '68a1f0d5c8fa5e204b6d8fa1',
      level: 'basic',
      reasons: ['amount'],
      user_reference: 'order-1001',
      expires_at: '2030-01-01T12:34:00.000Z',
    },
  },
);

const PARTNER_QUOTA = wireType<PartnerQuota>()(
  'PartnerQuota',
  z.object({
    object: z.literal('partner_quota'),
    partner_id: partnerId,
    mode,
    quota: z.literal('completed_sessions'),
    limit: z.int(),
    used: z.int(),
    remaining: z.int(),
    threshold_percent: z.int(),
    period_start: time,
    period_end: time,
  }),
  {
    description: 'The completed sessions of a partner in a month, against its limit.',
    example: {
      object: 'partner_quota',
      partner_id: 'prt_acme',
      mode: 'live',
      quota: 'completed_sessions',
      limit: 1000,
      used: 800,
      remaining: 200,
      threshold_percent: 80,
      period_start: '2030-01-01T00:00:00.000Z',
      period_end: '2030-02-01T00:00:00.000Z',
    },
  },
);

const failedAttempt = {
  intent_id: objectId,
  failure: failure.extend({ occurred_at: time }),
  attempt: z.int().min(1),
} as const;

const WEBHOOK_TEST = wireType<WebhookTest>()(
  'WebhookTest',
  z.object({
    object: z.literal('webhook_test'),
    livemode: z.literal(false),
    partner_id: partnerId,
    mode,
    message: z.string(),
  }),
  {
    description: 'The data of a test event. `livemode` is false in both modes.',
    example: {
      object: 'webhook_test',
      livemode: false,
      partner_id: 'prt_acme',
      mode: 'test',
      message: 'This is a test. If its signature verifies, your endpoint receives webhooks.',
    },
  },
);

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

const type = documented(z.string(), { description: `One of ${EVENT_TYPES.join(', ')}.` });

export const EVENT = wireType<GateEventEnvelope>()(
  'Event',
  z.object({
    id: z.uuid(),
    type,
    created_at: z.int(),
    sequence: z.int().nullable(),
    livemode: z.boolean(),
    data: opaque,
    object: z.literal('event'),
  }),
  {
    description: 'An event, as it is delivered. `created_at` is in Unix epoch seconds.',
    example: {
      id: '0b8f8f5e-6d7a-4c39-9f0a-6b1d2f3c4e5a',
      type: 'gate_session.created',
      created_at: 1_893_456_000,
      sequence: 1,
      livemode: false,
      data: EVENTS['gate_session.created'].data.example,
      object: 'event',
    },
  },
);

export const LIST_EVENTS_QUERY = listQuery(
  {
    type: oneOf(EVENT_TYPES).optional(),
    session_id: text(128).optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
  },
  (query): EventFilter => ({
    type: query.type ?? null,
    sessionId: query.session_id ?? null,
    createdAfter: query.created_after ?? null,
    createdBefore: query.created_before ?? null,
  }),
);
