import { BODY_DEPTH_MAX } from '../pipeline/read-body.js';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { CreatedSession, CreateSession, KycPackage } from '../../application/sessions/create-session.js';
import { type JsonDocument, type JsonText, readJson, withMembers } from '../../domain/json.js';
import { type Mode, scopeOf } from '../../domain/mode.js';
import { urlProblem } from '../../domain/origin/origin.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import type { FieldError } from '../../domain/refusal.js';
import { type OpenedSession, openSession } from '../../domain/session/open-session.js';
import type { CreatedGateSession } from '../../domain/session/session-resource.js';
import { SESSION_STATUSES } from '../../domain/session/session.js';
import { FLOWS } from '../../domain/session/terms.js';
import { type TimelineEntry, timelineEntryResource, timelineOf, TIMELINE_KINDS } from '../../domain/timeline.js';
import { freezeEvent } from '../../domain/webhook/event.js';
import type { SessionFilter } from '../../ports/rows.js';
import {
  amount,
  currency,
  network,
  oneOf,
  optional,
  parseUrl,
  pattern,
  type Read,
  readFields,
  text,
  token,
} from '../schema/fields.js';
import { instant, listQuery } from '../schema/lists.js';
import { decimal, documented, flow, mode, objectId, opaque, partnerId, time, wireType } from '../schema/members.js';
import { type BodyInput, bodyReadBy, camelCased, metadataField, readMetadata } from '../schema/request.js';

const CREATE_EXAMPLE = {
  amount: '100.00',
  currency: 'EUR',
  return_url: 'https://shop.example/done',
  flow: 'on_ramp',
  target_token: 'USDC',
  target_network: 'base',
  user_reference: 'order-1001',
  metadata: { order: 1001 },
} as const;

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

