import { z } from 'zod';
import { ACTOR_TYPES } from '../../domain/audit.js';
import { PAYMENT_METHODS } from '../../domain/intent/intent.js';
import { isRecord } from '../../domain/json.js';
import { KEY_SCOPES, parseKey } from '../../domain/keys/api-key.js';
import { networkProblem } from '../../domain/limits/client-network.js';
import { MODES } from '../../domain/mode.js';
import { brokenLimitRule, RESTRICTION_LISTS } from '../../domain/partner/restrictions.js';
import { FLOWS } from '../../domain/session/terms.js';
import { hasUnprintable, isBlank } from '../../domain/text/printable.js';
import { EVENT_TYPES } from '../../http/events/schemas.js';
import { originProblem, webhookUrlProblem } from './argument-error.js';
import { exactly, is, problemsBy, sound, whole } from './sentences.js';

const MAX = Number.MAX_SAFE_INTEGER;

const ID = is(
  (id) => typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id),
  'must be 1 to 64 letters, digits, "_" or "-"',
);
const MODE = z.enum(MODES, 'must be "test" or "live"');
const FLAG = z.boolean('must be true or false');
const INSTANT = whole(1, MAX, 'must be an instant in milliseconds');

/** Short and printable, since operators read it. */
function auditText(lengthMax: number): z.ZodType {
  return is(
    (text) => typeof text === 'string' && !isBlank(text) && text.length <= lengthMax && !hasUnprintable(text),
    `must be 1 to ${lengthMax} printable characters`,
  );
}

const AUDIT_ID = auditText(200);
const AUDIT_SUBJECT = auditText(1_000);

const LIMIT = exactly(
  Object.fromEntries(
    ['flow', 'paymentMethod', 'currency', 'minAmount', 'maxAmount'].map((name) => [name, z.unknown().optional()]),
  ),
  'must be an object',
).check(({ value, issues }) => {
  const rule = brokenLimitRule(value);
  if (rule !== null) issues.push({ code: 'custom', message: LIMIT_RULES[rule], input: value });
});

const LIMIT_RULES: Readonly<Record<NonNullable<ReturnType<typeof brokenLimitRule>>, string>> = {
  flow: `must have a flow of ${FLOWS.join(', ')}, or none`,
  payment_method: `must have a paymentMethod of ${PAYMENT_METHODS.join(', ')}, or none`,
  currency: 'must have a currency of three upper-case letters',
  amount: 'must have minAmount and maxAmount as decimal text, or one of them',
  unbounded: 'must have minAmount, maxAmount or both',
  crossed: 'must not have a minAmount above its maxAmount',
};

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}

const LIMITS_MUST = 'must be a non-empty array of limits, or absent';

const RESTRICTIONS = exactly(
  {
    ...Object.fromEntries(
      Object.entries(RESTRICTION_LISTS).map(([name, { of, has }]) => [
        name,
        is((list) => isFilled(list) && list.every(has), `must be a non-empty array of ${of}, or absent`).optional(),
      ]),
    ),
    limits: z.array(LIMIT, LIMITS_MUST).min(1, LIMITS_MUST).optional(),
  },
  'must be an object, or null',
);

const ENTITLEMENTS = ['swap', 'rails', 'pools'] as const;

/** The allowed range of a rate-limit factor. */
export const FACTOR = 'a number above 0 and up to 1000000';

export function isFactor(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 1_000_000;
}

function nameProblem(value: unknown): string | null {
  if (typeof value !== 'string' || value.length === 0 || value.length > 200)
    return 'must be a string of 1 to 200 characters';
  if (hasUnprintable(value)) return 'must not contain control or format characters';
  return isBlank(value) ? 'must contain something visible' : null;
}

export const partnerProblems = problemsBy(
  exactly(
    {
      id: ID,
      name: sound(nameProblem),
      allowedOrigins: z.array(sound(originProblem), 'must be an array of origins'),
      kycTrusted: FLAG,
      liveEnabled: FLAG,
      entitlements: z.array(
        z.enum(ENTITLEMENTS, `must be one of ${ENTITLEMENTS.join(', ')}`),
        `must be an array of ${ENTITLEMENTS.join(', ')}`,
      ),
      completedSessionsQuota: whole(
        0,
        MAX,
        'must be a whole number of sessions a month, or null for no limit',
      ).nullable(),
      rateLimitFactor: is(isFactor, `must be ${FACTOR}, or null for none`).nullish(),
      savedPaymentMethods: FLAG.optional(),
      restrictions: RESTRICTIONS.nullish(),
      suspendedAt: whole(-MAX, MAX, 'must be an instant, or null').nullish(),
    },
    'The partner must be an object',
  ),
);

