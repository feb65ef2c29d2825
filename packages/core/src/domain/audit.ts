import { type Instant, isoTime } from './instant.js';
import type { Mode } from './mode.js';

/** The kinds of actors. `host` is code that embeds the engine, `key` a partner's secret key, `cli` an operator at a terminal. */
export const ACTOR_TYPES = ['operator', 'partner_user', 'key', 'cli', 'host', 'seed'] as const;

/** Who made a change. The id is never a secret: a name, or the id of a key (the beginning of its hash). */
export interface Actor {
  readonly type: (typeof ACTOR_TYPES)[number];
  readonly id: string;
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
  readonly beforeDigest: string | null;
  readonly afterDigest: string | null;
  /** Null for the first entry. */
  readonly previousDigest: string | null;
  /** Keyed by the installation, over all other members. */
  readonly digest: string;
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
  ]);
}

/** An entry as printed and shown: the members of the wire, in its form. */
export function auditEntryResource({ actor, target, ...entry }: AuditEntry) {
  return {
    object: 'audit_entry',
    id: entry.id,
    sequence: entry.sequence,
    at: isoTime(entry.at),
    actor,
    action: entry.action,
    target,
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

/** JSON with sorted keys: equal for equal rows, whatever order their members are in. */
export function sortedJson(row: object): string {
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
