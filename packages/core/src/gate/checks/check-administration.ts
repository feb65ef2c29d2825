import { ACTOR_TYPES } from '../../domain/audit.js';
import { isRecord } from '../../domain/json.js';
import { PAYMENT_METHODS } from '../../domain/intent/intent.js';
import { KEY_SCOPES, parseKey } from '../../domain/keys/api-key.js';
import { networkProblem } from '../../domain/limits/client-network.js';
import { MODES } from '../../domain/mode.js';
import { brokenLimitRule, RESTRICTION_LISTS } from '../../domain/partner/restrictions.js';
import { FLOWS } from '../../domain/session/terms.js';
import { hasUnprintable, isBlank } from '../../domain/text/printable.js';
import { isId, originProblem, partnerIdProblems, shapeOf, webhookUrlProblem } from './argument-error.js';

const LIMIT_FIELDS = ['flow', 'paymentMethod', 'currency', 'minAmount', 'maxAmount'];

/** Problems of a partner's restrictions, each with its location. */
function restrictionProblems(restrictions: unknown): readonly string[] {
  if (restrictions === undefined || restrictions === null) return [];
  if (!isRecord(restrictions)) return [`restrictions must be an object, or null; it is ${shapeOf(restrictions)}.`];
  const names = [...Object.keys(RESTRICTION_LISTS), 'limits'];
  return [
    ...Object.keys(restrictions)
      .filter((name) => !names.includes(name))
      .map((name) => `restrictions.${name}: restrictions have no such field; they have ${names.join(', ')}.`),
    ...Object.entries(RESTRICTION_LISTS).flatMap(([name, { of, has }]) => {
      const list = restrictions[name];
      if (list === undefined || (isFilled(list) && list.every(has))) return [];
      return [`restrictions.${name} must be a non-empty array of ${of}, or absent; it is ${shapeOf(list)}.`];
    }),
    ...limitProblems(restrictions['limits']),
  ];
}

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}

function limitProblems(limits: unknown): readonly string[] {
  if (limits === undefined) return [];
  if (!isFilled(limits))
    return [`restrictions.limits must be a non-empty array of limits, or absent; it is ${shapeOf(limits)}.`];
  return limits.flatMap((limit, index) => {
    const problem = limitProblem(limit);
    return problem === null ? [] : [`restrictions.limits[${index}] ${problem}.`];
  });
}

function limitProblem(limit: unknown): string | null {
  if (!isRecord(limit)) return `must be an object, not ${shapeOf(limit)}`;
  const unknown = Object.keys(limit).find((name) => !LIMIT_FIELDS.includes(name));
  if (unknown !== undefined) return `has no field ${unknown}; it has ${LIMIT_FIELDS.join(', ')}`;
  const rule = brokenLimitRule(limit);
  return rule === null ? null : LIMIT_RULES[rule];
}

const LIMIT_RULES: Readonly<Record<NonNullable<ReturnType<typeof brokenLimitRule>>, string>> = {
  flow: `must have a flow of ${FLOWS.join(', ')}, or none`,
  payment_method: `must have a paymentMethod of ${PAYMENT_METHODS.join(', ')}, or none`,
  currency: 'must have a currency of three upper-case letters',
  amount: 'must have minAmount and maxAmount as decimal text, or one of them',
  unbounded: 'must have minAmount, maxAmount or both',
  crossed: 'must not have a minAmount above its maxAmount',
};

const ENTITLEMENTS: readonly unknown[] = ['swap', 'rails', 'pools'];

const PARTNER_FIELDS = {
  id: (value: unknown) => (isId(value) ? null : 'must be 1 to 64 letters, digits, "_" or "-"'),
  name: (value: unknown) =>
    typeof value !== 'string' || value.length === 0 || value.length > 200
      ? 'must be a string of 1 to 200 characters'
      : hasUnprintable(value)
        ? 'must not contain control or format characters'
        : isBlank(value)
          ? 'must contain something visible'
          : null,
  allowedOrigins: (value: unknown) => (Array.isArray(value) ? null : 'must be an array of origins'),
  kycTrusted: flagProblem,
  liveEnabled: flagProblem,
  entitlements: (value: unknown) =>
    Array.isArray(value) && value.every((one) => ENTITLEMENTS.includes(one))
      ? null
      : `must be an array of ${ENTITLEMENTS.join(', ')}`,
  completedSessionsQuota: (value: unknown) =>
    value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
      ? null
      : 'must be a whole number of sessions a month, or null for no limit',
  rateLimitFactor: (value: unknown) =>
    value === undefined || value === null || isFactor(value) ? null : `must be ${FACTOR}, or null for none`,
  savedPaymentMethods: (value: unknown) => (value === undefined ? null : flagProblem(value)),
  // Checked by `restrictionProblems`, with a location per problem.
  restrictions: () => null,
  suspendedAt: (value: unknown) =>
    value === undefined || value === null || Number.isSafeInteger(value) ? null : 'must be an instant, or null',
};

