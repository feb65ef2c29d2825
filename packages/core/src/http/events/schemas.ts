import * as z from 'zod';
import { kycRequirement } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { quotaData } from '../../domain/quota/quota-resource.js';
import { kycPackageAcceptance } from '../../domain/session/session-state.js';
import type { EventData, EventType } from '../../domain/webhook/event-types.js';
import { eventResource, freezeEvent, webhookTest } from '../../domain/webhook/event.js';
import type { EventFilter } from '../../ports/rows.js';
import { announced, COMPLETED, FAILED, PROCESSING, T0, WAITING } from '../examples.js';
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
import { EXAMPLE_OPENED, GATE_SESSION, SESSION_MEMBERS } from '../sessions/schemas.js';
import { TRANSACTION } from '../transactions/schemas.js';

const { session } = EXAMPLE_OPENED;

const KYC_PACKAGE_ACCEPTANCE = wireType(
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
    example: kycPackageAcceptance(session, { provider: 'acme-kyc', acceptedAt: T0, digest: '' }),
  },
);

const KYC_REQUIREMENT = wireType(
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
    example: kycRequirement(session, WAITING.intent, 'basic', ['amount']),
  },
);

const PARTNER_QUOTA = wireType(
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
    example: quotaData({ partnerId: session.partnerId, mode: 'live' }, 'warning', { limit: 1000, used: 800 }, T0),
  },
);

const failedAttempt = {
  intent_id: objectId,
  failure: failure.extend({ occurred_at: time }),
  attempt: z.int().min(1),
} as const;

const WEBHOOK_TEST = wireType(
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
    example: webhookTest(session),
  },
);

const SESSION_PROCESSING = wireType('GateSessionProcessing', z.object({ ...SESSION_MEMBERS, intent_id: objectId }), {
  description: 'The session whose payment is being processed, and its intent.',
  example: announced(PROCESSING, 'gate_session.processing'),
});

const SESSION_COMPLETED = wireType('GateSessionCompleted', z.object({ ...SESSION_MEMBERS, tx_refid: refid }), {
  description: 'The completed session. `tx_refid` is the `refid` of its transaction.',
  example: announced(COMPLETED, 'gate_session.completed'),
});

const SESSION_FAILED = wireType('GateSessionFailed', z.object({ ...SESSION_MEMBERS, ...failedAttempt }), {
  description: 'The session with the failed attempt, and the reason. `attempt` counts from 1.',
  example: announced(FAILED, 'gate_session.failed'),
});

/** All events as the documents describe them: when each is sent, and its data. A new event is a line here and one in `EventData`. */
export const EVENTS: {
  readonly [Type in EventType]: { readonly when: string; readonly data: WireType<EventData[Type]> };
} = {
  'gate_session.created': { when: 'A session was created.', data: GATE_SESSION },
  'gate_session.kyc_package_accepted': { when: 'A kyc_package was accepted at create.', data: KYC_PACKAGE_ACCEPTANCE },
  'gate_session.processing': { when: 'The payment of an attempt is being processed.', data: SESSION_PROCESSING },
  'gate_session.completed': {
    when: 'A session was completed. Fulfil the order on this event only.',
    data: SESSION_COMPLETED,
  },
  'gate_session.failed': { when: 'An attempt failed; the session stays open.', data: SESSION_FAILED },
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
/** The types of all events. */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

const type = documented(z.string(), { description: `One of ${EVENT_TYPES.join(', ')}.` });

export const EVENT = wireType(
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
    example: eventResource(
      freezeEvent(
        {
          id: '0b8f8f5e-6d7a-4c39-9f0a-6b1d2f3c4e5a',
          ...scopeOf(session),
          sessionId: session.id,
          sequence: 1,
          type: 'gate_session.created',
          data: EXAMPLE_OPENED.resource,
        },
        T0,
      ),
    ),
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
