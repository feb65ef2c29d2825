import { type Instant, isoTime } from './instant.js';
import type { Mode } from './mode.js';
import { lookAlike } from './text/printable.js';

/** The kinds of actors. `host` is code that embeds the engine, `key` a partner's secret key, `cli` an operator at a terminal. */
export const ACTOR_TYPES = ['operator', 'partner_user', 'key', 'cli', 'host', 'seed'] as const;

/** Someone, as the audit trail names them. The id is never a secret: a name, or the id of a key (the beginning of its hash). */
export interface Person {
  readonly type: (typeof ACTOR_TYPES)[number];
  readonly id: string;
  /** The access through which they act, such as one of an extension. Two people with one name have two. */
  readonly accessId?: string;
}

/** Whether it is a person who administers, and not the code of a partner or of the host. */
export function isAdministrator({ type }: Pick<Person, 'type'>): boolean {
  return type === 'operator' || type === 'partner_user' || type === 'cli';
}

/** Who made a change. */
export interface Actor extends Person {
  /** Who let this person in, at the beginning of a chain of invitations; absent if it was the host. */
  readonly vouchedBy?: Person;
  /** What the host knows this person by if their name may change, such as the subject of a single sign-on. */
  readonly subject?: string;
}

/** Who makes a change, why, and in which request; null if unknown. */
export interface AuditContext {
  readonly actor: Actor;
  readonly reason: string | null;
  readonly requestId: string | null;
}

/** An administrative change. `before` and `after` are the row as stored, of which only a keyed digest is recorded; null if absent. */
export interface AuditedChange extends AuditContext {
  /** `<noun>.<verb>`, such as `key.revoke`. */
  readonly action: string;
  readonly target: AuditTarget;
  /** Null if the change concerns no single partner or mode. */
  readonly partnerId: string | null;
  readonly mode: Mode | null;
  readonly before: object | null;
  readonly after: object | null;
}

/** What an administrative change is about. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
}

/** An entry of the audit trail. Each contains the digest of the one before it, so a changed or removed one is detected. */
export interface AuditEntry extends AuditContext, Pick<AuditedChange, 'action' | 'target' | 'partnerId' | 'mode'> {
  /** Its place in the installation's only chain, from 1 without gaps. */
  readonly sequence: number;
  /** `aud_` and 24 characters. */
  readonly id: string;
  readonly at: Instant;
  /** Absent in entries of earlier versions. */
  readonly changes?: readonly MemberChange[];
  readonly beforeDigest: string | null;
  readonly afterDigest: string | null;
  /** Null for the first entry. */
  readonly previousDigest: string | null;
  /** Keyed by the installation, over all other members. */
  readonly digest: string;
}