/** The allowed range of a rate-limit factor. */
export const FACTOR = 'a number above 0 and up to 1000000';

export function isFactor(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 1_000_000;
}

export function partnerProblems(partner: unknown): readonly string[] {
  if (!isRecord(partner)) return [`The partner must be an object, not ${shapeOf(partner)}.`];
  const origins: readonly unknown[] = Array.isArray(partner['allowedOrigins']) ? partner['allowedOrigins'] : [];
  return [
    ...Object.keys(partner)
      .filter((name) => !Object.hasOwn(PARTNER_FIELDS, name))
      .map((name) => `${name} is not a field of a partner; the fields are ${Object.keys(PARTNER_FIELDS).join(', ')}.`),
    ...Object.entries(PARTNER_FIELDS).flatMap(([name, problemOf]) => {
      const problem = problemOf(partner[name]);
      return problem === null ? [] : [`${name} ${problem}; it is ${shapeOf(partner[name])}.`];
    }),
    ...origins.flatMap((origin, index) => {
      const problem = originProblem(origin);
      return problem === null ? [] : [`allowedOrigins[${index}] ${problem}.`];
    }),
    ...restrictionProblems(partner['restrictions']),
  ];
}

/** Why a value is not the scope of a partner of the store. */
export function scopeProblems(scope: unknown): readonly string[] {
  if (!isRecord(scope)) return [`The scope must be { partnerId, mode }, not ${shapeOf(scope)}.`];
  return [...partnerIdProblems(scope['partnerId']), ...modeProblems(scope['mode'])];
}

/** A host with its own partners may use any non-empty ids. */
export function callerProblems(caller: unknown): readonly string[] {
  if (!isRecord(caller)) return [`The caller must be { partnerId, mode }, not ${shapeOf(caller)}.`];
  const { partnerId, mode } = caller;
  return [
    ...(typeof partnerId === 'string' && partnerId !== ''
      ? []
      : [`partnerId must be a string; it is ${shapeOf(partnerId)}.`]),
    ...modeProblems(mode),
  ];
}

function modeProblems(mode: unknown): readonly string[] {
  return MODES.some((known) => known === mode) ? [] : [`mode must be "test" or "live"; it is ${shapeOf(mode)}.`];
}

/** Keys are never quoted, not even invalid ones. */
export function keyTextProblems(text: unknown): readonly string[] {
  if (typeof text === 'string' && parseKey(text) !== null) return [];
  return [
    `A key looks like sk_test_…, pk_test_…, sk_live_… or pk_live_…, with 8 to 200 letters, digits or underscores after that; it is ${shapeOf(text)}.`,
  ];
}

export const KEY_HASH = /^[0-9a-f]{64}$/;

/** A key as text, or its hash. */
export function storedKeyProblems(given: unknown): readonly string[] {
  return typeof given === 'string' && KEY_HASH.test(given) ? [] : keyTextProblems(given);
}

export function instantProblems(name: string, at: unknown): readonly string[] {
  return Number.isSafeInteger(at) && Number(at) >= 0
    ? []
    : [`${name} must be a time in epoch milliseconds; it is ${shapeOf(at)}.`];
}

export function newKeyProblems(wanted: unknown): readonly string[] {
  if (!isRecord(wanted)) return [`The new key must be { mode, type }, not ${shapeOf(wanted)}.`];
  const { mode, type, ...rest } = wanted;
  return [
    ...modeProblems(mode),
    ...(type === 'secret' || type === 'publishable'
      ? []
      : [`type must be "secret" or "publishable"; it is ${shapeOf(type)}.`]),
    ...keyLimitProblems(rest, type),
  ];
}

export function keyLimitProblems(limits: unknown, type: unknown): readonly string[] {
  if (limits === undefined) return [];
  if (!isRecord(limits))
    return [`The limits of a key must be { expiresAt, scopes, allowedIps }, not ${shapeOf(limits)}.`];
  const { expiresAt, scopes, allowedIps } = limits;
  const isRestricted = scopes !== undefined || allowedIps !== undefined;
  return [
    ...(expiresAt === undefined || (Number.isSafeInteger(expiresAt) && Number(expiresAt) > 0)
      ? []
      : [`expiresAt must be an instant in milliseconds; it is ${shapeOf(expiresAt)}.`]),
    ...(isRestricted && type === 'publishable' ? ['Only secret keys can have scopes or allowedIps.'] : []),
    ...(scopes === undefined ? [] : keyScopeProblems(scopes)),
    ...(allowedIps === undefined ? [] : allowListProblems(allowedIps)),
  ];
}