/** Why a value is not the id of a partner. */
export const partnerIdProblems = problemsBy(ID, 'partnerId');

/** Why a value is not the scope of a partner of the store. */
export const scopeProblems = problemsBy(
  z.object({ partnerId: ID, mode: MODE }, 'The scope must be { partnerId, mode }'),
);

/** A host with its own partners may use any non-empty ids. */
export const callerProblems = problemsBy(
  z.object(
    { partnerId: z.string('must be a string').min(1, 'must be a string'), mode: MODE },
    'The caller must be { partnerId, mode }',
  ),
);

function isKey(text: unknown): text is string {
  return typeof text === 'string' && parseKey(text) !== null;
}

const KEY_MUST =
  'A key looks like sk_test_…, pk_test_…, sk_live_… or pk_live_…, with 8 to 200 letters, digits or underscores after that';

/** Keys are never quoted, not even invalid ones. */
export const keyTextProblems = problemsBy(is(isKey, KEY_MUST));

export const KEY_HASH = /^[0-9a-f]{64}$/;

/** A key as text, or its hash. */
export const storedKeyProblems = problemsBy(
  is((given) => isKey(given) || (typeof given === 'string' && KEY_HASH.test(given)), KEY_MUST),
);

export const instantProblems = (name: string, at: unknown): readonly string[] =>
  problemsBy(whole(0, MAX, 'must be a time in epoch milliseconds'), name)(at);

const SCOPES = ['*', ...KEY_SCOPES] as const;
const SCOPES_MUST = 'must be a list of at least one scope';

/** Networks in one allow-list. */
const NETWORKS_MAX = 100;
const NETWORKS_MUST = `must be a list of 1 to ${NETWORKS_MAX} addresses or networks`;

