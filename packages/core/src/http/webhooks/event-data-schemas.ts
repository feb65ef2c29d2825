import * as z from 'zod';
import type { KycRequirement } from '../../domain/intent/kyc-requirement.js';
import type { PartnerQuota } from '../../domain/quota/quota-resource.js';
import type { KycPackageAcceptance } from '../../domain/session/kyc-package-acceptance.js';
import type { WebhookTest } from '../../domain/webhook/webhook-test.js';
import { failure, mode, objectId, partnerId, time } from '../schema/members.js';
import { wireType } from '../schema/wire-type.js';

export const KYC_PACKAGE_ACCEPTANCE = wireType<KycPackageAcceptance>()(
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

export const KYC_REQUIREMENT = wireType<KycRequirement>()(
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

export const PARTNER_QUOTA = wireType<PartnerQuota>()(
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

export const failedAttempt = {
  intent_id: objectId,
  failure: failure.extend({ occurred_at: time }),
  attempt: z.int().min(1),
} as const;

export const WEBHOOK_TEST = wireType<WebhookTest>()(
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
