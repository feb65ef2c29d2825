import { apply, unchanged } from '../application/commit/apply.js';
import {
  type DocumentKind,
  type DocumentRow,
  documentWrite,
  findKeptRow,
  listRows,
} from '../application/documents/document-kind.js';
import type { Engine } from '../application/engine.js';
import type { AuditContext } from '../domain/audit.js';
import { DAY, type Instant } from '../domain/instant.js';
import { scopeOf } from '../domain/mode.js';
import { emptyChange } from '../ports/change.js';
import { throwIfAny } from './checks/argument-error.js';
import {
  CODE_TTL_MS,
  invitationProblems,
  OPERATORS,
  parseSecret,
  type Role,
  SECRET_LENGTH,
  secretText,
} from './console-secret.js';

/** What is kept of a key pair whose private half only the operator's device has. Texts are base64url. */
interface Credential {
  readonly id: string;
  /** In COSE. */
  readonly publicKey: string;
  /** How often the device says that it has signed; 0 forever if it does not count. */
  readonly counter: number;
  readonly transports: readonly string[];
}

/** A passkey of an operator, or the invitation to register one. */
interface Passkey {
  readonly id: string;
  readonly actor: string;
  readonly role: Role;
  readonly state: 'invited' | 'active' | 'removed' | 'expired';
  readonly createdAt: Instant;
  /** Until when it can be registered; null once it is. */
  readonly expiresAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly removedAt: Instant | null;
  /** Null until it is registered. */
  readonly credential: Credential | null;
}

/**
 * Passkeys with which operators sign in. The host runs the WebAuthn ceremonies and checks what browsers answer; these calls keep the
 * outcome. Registrations and removals are recorded in the audit trail, in the same commit.
 */
export interface Passkeys {
  /** Invites an operator to register a passkey. Returns a code that registers one, once. A minute by default, an hour at most. */
  invite(invitation: {
    readonly actor: string;
    readonly role?: Role;
    readonly ttl?: number;
  }): Promise<{ readonly id: string; readonly code: string; readonly expiresAt: Instant }>;
  /** The invitation of a code; null for a code that is unknown, expired or used. */
  invited(code: string): Promise<Passkey | null>;
  /** Keeps the credential that was made for a code. Null for a code that is unknown, expired or used. */
  register(code: string, credential: Credential): Promise<Passkey | null>;
  /** A passkey that can sign in; null if it is unknown or removed. */
  find(id: string): Promise<Passkey | null>;
  /**
   * Records a signature. Null if the passkey was removed, or if its counter has not increased, which means that the key was copied or the
   * signature sent before; a device that does not count always says 0.
   */
  use(id: string, counter: number): Promise<Passkey | null>;
  /** The newest 200, with invitations and those removed in the last 30 days. */
  list(): Promise<readonly Passkey[]>;
  /** Removes a passkey, or withdraws an invitation. Returns it; null if there is none with this id. Does not end sessions. */
  remove(id: string): Promise<Passkey | null>;
}

interface PasskeyRow extends DocumentRow {
  readonly actor: string;
  readonly role: Role;
  readonly state: Exclude<Passkey['state'], 'expired'>;
  /** Of the code of the invitation. */
  readonly secretHash: string;
  readonly expiresAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly removedAt: Instant | null;
  readonly credential: Credential | null;
}

const LISTED_FOR_MS = 30 * DAY;
const LISTED_MAX = 200;

const kind: DocumentKind<PasskeyRow> = {
  noun: 'console_passkey',
  keepUntilOf: ({ removedAt, expiresAt }) => {
    const end = removedAt ?? expiresAt;
    return end === null ? null : end + LISTED_FOR_MS;
  },
};

const SCOPE = { partnerId: OPERATORS, mode: 'live' } as const;

