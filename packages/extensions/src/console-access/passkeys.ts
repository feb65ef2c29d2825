import { type Actor, type AuditContext, type AuditedChange, DAY, type Instant, scopeOf } from '@gateramp/core/domain';
import {
  apply,
  type DocumentKind,
  type DocumentRow,
  documentWrite,
  type Engine,
  findKeptRow,
  findRow,
  listRows,
  throwIfAny,
  unchanged,
} from '@gateramp/core/extension';
import { type Change, emptyChange } from '@gateramp/core/ports';
import {
  type Access,
  accessOf,
  type AccessRow,
  actorOf,
  CODE_TTL_MS,
  type Credential,
  hasIncreased,
  invitationProblems,
  isStorable,
  OPERATORS,
  parseSecret,
  type KeptPasskey,
  passkeysOf,
  type PortalPasskey,
  type Role,
  SECRET_LENGTH,
  secretText,
  SESSION_TTL_MS,
} from './access.js';

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
          if (before === null || !isStorable(credential)) return unchanged(null);
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
          if (!hasIncreased(credential, counter)) return unchanged(null);
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

/**
 * Passkeys of users of partners. A user who is signed in adds them to their access, and signs in to this access again with the role,
 * partner and mode that it has by then. The access and its passkeys are one document, so whatever ends the access also ends its passkeys.
 */
export interface PortalPasskeys {
  /** Whether any portal user has added a passkey. */
  exist(): Promise<boolean>;
  /** The access with this id and the credentials that sign in to it; null if it is unknown, has ended, or has none. */
  find(accessId: string): Promise<{ readonly access: Access; readonly credentials: readonly Credential[] } | null>;
  /**
   * Adds a passkey to the access of a session. `proof` is the answered challenge, which adds one passkey only. `closed`: the session has
   * ended, or the proof or the passkey was added before.
   */
  add(
    token: string,
    passkey: { readonly name: string; readonly credential: Credential; readonly proof: string },
  ): Promise<PortalPasskey | 'closed' | 'too_many'>;
  /** Removes a passkey from the access of a session. False if it has none with this id. Does not end the session. */
  remove(token: string, id: string): Promise<boolean>;
  /**
   * Opens the session of an access with a signature that the host has verified, and ends the one that was open. `proof` is the answered
   * challenge, which opens one session only. Null if it was used before, if the access was ended or the passkey removed, or if its counter
   * has not increased.
   */
  signIn(signature: {
    readonly accessId: string;
    readonly credentialId: string;
    readonly counter: number;
    readonly proof: string;
  }): Promise<{ readonly token: string; readonly access: Access } | null>;
}

/** Where the access of a user handle is: browsers return the handle only. */
interface HandleRow extends DocumentRow {
  readonly of: string;
}

/** Its id is that of the access. Gives no access by itself. */
const handleKind: DocumentKind<HandleRow> = { noun: 'console_portal_user' };

const PASSKEYS_MAX = 10;

/** What the door shares: how it finds an access, and how it writes one. */
interface AccessParts {
  readonly opened: (bearer: 'token', text: string) => Promise<AccessRow | null>;
  readonly find: (partnerId: string, id: string) => Promise<AccessRow | null>;
  readonly written: (
    action: string,
    next: AccessRow,
    before: AccessRow,
    actor: Actor,
  ) => { readonly change: Change; readonly audited: readonly AuditedChange[] };
}

