import { HOUR, MINUTE } from '../domain/instant.js';
import { isRecord } from '../domain/json.js';
import { MODES } from '../domain/mode.js';
import { actorProblems } from './checks/check-administration.js';
import { shapeOf } from './checks/argument-error.js';

/** The roles of the console, lowest first. */
const ROLES = ['viewer', 'support', 'developer', 'operator', 'admin'] as const;

/** `operator` changes live data of any partner, so a partner's own users cannot have it. */
export type Role = (typeof ROLES)[number];

/** The partner of rows about operators: the empty text, which is the id of none. */
export const OPERATORS = '';

export const CODE_TTL_MS = MINUTE;
const CODE_TTL_MAX_MS = HOUR;

/** What a secret text is for: an invitation, a session, or the registration of a passkey. */
export type Bearer = 'code' | 'token' | 'enrolment';
const PREFIXES: Readonly<Record<Bearer, string>> = { code: 'gci_', token: 'gcs_', enrolment: 'gce_' };
export const SECRET_LENGTH = 43;

/** Names its row, so that it is found by key: only the random part is secret. That ends it, since terminals cut punctuation off links. */
export function secretText(bearer: Bearer, id: string, secret: string, partnerId: string): string {
  return `${PREFIXES[bearer]}${id}.${encodeURIComponent(partnerId)}.${secret}`;
}

const TEXT = /^(gci_|gcs_|gce_)([0-9a-f]{24})\.(\S{0,800})\.[0-9A-Za-z]{43}$/;

export function parseSecret(bearer: Bearer, text: unknown): { readonly id: string; readonly partnerId: string } | null {
  const [, prefix, id, partner] = typeof text === 'string' ? (TEXT.exec(text) ?? []) : [];
  if (prefix !== PREFIXES[bearer] || id === undefined || partner === undefined) return null;
  try {
    return { id, partnerId: decodeURIComponent(partner) };
  } catch {
    return null;
  }
}

/** A row contains them, so their number is bounded. */
const PARTNERS_MAX = 1_000;

export function partnersProblems(partners: unknown): readonly string[] {
  if (partners === null) return [];
  if (!Array.isArray(partners) || !partners.every((one) => typeof one === 'string' && one !== ''))
    return [`partners must be an array of ids, or null for all; it is ${shapeOf(partners)}.`];
  return partners.length > PARTNERS_MAX ? [`partners has ${partners.length} ids; at most ${PARTNERS_MAX} fit.`] : [];
}

export function invitationProblems(partnerId: unknown, invitation: unknown): readonly string[] {
  if (!isRecord(invitation)) return [`The invitation must be { mode, role, actor, ttl }, not ${shapeOf(invitation)}.`];
  const { mode, role = 'viewer', actor, ttl = CODE_TTL_MS } = invitation;
  const isOperator = partnerId === null;
  return [
    ...(isOperator || (typeof partnerId === 'string' && partnerId !== '')
      ? []
      : [`partnerId must be a string, or null for an operator; it is ${shapeOf(partnerId)}.`]),
    ...(isOperator && mode !== undefined ? ['mode is chosen by operators with every request; leave it out.'] : []),
    ...(isOperator || MODES.some((one) => one === mode)
      ? []
      : [`mode must be "test" or "live"; it is ${shapeOf(mode)}.`]),
    ...(ROLES.some((one) => one === role) && (isOperator || role !== 'operator')
      ? []
      : [
          `role must be one of ${ROLES.filter((one) => isOperator || one !== 'operator').join(', ')}; it is ${shapeOf(role)}.`,
        ]),
    ...actorProblems({ type: 'partner_user', id: actor }, {}),
    ...(Number.isSafeInteger(ttl) && Number(ttl) > 0 && Number(ttl) <= CODE_TTL_MAX_MS
      ? []
      : [`ttl must be 1 to ${CODE_TTL_MAX_MS} milliseconds; it is ${shapeOf(ttl)}.`]),
  ];
}
