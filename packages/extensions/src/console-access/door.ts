import {
  type Actor,
  type AuditContext,
  type Instant,
  lookAlike,
  type Mode,
  type PageStart,
  type Person,
  personOf,
  scopeOf,
} from '@gateramp/core/domain';
import {
  actorProblems,
  apply,
  type DocumentRow,
  type DocumentKind,
  documentWrite,
  type Engine,
  findKeptRow,
  findRow,
  GateArgumentError,
  listRows,
  throwIfAny,
  unchanged,
} from '@gateramp/core/extension';
import { emptyChange } from '@gateramp/core/ports';
import { type Approvals, consoleApprovals } from './approvals.js';
import {
  type Access,
  accessKind as kind,
  accessOf,
  type AccessRow,
  actorOf,
  type Bearer,
  CODE_TTL_MS,
  endedAccess,
  invitationProblems,
  isCurrent,
  OPERATORS,
  parseSecret,
  partnersProblems,
  type Role,
  SECRET_LENGTH,
  secretText,
  SESSION_TTL_MS,
  signedOutAccess,
} from './access.js';
import { operatorPasskeys, type Passkeys, type PortalPasskeys, portalPasskeys } from './passkeys.js';

/** Who to let into the console. */
interface Invitation {
  /** The mode that the session sees. Not for operators, who choose a partner and mode with every request. */
  readonly mode?: Mode;
  /** `viewer` by default, which may read only. */
  readonly role?: Role;
  /** The name or id of the invited person, which the audit trail shows with everything that the session changes. */
  readonly actor: string;
  /** How long the code can be exchanged, in milliseconds: a minute by default, an hour at most. */
  readonly ttl?: number;
  /** The user of the console who invites, if it is not the host: cannot be the second person to what the invited one requests. */
  readonly vouchedBy?: Person | null;
}

/**
 * Access to the console. Codes and tokens are shown once; only keyed hashes are stored. Every change is recorded in the audit trail, in
 * the same commit.
 */
export interface ConsoleDoor {
  /**
   * Invites a user of a partner, or an operator if `partnerId` is null. Returns a code that can be exchanged once. Put it into the fragment
   * of the console's address, which browsers send to no server: `https://console.example/#code=…`. Throws `name_taken` if a current
   * member has this name or one that looks like it, unless the host let both in.
   */
  invite(
    partnerId: string | null,
    invitation: Invitation,
  ): Promise<{ readonly id: string; readonly code: string; readonly expiresAt: Instant }>;
  /** Whom a code lets in, without using it. Null for a code that is unknown, expired or used. */
  invited(code: string): Promise<Access | null>;
  /**
   * Exchanges a code for the token of a session, which lasts for eight hours. Null for a code that is unknown, expired or used: of racing
   * exchanges, one gets the session.
   */
  exchange(code: string): Promise<{ readonly token: string; readonly access: Access } | null>;
  /**
   * Opens a session of an operator whom the host has identified. `proof` is what identified them, such as an answered challenge, and opens
   * one session only: null if it was used before. `partners` limits what they see; by default all.
   */
  signIn(operator: {
    readonly actor: string;
    readonly role: Role;
    readonly partners?: readonly string[] | null;
    /** What the host knows this person by if their name may change; by default their name. */
    readonly subject?: string;
    readonly proof: string;
  }): Promise<{ readonly token: string; readonly access: Access } | null>;
  /** The session of a token; null if there is none, or if it has ended, expired or been revoked. */
  authenticate(token: string): Promise<Access | null>;
  /** Ends the session of a token, and with it the access unless that has passkeys. Does nothing if it has ended. */
  end(token: string): Promise<void>;
  /**
   * Invitations and sessions of a partner in a mode, or of operators if `partnerId` is null. The newest 100 of the last 30 days, and older
   * ones that have, or can still open, a session.
   */
  list(partnerId: string | null, mode?: Mode | null): Promise<readonly Access[]>;
  /**
   * Ends a session and removes the passkeys of its access, or withdraws an invitation, by its id. False if this partner (null: the
   * operators) has none with this id, or only one for another mode than the given one.
   */
  revoke(partnerId: string | null, id: string, mode?: Mode | null): Promise<boolean>;
  /** Passkeys with which operators sign in. */
  readonly passkeys: Passkeys;
  /** Passkeys with which users of partners sign in again. */
  readonly portalPasskeys: PortalPasskeys;
  /** Changes that need a second person. */
  readonly approvals: Approvals;
  /** The same calls by an actor other than the host, whom the audit trail then names. */
  as(actor: Actor, why?: { readonly reason?: string; readonly requestId?: string }): ConsoleDoor;
}

/** One row for each name in use. Invitations under it write it, so that of two at once one sees the other. */
const nameKind: DocumentKind<DocumentRow> = { noun: 'console_name' };

const LISTED_MAX = 100;