/** A member of a row before and after a change, as text; null if absent. Of secrets, only the first characters. */
export interface MemberChange {
  readonly member: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The newest entry. Stored apart from the entries, so that entries missing at the end are detected too. */
export interface AuditHead {
  readonly sequence: number;
  readonly digest: string;
}

/** The text that the digest of an entry covers: its members in a fixed order, whatever order a store returns them in. */
export function digestedText(entry: Omit<AuditEntry, 'digest'>): string {
  const { actor, target } = entry;
  return JSON.stringify([
    entry.sequence,
    entry.id,
    entry.at,
    actor.type,
    actor.id,
    entry.action,
    target.type,
    target.id,
    entry.partnerId,
    entry.mode,
    entry.reason,
    entry.requestId,
    entry.beforeDigest,
    entry.afterDigest,
    entry.previousDigest,
    // Entries of earlier versions have none of these, and a digest without them.
    ...extensionOf(entry),
  ]);
}

function extensionOf({ actor: { accessId, vouchedBy }, changes }: Omit<AuditEntry, 'digest'>): readonly unknown[] {
  if (accessId === undefined && vouchedBy === undefined && changes === undefined) return [];
  const voucher = vouchedBy === undefined ? null : [vouchedBy.type, vouchedBy.id, vouchedBy.accessId ?? null];
  return [accessId ?? null, voucher, (changes ?? []).map(({ member, before, after }) => [member, before, after])];
}

/** The actor of an entry, as it is stored. */
export function recordedActor({ type, id, accessId, vouchedBy }: Actor): Actor {
  return {
    ...personOf({ type, id, ...(accessId !== undefined && { accessId }) }),
    ...(vouchedBy && { vouchedBy: personOf(vouchedBy) }),
  };
}

/** Only what names someone. */
export function personOf({ type, id, accessId }: Person): Person {
  return { type, id, ...(accessId !== undefined && { accessId }) };
}

/**
 * Whether one is the other, or a later session of the same person: through the same access, known to the host by the same subject, or
 * let in by the host under the same name. A person that others invited has this one access only, because the inviter chose the name.
 */
export function isSameIdentity(one: Actor, other: Actor): boolean {
  if (one.type !== other.type) return false;
  if (one.accessId !== undefined && one.accessId === other.accessId) return true;
  if (one.subject !== undefined && other.subject !== undefined) return one.subject === other.subject;
  // Without an access: an earlier version, or a host that lets operators in itself.
  if ((one.subject ?? other.subject) !== undefined && one.accessId !== undefined) return false;
  return one.vouchedBy === undefined && other.vouchedBy === undefined && one.id === other.id;
}

/**
 * Whether two people count as one where two are required: they are the same, their names look alike, or one invited the other, or the same
 * person invited both. Otherwise someone could invite themselves under another name and approve their own request.
 */
export function isSamePerson(one: Actor, other: Actor): boolean {
  const marks = (actor: Actor): readonly string[] => [
    ...[actor, ...(actor.vouchedBy === undefined ? [] : [actor.vouchedBy])].flatMap(({ id, accessId }) => [
      `name ${lookAlike(id)}`,
      ...(accessId === undefined ? [] : [`access ${accessId}`]),
    ]),
    ...(actor.subject === undefined ? [] : [`subject ${actor.subject}`]),
  ];
  return marks(one).some((mark) => marks(other).includes(mark));
}

/** An entry as printed and shown: the members of the wire, in its form. */
export function auditEntryResource({ actor, target, changes, ...entry }: AuditEntry) {
  return {
    object: 'audit_entry',
    id: entry.id,
    sequence: entry.sequence,
    at: isoTime(entry.at),
    actor: actorResource(actor),
    action: entry.action,
    target,
    changes: changes ?? [],
    partner_id: entry.partnerId,
    mode: entry.mode,
    reason: entry.reason,
    request_id: entry.requestId,
    before_digest: entry.beforeDigest,
    after_digest: entry.afterDigest,
    previous_digest: entry.previousDigest,
    digest: entry.digest,
  } as const;
}

/** An actor in the form of the wire. */
export function actorResource({ vouchedBy, ...actor }: Actor) {
  return { ...personResource(actor), vouched_by: vouchedBy === undefined ? null : personResource(vouchedBy) };
}

function personResource({ type, id, accessId }: Person) {
  return { type, id, access_id: accessId ?? null };
}

/** JSON with sorted keys: equal for equal rows, whatever order their members are in. */
export function sortedJson(row: object): string {
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

const MEMBERS_MAX = 40;
const TEXT_MAX = 200;
const SECRET_PREFIX = 8;
/** Names of members whose values are secret, or contain a secret. */
const SECRET = /secret|(?<!tx_?)hash|token|^code$|cipher|sealed|encrypted|credential|publickey|password|proof/i;
/** Matches keys, secrets and codes inside other text. */
const SECRET_TEXT = /\b(?:sk|pk|whsec|gsec|gci|gcs|gce|get)_[\w.%-]{8,}/g;
/** Members that the entry itself has, or that every write changes. */
const OMITTED: readonly string[] = ['version', 'updatedAt', 'partnerId', 'mode'];

/** What differs between two rows, member by member. */
export function memberChanges(before: object | null, after: object | null): readonly MemberChange[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const found: MemberChange[] = [];
  for (const member of new Set([...was.keys(), ...is.keys()])) {
    const [one, other] = [was.get(member) ?? null, is.get(member) ?? null];
    if (one?.whole === other?.whole) continue;
    found.push({ member, before: one?.shown ?? null, after: other?.shown ?? null });
    if (found.length === MEMBERS_MAX) break;
  }
  return found;
}

interface MemberText {
  readonly whole: string;
  readonly shown: string;
}

function membersOf(row: object | null): ReadonlyMap<string, MemberText> {
  const found = new Map<string, MemberText>();
  const add = (value: unknown, path: readonly string[]): void => {
    if (value === null || value === undefined) return;
    if (typeof value === 'object' && !Array.isArray(value) && path.length < 3) {
      for (const [name, member] of Object.entries(value)) add(member, [...path, name]);
      return;
    }
    const isSecret = path.some((name) => SECRET.test(name));
    const isPrefix = path.at(-1) === 'prefix';
    const whole = typeof value === 'object' ? sortedJson(value) : textOf(value);
    const shown =
      typeof value === 'object'
        ? sortedJson(withoutSecrets(value, isSecret))
        : isPrefix
          ? whole
          : shownText(whole, isSecret);
    found.set(path.join('.'), { whole, shown: cut(shown, TEXT_MAX) });
  };
  for (const [name, value] of Object.entries(row ?? {})) if (!OMITTED.includes(name)) add(value, [name]);
  return found;
}

/** The same value with its secrets cut to their first characters. */
function withoutSecrets(value: unknown, isSecret: boolean): object {
  const copy = (one: unknown, isHidden: boolean): unknown => {
    if (typeof one === 'string') return shownText(one, isHidden);
    if (Array.isArray(one)) return one.map((item) => copy(item, isHidden));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, member]) => [name, copy(member, isHidden || SECRET.test(name))]),
    );
  };
  return Object(copy(value, isSecret)) as object;
}

function shownText(text: string, isSecret: boolean): string {
  if (isSecret) return cut(text, SECRET_PREFIX);
  // The query of a URL may contain a token.
  const said = /^https?:\/\//.test(text) ? text.replace(/\?.*$/s, '?…') : text;
  return said.replaceAll(SECRET_TEXT, (secret) => cut(secret, SECRET_PREFIX));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}