export function operatorPasskeys(engine: Engine, ready: () => Promise<void>, by: AuditContext): Passkeys {
  const { clock, crypto, ids, store } = engine;
  const hashOf = (code: string): string => crypto.keyedHash('console/enrolment', code);
  const find = async (id: string): Promise<PasskeyRow | null> => {
    await ready();
    return findKeptRow(store, kind, SCOPE, id, clock.ofMode('live'));
  };
  const active = async (id: string): Promise<PasskeyRow | null> => {
    const row = await find(id);
    return row?.state === 'active' ? row : null;
  };

  async function opened(code: string): Promise<PasskeyRow | null> {
    const named = parseSecret('enrolment', code);
    if (named?.partnerId !== OPERATORS) return null;
    const row = await find(named.id);
    if (row?.state !== 'invited' || row.expiresAt === null || clock.ofMode('live') > row.expiresAt) return null;
    return crypto.equal(row.secretHash, hashOf(code)) ? row : null;
  }

  function written(action: string | null, next: PasskeyRow, before: PasskeyRow | null, who?: string) {
    const change = {
      ...emptyChange(scopeOf(next), clock.ofMode('live')),
      documents: [documentWrite(kind, next, before)],
    };
    if (action === null) return { change, value: next };
    const actor = who === undefined ? by.actor : ({ type: 'operator', id: who } as const);
    const target = { type: 'console_passkey', id: next.id };
    return {
      change,
      value: next,
      audited: [{ ...by, actor, partnerId: null, mode: null, action, target, before, after: next }],
    };
  }

  const shown = (row: PasskeyRow | null): Passkey | null =>
    row === null ? null : passkeyOf(row, clock.ofMode('live'));

  return {
    invite: async (invitation) => {
      throwIfAny('invite received invalid arguments', invitationProblems(null, invitation));
      await ready();
      const { actor, role = 'viewer', ttl = CODE_TTL_MS } = invitation;
      const now = clock.ofMode('live');
      const id = ids.object(now);
      const code = secretText('enrolment', id, ids.secret(SECRET_LENGTH), OPERATORS);
      const expiresAt = now + ttl;
      const row: PasskeyRow = {
        ...SCOPE,
        id,
        version: 1,
        actor,
        role,
        state: 'invited',
        secretHash: hashOf(code),
        createdAt: now,
        expiresAt,
        lastUsedAt: null,
        removedAt: null,
        credential: null,
      };
      await apply(engine, { load: async () => row, decide: () => written('console_passkey.invite', row, null) });
      return { id, code, expiresAt };
    },
    invited: async (code) => shown(await opened(code)),
    register: async (code, credential) => {
      const { value } = await apply<PasskeyRow | null, PasskeyRow | null>(engine, {
        load: () => opened(code),
        decide: (before) => {
          if (before === null) return unchanged(null);
          const next: PasskeyRow = { ...before, state: 'active', expiresAt: null, credential };
          return written('console_passkey.register', next, before, before.actor);
        },
      });
      return shown(value);
    },
    find: async (id) => shown(await active(id)),
    use: async (id, counter) => {
      const { value } = await apply<PasskeyRow | null, PasskeyRow | null>(engine, {
        load: () => active(id),
        decide: (before) => {
          const credential = before?.credential ?? null;
          if (before === null || credential === null) return unchanged(null);
          const isCounted = counter !== 0 || credential.counter !== 0;
          if (isCounted && counter <= credential.counter) return unchanged(null);
          const lastUsedAt = clock.ofMode('live');
          return written(null, { ...before, lastUsedAt, credential: { ...credential, counter } }, before);
        },
      });
      return shown(value);
    },
    list: async () => {
      const rows = await listRows(store, kind, SCOPE, { start: { kind: 'newest' }, limit: LISTED_MAX });
      const now = clock.ofMode('live');
      return rows.slice(0, LISTED_MAX).map((row) => passkeyOf(row, now));
    },
    remove: async (id) => {
      const { value } = await apply<PasskeyRow | null, PasskeyRow | null>(engine, {
        load: () => find(id),
        decide: (before) => {
          if (before === null || before.state === 'removed') return unchanged(before);
          const next: PasskeyRow = { ...before, state: 'removed', removedAt: clock.ofMode('live') };
          return written('console_passkey.remove', next, before);
        },
      });
      return shown(value);
    },
  };
}

function passkeyOf(row: PasskeyRow, now: Instant): Passkey {
  const { id, actor, role, state, createdAt, expiresAt, lastUsedAt, removedAt, credential } = row;
  const isLate = state === 'invited' && expiresAt !== null && now > expiresAt;
  return {
    id,
    actor,
    role,
    state: isLate ? 'expired' : state,
    createdAt,
    expiresAt,
    lastUsedAt,
    removedAt,
    credential,
  };
}
