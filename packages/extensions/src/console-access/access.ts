import {
  type Actor,
  DAY,
  HOUR,
  type Instant,
  isRecord,
  MINUTE,
  type Mode,
  MODES,
  type Person,
  personOf,
} from '@gateramp/core/domain';
import { actorProblems, type DocumentKind, type DocumentRow, shapeOf } from '@gateramp/core/extension';

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

/** What is kept of a key pair whose private half only the person's device has. Texts are base64url. */
export interface Credential {
  readonly id: string;
  /** In COSE. */
  readonly publicKey: string;
  /** How often the device says that it has signed; 0 forever if it does not count. */
  readonly counter: number;
  readonly transports: readonly string[];
}

/** A device that counts never says the same number twice: otherwise the key was copied, or the signature was sent before. */
export function hasIncreased(credential: Credential, counter: number): boolean {
  return (counter === 0 && credential.counter === 0) || counter > credential.counter;
}

const CREDENTIAL_LENGTH_MAX = 4_096;

/** Browsers choose the sizes of its parts. */
export function isStorable(credential: Credential): boolean {
  return JSON.stringify(credential).length <= CREDENTIAL_LENGTH_MAX;
}

/** A passkey with which a user of a partner signs in to their access again. */
export interface PortalPasskey {
  readonly id: string;
  /** As its owner called it. */
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

export interface KeptPasskey extends PortalPasskey {
  readonly credential: Credential;
}

/** A right to use the console: an invitation, and the session that it became. */
export interface Access {
  readonly id: string;
  /** `portal`: a user of one partner, in one mode. `operator`: of all partners, in both. */
  readonly kind: 'portal' | 'operator';
  readonly partnerId: string | null;
  readonly mode: Mode | null;
  readonly role: Role;
  /** Named by the audit trail in changes made through this access, with its id and who vouched for it. */
  readonly actor: Actor;
  /** The partners that an operator sees; null for all. */
  readonly partners: readonly string[] | null;
  /** Who let this person in, if it was not the host. */
  readonly vouchedBy: Person | null;
  /** `signed_out`: no session is open, but a passkey opens one. */
  readonly state: 'invited' | 'active' | 'signed_out' | 'ended' | 'expired';
  readonly createdAt: Instant;
  /** Until when the code can be exchanged; afterwards, when the session ends. */
  readonly expiresAt: Instant;
  readonly endedAt: Instant | null;
  /** Only of a portal user, oldest first. */
  readonly passkeys: readonly PortalPasskey[];
}

/**
 * The scope of the row is live mode, whatever mode the session sees, because a test clock that is moved must not end sessions. The partner
 * of an operator is the empty text, which is the id of none.
 */
export interface AccessRow extends DocumentRow {
  readonly of: Mode | null;
  readonly role: Role;
  readonly actor: Actor;
  /** Absent: all. */
  readonly partners?: readonly string[];
  /** Absent in rows of the host, and of earlier versions. */
  readonly vouchedBy?: Person;
  readonly subject?: string;
  readonly state: 'invited' | 'active' | 'ended';
  /** Of the code, and once that was exchanged, of the token. Empty after signing out of an access that has passkeys. */
  readonly secretHash: string;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | null;
  /** Absent in rows without, and of earlier versions. */
  readonly passkeys?: readonly KeptPasskey[];
}

const LISTED_FOR_MS = 30 * DAY;
export const SESSION_TTL_MS = 8 * HOUR;

export const accessKind: DocumentKind<AccessRow> = {
  noun: 'console_access',
  groupOf: ({ of }) => of ?? 'operators',
  keepUntilOf: (row) =>
    passkeysOf(row).length > 0 ? null : Math.max(row.expiresAt, row.endedAt ?? row.expiresAt) + LISTED_FOR_MS,
};

/** Those that can sign in. */
export function passkeysOf({ state, passkeys = [] }: AccessRow): readonly KeptPasskey[] {
  return state === 'active' ? passkeys : [];
}

/** Whether the code or session can be used at this moment. */
const isOpen = ({ state, secretHash, expiresAt }: AccessRow, now: Instant): boolean =>
  state !== 'ended' && secretHash !== '' && now <= expiresAt;

/** Whether the person has, or can still open, a session. */
export function isCurrent(row: AccessRow, now: Instant): boolean {
  return isOpen(row, now) || passkeysOf(row).length > 0;
}

/** An access that was ended, together with its passkeys. */
export function endedAccess(row: AccessRow, now: Instant): AccessRow {
  return { ...row, state: 'ended', endedAt: now, ...(row.passkeys !== undefined && { passkeys: [] }) };
}

/** An access after its person has signed out: it ends, unless a passkey signs in to it again. */
export function signedOutAccess(row: AccessRow, now: Instant): AccessRow {
  return passkeysOf(row).length > 0 ? { ...row, secretHash: '', expiresAt: now } : endedAccess(row, now);
}

/** The person of an access, as their changes name them. */
export function actorOf({ id, actor, vouchedBy, subject }: AccessRow): Actor {
  return {
    ...actor,
    accessId: id,
    ...(vouchedBy !== undefined && { vouchedBy: personOf(vouchedBy) }),
    ...(subject !== undefined && { subject }),
  };
}

export function accessOf(row: AccessRow, now: Instant): Access {
  const { id, partnerId, of: mode, role, partners = null, createdAt, expiresAt, endedAt } = row;
  const isOperator = partnerId === OPERATORS;
  const passkeys = passkeysOf(row);
  const closed = passkeys.length > 0 ? 'signed_out' : 'expired';
  return {
    id,
    kind: isOperator ? 'operator' : 'portal',
    partnerId: isOperator ? null : partnerId,
    mode,
    role,
    actor: actorOf(row),
    partners,
    vouchedBy: row.vouchedBy ?? null,
    state: row.state === 'ended' || isOpen(row, now) ? row.state : closed,
    createdAt,
    expiresAt,
    endedAt,
    passkeys: passkeys.map(({ credential: _, ...passkey }) => passkey),
  };
}