const HOST: AuditContext = { actor: { type: 'host', id: 'gate.console' }, reason: null, requestId: null };

export function consoleDoor(engine: Engine, ready: () => Promise<void>, by: AuditContext = HOST): ConsoleDoor {
  const { clock, crypto, ids, store } = engine;

  const hashOf = (bearer: Bearer, text: string): string => crypto.keyedHash(`console/${bearer}`, text);
  const find = (partnerId: string, id: string): Promise<AccessRow | null> =>
    findKeptRow(store, kind, { partnerId, mode: 'live' }, id, clock.ofMode('live'));

  /** The row that a code or token opens at this moment. */
  async function opened(bearer: Bearer, text: string): Promise<AccessRow | null> {
    const named = parseSecret(bearer, text);
    if (named === null) return null;
    await ready();
    const row = await find(named.partnerId, named.id);
    if (row === null || row.state !== (bearer === 'code' ? 'invited' : 'active')) return null;
    if (clock.ofMode('live') > row.expiresAt) return null;
    return crypto.equal(row.secretHash, hashOf(bearer, text)) ? row : null;
  }

  function written(action: string, next: AccessRow, before: AccessRow | null, actor: Actor = by.actor) {
    const { partnerId, of: mode, id } = next;
    const change = {
      ...emptyChange(scopeOf(next), clock.ofMode('live')),
      documents: [documentWrite(kind, next, before)],
    };
    const target = { type: 'console_access', id };
    const owner = { partnerId: partnerId === OPERATORS ? null : partnerId, mode };
    return { change, value: next, audited: [{ ...by, ...owner, actor, action, target, before, after: next }] };
  }

  async function expectPartner(partnerId: string): Promise<void> {
    const isKnown = (await engine.partners.findPartner(partnerId)) !== null;
    throwIfAny('invite received invalid arguments', isKnown ? [] : ['No partner has this partnerId.']);
  }

  /** The newest rows up to a limit, and of the others those of people who have, or can still open, a session. */
  async function members(partnerId: string, newest: number, group: string | null = null) {
    const found: AccessRow[] = [];
    let start: PageStart = { kind: 'newest' };
    for (let isFirst = true; ; isFirst = false) {
      const page = { start, limit: LISTED_MAX };
      const rows: readonly AccessRow[] = await listRows(store, kind, { partnerId, mode: 'live' }, page, { group });
      const shown = rows.slice(0, LISTED_MAX);
      const now = clock.ofMode('live');
      found.push(...shown.filter((row, nth) => (isFirst && nth < newest) || isCurrent(row, now)));
      const last = shown.at(-1);
      if (rows.length <= LISTED_MAX || last === undefined) return found;
      start = { kind: 'after', id: last.id };
    }
  }

  const currentMembers = (partnerId: string): Promise<readonly AccessRow[]> => members(partnerId, 0);

  /** Who has the name of an invitation, or one that looks like it; null: it is free. The host names its people as often as it likes. */
  async function holderOf({ partnerId, actor, vouchedBy }: AccessRow): Promise<Person | null> {
    if (partnerId === OPERATORS) return null;
    const name = lookAlike(actor.id);
    const isVouched = vouchedBy !== undefined;
    const [own, operators, keys] = await Promise.all([
      currentMembers(partnerId),
      isVouched ? currentMembers(OPERATORS) : [],
      isVouched ? passkeys.list() : [],
    ]);
    const owners = keys
      .filter(({ state }) => state === 'active')
      .map(({ actor: id }) => ({ type: 'operator', id }) as const);
    const others = [...own.filter((one) => isVouched || one.vouchedBy !== undefined), ...operators].map(actorOf);
    return [...others, ...owners].find(({ id }) => lookAlike(id) === name) ?? null;
  }

  const passkeys = operatorPasskeys(engine, ready, by);

  return {
    invite: async (partnerId, invitation) => {
      throwIfAny('invite received invalid arguments', invitationProblems(partnerId, invitation));
      if (partnerId !== null) await expectPartner(partnerId);
      await ready();
      const { mode = null, role = 'viewer', actor, ttl = CODE_TTL_MS, vouchedBy = null } = invitation;
      const now = clock.ofMode('live');
      const [owner, id] = [partnerId ?? OPERATORS, ids.object(now)];
      const code = secretText('code', id, ids.secret(SECRET_LENGTH), owner);
      const row: AccessRow = {
        ...{ id, partnerId: owner, mode: 'live', version: 1, of: mode, role },
        actor: { type: partnerId === null ? 'operator' : 'partner_user', id: actor },
        ...(vouchedBy === null ? {} : { vouchedBy: personOf(vouchedBy) }),
        state: 'invited',
        secretHash: hashOf('code', code),
        createdAt: now,
        expiresAt: now + ttl,
        endedAt: null,
      };
      const nameId = crypto.keyedHash('console/name', lookAlike(actor)).slice(0, 24);
      const nameScope = { partnerId: owner, mode: 'live' } as const;
      const { value: holder } = await apply<NameFacts, Person | null>(engine, {
        load: async () => ({ known: await findRow(store, nameKind, nameScope, nameId), holder: await holderOf(row) }),
        decide: ({ known, holder: taken }) => {
          if (taken !== null) return unchanged(taken);
          const { change, audited } = written('console_access.invite', row, null);
          const name = documentWrite(nameKind, { ...nameScope, id: nameId, version: 1, createdAt: now }, known);
          return { change: { ...change, documents: [...change.documents, name] }, audited, value: null };
        },
      });
      if (holder !== null)
        throw new GateArgumentError('invite received invalid arguments', [nameTaken(holder)], 'name_taken');
      return { id, code, expiresAt: row.expiresAt };
    },
    invited: async (code) => {
      const row = await opened('code', code);
      return row === null ? null : accessOf(row, clock.ofMode('live'));
    },
    exchange: async (code) => {
      const token = (row: AccessRow) => secretText('token', row.id, ids.secret(SECRET_LENGTH), row.partnerId);
      const { value } = await apply<AccessRow | null, { row: AccessRow; token: string } | null>(engine, {
        load: () => opened('code', code),
        decide: (before) => {
          if (before === null) return unchanged(null);
          const text = token(before);
          const expiresAt = clock.ofMode('live') + SESSION_TTL_MS;
          const row: AccessRow = { ...before, state: 'active', secretHash: hashOf('token', text), expiresAt };
          return { ...written('console_access.exchange', row, before, actorOf(before)), value: { row, token: text } };
        },
      });
      return value === null ? null : { token: value.token, access: accessOf(value.row, clock.ofMode('live')) };
    },
    signIn: async ({ actor, role, partners = null, subject, proof }) => {
      throwIfAny(
        'signIn received invalid arguments',
        invitationProblems(null, { actor, role }),
        partnersProblems(partners),
      );
      await ready();
      const now = clock.ofMode('live');
      const id = ids.object(now);
      const token = secretText('token', id, ids.secret(SECRET_LENGTH), OPERATORS);
      const row: AccessRow = {
        ...{ id, partnerId: OPERATORS, mode: 'live', version: 1, of: null, role },
        actor: { type: 'operator', id: actor },
        ...(partners !== null && { partners }),
        ...(subject !== undefined && { subject: crypto.keyedHash('console/subject', subject) }),
        state: 'active',
        secretHash: hashOf('token', token),
        createdAt: now,
        expiresAt: now + SESSION_TTL_MS,
        endedAt: null,
      };
      const signedIn = written('console_access.sign_in', row, null, actorOf(row));
      const change = { ...signedIn.change, once: [`console-proof/${crypto.keyedHash('console/proof', proof)}`] };
      const { outcome } = await apply(engine, { load: async () => row, decide: () => ({ ...signedIn, change }) });
      return outcome === 'committed' ? { token, access: accessOf(row, now) } : null;
    },
    authenticate: async (token) => {
      const row = await opened('token', token);
      return row === null ? null : accessOf(row, clock.ofMode('live'));
    },
    end: async (token) => {
      await apply<AccessRow | null, AccessRow | null>(engine, {
        load: () => opened('token', token),
        decide: (before) =>
          before === null
            ? unchanged(null)
            : written('console_access.end', signedOutAccess(before, clock.ofMode('live')), before, actorOf(before)),
      });
    },
    list: async (partnerId, mode = null) => {
      const rows = await members(partnerId ?? OPERATORS, LISTED_MAX, partnerId === null ? 'operators' : mode);
      return rows.map((row) => accessOf(row, clock.ofMode('live')));
    },
    revoke: async (partnerId, id, mode = null) => {
      await ready();
      const { value } = await apply<AccessRow | null, AccessRow | null>(engine, {
        load: async () => {
          const row = await find(partnerId ?? OPERATORS, id);
          return mode === null || row?.of === mode ? row : null;
        },
        decide: (before) =>
          before === null || before.state === 'ended'
            ? unchanged(before)
            : written('console_access.revoke', endedAccess(before, clock.ofMode('live')), before),
      });
      return value !== null;
    },
    passkeys,
    portalPasskeys: portalPasskeys(engine, { opened, find, written }, ready),
    approvals: consoleApprovals(engine, ready, by),
    as: (actor, why = {}) => {
      throwIfAny('gate.console.as received invalid arguments', actorProblems(actor, why));
      const { reason = null, requestId = null } = why;
      return consoleDoor(engine, ready, { actor, reason, requestId });
    },
  };
}

interface NameFacts {
  readonly known: DocumentRow | null;
  readonly holder: Person | null;
}

function nameTaken({ id, accessId }: Person): string {
  const access = accessId === undefined ? '' : `, access ${accessId}`;
  return `A current member has this name or one that looks like it (${id}${access}). Choose another name, or end that access first.`;
}