export function portalPasskeys(
  engine: Engine,
  { opened, find, written }: AccessParts,
  ready: () => Promise<void>,
): PortalPasskeys {
  const { clock, crypto, ids, store } = engine;

  async function accessNamed(accessId: string): Promise<AccessRow | null> {
    await ready();
    const handle = await findRow(store, handleKind, SCOPE, accessId);
    return handle === null ? null : find(handle.of, accessId);
  }

  /** A change of the passkeys of an access by its own person. */
  function rewritten(verb: 'add' | 'remove', passkey: KeptPasskey, next: AccessRow, before: AccessRow) {
    const { change, audited } = written(`console_passkey.${verb}`, next, before, actorOf(before));
    const target = { type: 'console_passkey', id: passkey.id };
    const shown = verb === 'add' ? { before: null, after: passkey } : { before: passkey, after: null };
    return { change, audited: audited.map((one) => ({ ...one, target, ...shown })) };
  }

  const mark = (proof: string): string => `console-proof/${crypto.keyedHash('console/proof', proof)}`;

  return {
    exist: async () => {
      await ready();
      return (await listRows(store, handleKind, SCOPE, { start: { kind: 'newest' }, limit: 1 })).length > 0;
    },
    find: async (accessId) => {
      const row = await accessNamed(accessId);
      const credentials = row === null ? [] : passkeysOf(row).map(({ credential }) => credential);
      return row === null || credentials.length === 0
        ? null
        : { access: accessOf(row, clock.ofMode('live')), credentials };
    },
    add: async (token, { name, credential, proof }) => {
      const owner = await opened('token', token);
      if (owner === null || owner.partnerId === OPERATORS || !isStorable(credential)) return 'closed';
      const now = clock.ofMode('live');
      const handle: HandleRow = { ...SCOPE, id: owner.id, version: 1, createdAt: now, of: owner.partnerId };
      await apply(engine, {
        load: () => findRow(store, handleKind, SCOPE, owner.id),
        decide: (known) =>
          known === null
            ? {
                change: { ...emptyChange(SCOPE, now), documents: [documentWrite(handleKind, handle, null)] },
                value: null,
              }
            : unchanged(null),
      });
      const passkey = { id: ids.object(now), name, createdAt: now, lastUsedAt: null };
      const kept = { ...passkey, credential };
      const { outcome, value } = await apply<AccessRow | null, PortalPasskey | 'closed' | 'too_many'>(engine, {
        load: () => opened('token', token),
        decide: (before) => {
          if (before === null) return unchanged('closed');
          const present = passkeysOf(before);
          if (present.length >= PASSKEYS_MAX) return unchanged('too_many');
          if (present.some((one) => one.credential.id === credential.id)) return unchanged('closed');
          const next = { ...before, passkeys: [...present, kept] };
          const { change, audited } = rewritten('add', kept, next, before);
          return { change: { ...change, once: [mark(proof)] }, audited, value: passkey };
        },
      });
      return outcome === 'duplicate' ? 'closed' : value;
    },
    remove: async (token, id) => {
      const { value } = await apply<AccessRow | null, boolean>(engine, {
        load: () => opened('token', token),
        decide: (before) => {
          const present = before === null ? [] : passkeysOf(before);
          const removed = present.find((one) => one.id === id);
          if (before === null || removed === undefined) return unchanged(false);
          const left = present.filter((one) => one !== removed);
          return { ...rewritten('remove', removed, { ...before, passkeys: left }, before), value: true };
        },
      });
      return value;
    },
    signIn: async ({ accessId, credentialId, counter, proof }) => {
      const { outcome, value } = await apply<AccessRow | null, { token: string; access: Access } | null>(engine, {
        load: () => accessNamed(accessId),
        decide: (before) => {
          const passkeys = before === null ? [] : passkeysOf(before);
          const used = passkeys.find(({ credential }) => credential.id === credentialId);
          if (before === null || used === undefined || !hasIncreased(used.credential, counter)) return unchanged(null);
          const now = clock.ofMode('live');
          const token = secretText('token', before.id, ids.secret(SECRET_LENGTH), before.partnerId);
          const next: AccessRow = {
            ...before,
            secretHash: crypto.keyedHash('console/token', token),
            expiresAt: now + SESSION_TTL_MS,
            passkeys: passkeys.map((one) =>
              one === used ? { ...one, lastUsedAt: now, credential: { ...one.credential, counter } } : one,
            ),
          };
          const { change, audited } = written('console_access.reopen', next, before, actorOf(before));
          const reason = `Signed in with passkey ${used.id}`;
          return {
            change: { ...change, once: [mark(proof)] },
            audited: audited.map((one) => ({ ...one, reason })),
            value: { token, access: accessOf(next, now) },
          };
        },
      });
      return outcome === 'committed' ? value : null;
    },
  };
}