function keyScopeProblems(scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0)
    return [`scopes must be a list of at least one scope; it is ${shapeOf(scopes)}.`];
  const known: readonly unknown[] = ['*', ...KEY_SCOPES];
  return scopes.flatMap((one: unknown, at) =>
    known.includes(one) ? [] : [`scopes[${at}] must be one of ${known.join(', ')}; it is ${shapeOf(one)}.`],
  );
}

/** Networks in one allow-list. */
const NETWORKS_MAX = 100;

function allowListProblems(networks: unknown): readonly string[] {
  if (!Array.isArray(networks) || networks.length === 0 || networks.length > NETWORKS_MAX)
    return [`allowedIps must be a list of 1 to ${NETWORKS_MAX} addresses or networks; it is ${shapeOf(networks)}.`];
  return networks.flatMap((one: unknown, at) =>
    typeof one === 'string' ? (networkProblem(one) ?? []) : [`allowedIps[${at}] must be text; it is ${shapeOf(one)}.`],
  );
}

export function endpointProblems(endpoint: unknown): readonly string[] {
  if (!isRecord(endpoint)) return [`The endpoint must be { url, secret }, not ${shapeOf(endpoint)}.`];
  const { url, secret } = endpoint;
  const urlProblem = url === null ? null : webhookUrlProblem(url);
  return [
    ...(urlProblem === null ? [] : [`url ${urlProblem}; it is ${shapeOf(url)}.`]),
    ...(secret === null ? [] : webhookSecretProblems(secret)),
  ];
}

const REPLAY_FIELDS = [
  'eventTypes',
  'createdAfter',
  'createdBefore',
  'deadBefore',
  'perSecond',
  'isDryRun',
  'onProgress',
];

/** The maximum pace of a bulk replay: deliveries in one commit. */
const REPLAYS_PER_SECOND_MAX = 500;

export function replayOrderProblems(order: unknown, types: readonly string[]): readonly string[] {
  if (!isRecord(order)) return [`The order must be an object, not ${shapeOf(order)}.`];
  const { eventTypes, perSecond } = order;
  const pace = Number(perSecond ?? 1);
  return [
    ...Object.keys(order)
      .filter((name) => !REPLAY_FIELDS.includes(name))
      .map((name) => `${name} is not a field of a replay; the fields are ${REPLAY_FIELDS.join(', ')}.`),
    ...(eventTypes === undefined || (isFilled(eventTypes) && eventTypes.every((one) => types.includes(String(one))))
      ? []
      : [`eventTypes must be a list of event types, or absent; the types are ${types.join(', ')}.`]),
    ...['createdAfter', 'createdBefore', 'deadBefore']
      .filter((name) => order[name] !== undefined && !Number.isSafeInteger(order[name]))
      .map((name) => `${name} must be an instant in milliseconds; it is ${shapeOf(order[name])}.`),
    ...(Number.isSafeInteger(pace) && pace >= 1 && pace <= REPLAYS_PER_SECOND_MAX
      ? []
      : [`perSecond must be a whole number from 1 to ${REPLAYS_PER_SECOND_MAX}; it is ${shapeOf(perSecond)}.`]),
  ];
}

/** A receiver can test guesses at a secret offline against any delivery, so short secrets are refused. */
export function webhookSecretProblems(secret: unknown): readonly string[] {
  if (typeof secret === 'string' && /^whsec_[\x21-\x7e]{16,200}$/.test(secret)) return [];
  return [
    `A webhook secret is "whsec_" and 16 to 200 random visible characters, for example "whsec_" and the output of "openssl rand -hex 24"; it is ${shapeOf(secret)}.`,
  ];
}

export function consumerProblems(
  type: unknown,
  name: unknown,
  consumer: unknown,
  types: readonly string[],
): readonly string[] {
  return [
    ...(types.some((known) => known === type)
      ? []
      : [
          `${typeof type === 'string' ? JSON.stringify(type.slice(0, 60)) : shapeOf(type)} is not an event type; the types are ${types.join(', ')}.`,
        ]),
    ...consumerNameProblems(name),
    ...(typeof consumer === 'function'
      ? []
      : [`A consumer must be a function of the event; it is ${shapeOf(consumer)}.`]),
  ];
}

/** Problems of the name of a checkpoint. */
export function consumerNameProblems(name: unknown): readonly string[] {
  return typeof name === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)
    ? []
    : [`A consumer name must be 1 to 64 lower-case letters, digits and hyphens; it is ${shapeOf(name)}.`];
}

const REASON_LENGTH_MAX = 500;
const SUBJECT_LENGTH_MAX = 1_000;