/** The create body (spec: Create-session request body). */
const createSessionFields = z.strictObject({
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

/** The session created by the example body. */
export const EXAMPLE_OPENED = openExample();

/** Members for event data that starts with the complete session. */
export const SESSION_MEMBERS = members;

export const GATE_SESSION = wireType('GateSession', z.object(members), {
  description:
    'One checkout of one buyer, on terms fixed at creation. Amounts are decimal strings, times ISO 8601 in UTC.',
  example: EXAMPLE_OPENED.resource,
});

export const CREATED_GATE_SESSION = wireType(
  'CreatedGateSession',
  z.object({
    ...members,
    client_secret: documented(z.string().regex(/^gsec_[0-9a-f]{24}_[0-9A-Za-z]{32}$/), {
      description: 'Shown once. Only its prefix and hash are stored.',
    }),
  }),
  {
    description: 'The created session, with its client secret. No other response contains the secret.',
    example: createdSession({
      resource: EXAMPLE_OPENED.resource,
      clientSecret: `gsec_${EXAMPLE_OPENED.session.id}_n7Wq2LxVb0Rf5TzKcY8uMhE3aJdG6sP1`,
    }),
  },
);

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

/** The fields of a create body. */
export type CreateGateSession = z.input<typeof createSessionFields>;

export const CREATE_SESSION_BODY = bodyReadBy('CreateGateSession', createSessionFields, {
  description:
    'The terms of the session, fixed at creation. `amount` is a decimal string with at most 8 decimal places.',
  example: CREATE_EXAMPLE,
  read: readCreateSession,
});

/** Parses the create body; lists all invalid fields. */
function readCreateSession(input: BodyInput): Read<CreateSession> {
  const { document, mode } = input;
  const fields = readFields(createSessionFields, document.value);
  const metadata = readMetadata(input);
  const returnUrl = readUrl(document.value, 'return_url', mode);
  const cancelUrl = readUrl(document.value, 'cancel_url', mode);
  const errors = [...[returnUrl?.error, cancelUrl?.error].filter(isPresent), ...metadata.errors];
  if (fields.isErr()) return err([...fields.error, ...errors]);
  if (errors.length > 0) return err(errors);
  const { kyc_package: kyc, metadata: _, ...body } = fields.value;
  const { flow, amount, currency, targetToken, targetNetwork, walletAddress, ...kept } = camelCased(body);
  const terms = {
    flow: flow ?? null,
    amount,
    currency: currency.toUpperCase(),
    targetToken: targetToken ?? null,
    targetNetwork: targetNetwork ?? null,
    walletAddress: walletAddress ?? null,
  };
  return ok({
    given: { terms, metadata: metadata.text, ...kept },
    origins: [returnUrl, cancelUrl].filter(isPresent),
    kycPackage: isPresent(kyc) ? kycPackageOf(kyc.provider, document) : null,
  });
}

/** The GateSession plus its `client_secret` (spec: Create response). */
export function createdSession({
  resource,
  clientSecret,
}: Pick<CreatedSession, 'resource' | 'clientSecret'>): JsonText<CreatedGateSession> {
  return withMembers(resource, { client_secret: clientSecret });
}

function openExample(): OpenedSession {
  const created = readJson(JSON.stringify(CREATE_EXAMPLE), BODY_DEPTH_MAX)
    .mapErr((): readonly FieldError[] => [])
    .andThen((document) => readCreateSession({ document, mode: 'test' }))
    .map(({ given }) => {
      const scope = { partnerId: 'prt_acme', mode: 'test' } as const;
      const input = { given, id: '68a1f0c2b7e94d1f3a5c7e90', scope, kyc: null, secretPrefix: '', secretHash: '' };
      return openSession(input, Date.UTC(2030, 0, 1, 12), DEFAULT_POLICY);
    });
  if (created.isErr()) throw new Error(`The example create body is not valid: ${JSON.stringify(created.error)}`);
  return created.value;
}

function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

interface ReadUrl {
  readonly field: string;
  /** Empty if there is an error. */
  readonly origin: string;
  readonly error: FieldError | null;
}

/** Null if there is nothing to check: absent, or not text and therefore refused by the schema. */
function readUrl(body: unknown, field: string, mode: Mode): ReadUrl | null {
  // The pipeline has checked that the document is an object.
  const value = (body as Readonly<Record<string, unknown>>)[field];
  if (typeof value !== 'string') return null;
  const url = parseUrl(value);
  const problem = urlProblem(url, mode);
  if (problem !== null)
    return { field, origin: '', error: { field, code: 'invalid_url', message: `${field} ${problem}` } };
  return { field, origin: url?.origin ?? '', error: null };
}

function kycPackageOf(provider: string, document: JsonDocument): KycPackage {
  const body = document.members.get('kyc_package');
  if (body === undefined) throw new Error('A body that was read has lost a member.');
  const canonical = readJson(body, BODY_DEPTH_MAX);
  return { provider, body, canonical: canonical.isOk() ? canonical.value.canonical : body };
}

export const TIMELINE_ENTRY = wireType(
  'TimelineEntry',
  z.object({
    object: z.literal('timeline_entry'),
    at: time,
    kind: z.enum(TIMELINE_KINDS),
    request_id: z.string().nullable(),
    summary: z.string(),
    data: opaque,
  }),
  {
    description: 'A change of a session, or a refused request about it.',
    example: timelineEntryResource(exampleEntry()),
  },
);

function exampleEntry(): TimelineEntry {
  const { announcements, session } = EXAMPLE_OPENED;
  const ids = { id: '0b8f8f5e-6d7a-4c39-9f0a-6b1d2f3c4e5a', ...scopeOf(session), sessionId: session.id };
  const events = announcements.map((one) => freezeEvent({ ...ids, ...one }, session.createdAt));
  const [opened] = timelineOf({ events, intents: [], deliveries: [], refusals: [] });
  if (opened === undefined) throw new Error('The example session has no timeline.');
  return opened;
}