const KEY_LIMITS = {
  expiresAt: INSTANT.optional(),
  scopes: z
    .array(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`), SCOPES_MUST)
    .min(1, SCOPES_MUST)
    .optional(),
  allowedIps: z
    .array(
      sound((one) => (typeof one === 'string' ? networkProblem(one) : 'must be text')),
      NETWORKS_MUST,
    )
    .min(1, NETWORKS_MUST)
    .max(NETWORKS_MAX, NETWORKS_MUST)
    .optional(),
};

const newKey = problemsBy(
  exactly(
    { mode: MODE, type: z.enum(['secret', 'publishable'], 'must be "secret" or "publishable"'), ...KEY_LIMITS },
    'The new key must be { mode, type }',
  ),
);

const keyLimits = problemsBy(
  exactly(KEY_LIMITS, 'The limits of a key must be { expiresAt, scopes, allowedIps }').optional(),
);

export function newKeyProblems(wanted: unknown): readonly string[] {
  return [...newKey(wanted), ...unlimitedProblems(wanted, isRecord(wanted) ? wanted['type'] : null)];
}

export function keyLimitProblems(limits: unknown, type: unknown): readonly string[] {
  return [...keyLimits(limits), ...unlimitedProblems(limits, type)];
}

function unlimitedProblems(limits: unknown, type: unknown): readonly string[] {
  const isLimited = isRecord(limits) && (limits['scopes'] !== undefined || limits['allowedIps'] !== undefined);
  return isLimited && type === 'publishable' ? ['Only secret keys can have scopes or allowedIps.'] : [];
}

/** A receiver can test guesses at a secret offline against any delivery, so short secrets are refused. */
const WEBHOOK_SECRET = is(
  (secret) => typeof secret === 'string' && /^whsec_[\x21-\x7e]{16,200}$/.test(secret),
  'A webhook secret is "whsec_" and 16 to 200 random visible characters, for example "whsec_" and the output of "openssl rand -hex 24"',
);

export const webhookSecretProblems = problemsBy(WEBHOOK_SECRET);

export const endpointProblems = problemsBy(
  z.object(
    { url: sound(webhookUrlProblem).nullable(), secret: WEBHOOK_SECRET.nullable() },
    'The endpoint must be { url, secret }',
  ),
);

/** The maximum pace of a bulk replay: deliveries in one commit. */
const REPLAYS_PER_SECOND_MAX = 500;

const TYPES_MUST = `eventTypes must be a list of event types, or absent; the types are ${EVENT_TYPES.join(', ')}.`;
const REPLAY_TIME = whole(0, MAX, 'must be an instant in milliseconds').optional();

export const replayOrderProblems = problemsBy(
  exactly(
    {
      eventTypes: z.array(z.enum(EVENT_TYPES, TYPES_MUST), TYPES_MUST).min(1, TYPES_MUST).optional(),
      createdAfter: REPLAY_TIME,
      createdBefore: REPLAY_TIME,
      deadBefore: REPLAY_TIME,
      perSecond: whole(
        1,
        REPLAYS_PER_SECOND_MAX,
        `must be a whole number from 1 to ${REPLAYS_PER_SECOND_MAX}`,
      ).optional(),
      isDryRun: FLAG.optional(),
      onProgress: is((call) => typeof call === 'function', 'must be a function').optional(),
    },
    'The order must be an object',
  ),
);

const CONSUMER_NAME = is(
  (name) => typeof name === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name),
  'A consumer name must be 1 to 64 lower-case letters, digits and hyphens',
);

export const consumerNameProblems = problemsBy(CONSUMER_NAME);

export const consumerProblems = problemsBy(
  z.object({
    type: sound((type) => {
      if (EVENT_TYPES.some((known) => known === type)) return null;
      const given = typeof type === 'string' ? JSON.stringify(type.slice(0, 60)) : 'This';
      return `${given} is not an event type; the types are ${EVENT_TYPES.join(', ')}.`;
    }),
    name: CONSUMER_NAME,
    consumer: is((consumer) => typeof consumer === 'function', 'A consumer must be a function of the event'),
  }),
);

const ACTOR = z.object(
  {
    type: z.enum(ACTOR_TYPES, `must be one of ${ACTOR_TYPES.join(', ')}`),
    id: AUDIT_ID,
    accessId: AUDIT_SUBJECT.optional(),
    subject: AUDIT_SUBJECT.optional(),
    get vouchedBy(): z.ZodType {
      return ACTOR.optional();
    },
  },
  'The actor must be { type, id }',
);

const actor = problemsBy(ACTOR, 'actor');
const why = problemsBy(
  z.object(
    { reason: auditText(500).optional(), requestId: AUDIT_ID.optional() },
    'The second argument must be { reason, requestId }',
  ),
);

/** Problems of an actor and of the reason and request that are recorded with it. */
export function actorProblems(by: unknown, reasons: unknown): readonly string[] {
  return [...actor(by), ...why(reasons)];
}

/** Why a value is not the id of a request. */
export const requestIdProblems = problemsBy(AUDIT_ID.optional(), 'requestId');

const FILTER = z.string('must be a text').min(1, 'must be a text').optional();
const FROM_ONE = whole(1, MAX, 'must be a whole number of at least 1');

export const auditPageProblems = problemsBy(
  z.object(
    {
      partnerId: ID.optional(),
      mode: MODE.optional(),
      requestId: AUDIT_ID.optional(),
      action: FILTER,
      actor: FILTER,
      from: whole(0, MAX, 'must be a time in epoch milliseconds').optional(),
      to: whole(0, MAX, 'must be a time in epoch milliseconds').optional(),
      before: FROM_ONE.optional(),
      limit: FROM_ONE.optional(),
    },
    'The page must be an object with filters, before and limit',
  ),
);

export const auditHeadProblems = problemsBy(
  z
    .object({ sequence: FROM_ONE, digest: z.string('must be a text') }, 'The end of a trail is { sequence, digest }')
    .nullable(),
);

const ROW = is((row) => row === null || isRecord(row), 'must be an object, or null');

export const auditedProblems = problemsBy(
  z.object(
    {
      action: is(
        (action) => typeof action === 'string' && /^[a-z_]{1,40}\.[a-z_]{1,40}$/.test(action),
        'must be like "noun.verb"',
      ),
      target: z.object({ type: AUDIT_ID, id: AUDIT_ID }, 'must be { type, id }'),
      partnerId: ID.nullable(),
      mode: MODE.nullable(),
      before: ROW,
      after: ROW,
    },
    'The entry must be an object',
  ),
);