/** Texts of the audit trail are shown to operators, so they are short and printable. */
function auditTextProblem(text: unknown, lengthMax: number): string | null {
  if (typeof text === 'string' && !isBlank(text) && text.length <= lengthMax && !hasUnprintable(text)) return null;
  return `must be 1 to ${lengthMax} printable characters; it is ${shapeOf(text)}.`;
}

/** Problems of an actor and of the reason and request that are recorded with it. */
export function actorProblems(actor: unknown, why: unknown): readonly string[] {
  if (!isRecord(actor)) return [`The actor must be { type, id }, not ${shapeOf(actor)}.`];
  if (!isRecord(why)) return [`The second argument must be { reason, requestId }, not ${shapeOf(why)}.`];
  const idProblem = auditTextProblem(actor['id'], 200);
  return [
    ...(ACTOR_TYPES.some((type) => type === actor['type'])
      ? []
      : [`actor.type must be one of ${ACTOR_TYPES.join(', ')}; it is ${shapeOf(actor['type'])}.`]),
    ...(idProblem === null ? [] : [`actor.id ${idProblem}`]),
    ...['accessId', 'subject'].flatMap((name) => {
      const problem = actor[name] === undefined ? null : auditTextProblem(actor[name], SUBJECT_LENGTH_MAX);
      return problem === null ? [] : [`actor.${name} ${problem}`];
    }),
    ...(actor['vouchedBy'] === undefined
      ? []
      : actorProblems(actor['vouchedBy'], {}).map((problem) => `vouchedBy: ${problem}`)),
    ...Object.entries({ reason: REASON_LENGTH_MAX, requestId: 200 }).flatMap(([name, lengthMax]) => {
      const problem = why[name] === undefined ? null : auditTextProblem(why[name], lengthMax);
      return problem === null ? [] : [`${name} ${problem}`];
    }),
  ];
}

/** Why a value is not the id of a request. */
export function requestIdProblems(id: unknown): readonly string[] {
  const problem = id === undefined ? null : auditTextProblem(id, 200);
  return problem === null ? [] : [`requestId ${problem}`];
}

export function auditPageProblems(page: unknown): readonly string[] {
  if (!isRecord(page)) return [`The page must be an object with filters, before and limit, not ${shapeOf(page)}.`];
  const texts = ['action', 'actor'].filter((name) => page[name] !== undefined);
  return [
    ...(page['partnerId'] === undefined ? [] : partnerIdProblems(page['partnerId'])),
    ...(page['mode'] === undefined ? [] : modeProblems(page['mode'])),
    ...requestIdProblems(page['requestId']),
    ...texts
      .filter((name) => typeof page[name] !== 'string' || page[name] === '')
      .map((name) => `${name} must be a text; it is ${shapeOf(page[name])}.`),
    ...['from', 'to'].flatMap((name) => (page[name] === undefined ? [] : instantProblems(name, page[name]))),
    ...['before', 'limit'].flatMap((name) => {
      const value = page[name];
      if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 1)) return [];
      return [`${name} must be a whole number of at least 1; it is ${shapeOf(value)}.`];
    }),
  ];
}

export function auditHeadProblems(head: unknown): readonly string[] {
  if (head === null) return [];
  const { sequence, digest } = isRecord(head) ? head : {};
  const isHead = Number.isSafeInteger(sequence) && Number(sequence) >= 1 && typeof digest === 'string';
  return isHead ? [] : [`The end of a trail is { sequence, digest }, not ${shapeOf(head)}.`];
}

export function auditedProblems(change: unknown): readonly string[] {
  if (!isRecord(change)) return [`The entry must be an object, not ${shapeOf(change)}.`];
  const { action, target, partnerId, mode, before, after } = change;
  const targetProblems = isRecord(target)
    ? ['type', 'id'].map((name) => [`target.${name}`, auditTextProblem(target[name], 200)] as const)
    : [['target', `must be { type, id }; it is ${shapeOf(target)}.`] as const];
  return [
    ...(typeof action === 'string' && /^[a-z_]{1,40}\.[a-z_]{1,40}$/.test(action)
      ? []
      : [`action must be like "noun.verb"; it is ${shapeOf(action)}.`]),
    ...targetProblems.flatMap(([name, problem]) => (problem === null ? [] : [`${name} ${problem}`])),
    ...(partnerId === null ? [] : partnerIdProblems(partnerId)),
    ...(mode === null ? [] : modeProblems(mode)),
    ...Object.entries({ before, after }).flatMap(([name, row]) =>
      row === null || isRecord(row) ? [] : [`${name} must be an object, or null; it is ${shapeOf(row)}.`],
    ),
  ];
}

function flagProblem(value: unknown): string | null {
  return typeof value === 'boolean' ? null : 'must be true or false';
}
