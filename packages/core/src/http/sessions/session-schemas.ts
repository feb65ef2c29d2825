import * as z from 'zod';
import { SESSION_STATUSES } from '../../domain/session/session.js';
import type { CreatedGateSession, GateSession } from '../../domain/session/session-resource.js';
import { FLOWS } from '../../domain/session/terms.js';
import type { SessionFilter } from '../../ports/rows.js';
import { documented } from '../schema/documented.js';
import { oneOf, optional, pattern, text } from '../schema/fields.js';
import { instant, listQuery } from '../schema/list-query.js';
import { decimal, flow, mode, objectId, opaque, partnerId, time } from '../schema/members.js';
import { metadataField } from '../schema/metadata.js';
import { amount, currency, network, token } from '../schema/money-fields.js';
import { wireType } from '../schema/wire-type.js';

const members = {
  id: objectId,
  object: z.literal('gate_session'),
  partner_id: partnerId,
  mode,
  flow: flow.nullable(),
  amount: decimal,
  currency: z.string(),
  target_token: z.string().nullable(),
  target_network: z.string().nullable(),
  return_url: z.string(),
  cancel_url: z.string().nullable(),
  wallet_address: z.string().nullable(),
  user_reference: z.string().nullable(),
  kyc_pre_verified: z.boolean(),
  status: z.enum(SESSION_STATUSES),
  expires_at: time,
  created_at: time,
  metadata: opaque,
} as const;

const session: GateSession = {
  id: '68a1f0c2b7e94d1f3a5c7e90',
  object: 'gate_session',
  partner_id: 'prt_acme',
  mode: 'test',
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  target_token: 'USDC',
  target_network: 'base',
  return_url: 'https://shop.example/done',
  cancel_url: null,
  wallet_address: null,
  user_reference: 'order-1001',
  kyc_pre_verified: false,
  status: 'open',
  expires_at: '2030-01-02T12:00:00.000Z',
  created_at: '2030-01-01T12:00:00.000Z',
  metadata: { order: 1001 },
};

/** Event data that begins with the whole session. */
export const sessionMembers = { shape: members, example: session } as const;

export const GATE_SESSION = wireType<GateSession>()('GateSession', z.object(members), {
  description:
    'One checkout of one buyer, on terms fixed at creation. Amounts are decimal strings, times ISO 8601 in UTC.',
  example: session,
});

export const CREATED_GATE_SESSION = wireType<CreatedGateSession>()(
  'CreatedGateSession',
  z.object({
    ...members,
    client_secret: documented(z.string().regex(/^gsec_[0-9a-f]{24}_[0-9A-Za-z]{32}$/), {
      description: 'Shown once. Only its prefix and a hash of it are kept.',
    }),
  }),
  {
    description: 'The created session, with its client secret. No other response contains the secret.',
    example: { ...session, client_secret: `gsec_${session.id}_n7Wq2LxVb0Rf5TzKcY8uMhE3aJdG6sP1` },
  },
);

/** The create body (spec: Create-session request body). */
export const createSessionFields = z.strictObject({
  amount,
  currency,
  return_url: text(2048),
  cancel_url: optional(text(2048)),
  target_token: optional(token),
  target_network: optional(network),
  flow: optional(oneOf(FLOWS)),
  wallet_address: optional(text(128, 1)),
  user_reference: optional(text(128)),
  kyc_package: optional(z.looseObject({ provider: text(128, 1) }, { error: 'must be an object' })),
  metadata: metadataField,
});

export const LIST_SESSIONS_QUERY = listQuery(
  {
    status: oneOf(SESSION_STATUSES).optional(),
    flow: oneOf(FLOWS).optional(),
    currency: pattern(/^[A-Za-z]{3}$/, 'must be three letters').optional(),
    user_reference: text(128).optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
  },
  (query): SessionFilter => ({
    status: query.status ?? null,
    flow: query.flow ?? null,
    currency: query.currency?.toUpperCase() ?? null,
    userReference: query.user_reference ?? null,
    createdAfter: query.created_after ?? null,
    createdBefore: query.created_before ?? null,
  }),
);
