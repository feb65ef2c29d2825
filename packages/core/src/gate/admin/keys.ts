import type { Engine } from '../../application/engine.js';
import type { Instant } from '../../domain/instant.js';
import {
  isExtended,
  KEY_RANDOM_LENGTH,
  KEY_SCOPES,
  keyId,
  keyPrefix,
  keyText,
  parseKey,
  type ApiKey,
  type KeyScope,
  type KeyType,
  type PresentedKey,
} from '../../domain/keys/api-key.js';
import type { Mode, Scope } from '../../domain/mode.js';
import type { KeyRecord } from '../../ports/partners.js';
import {
  instantProblems,
  KEY_HASH,
  keyLimitProblems,
  keyTextProblems,
  newKeyProblems,
  partnerIdProblems,
  storedKeyProblems,
} from '../checks/check-administration.js';
import { type AdminChange, type AdminContext, changeAudited, partnerStoreOf, saveAudited } from './partners.js';
import { GateArgumentError, throwIfAny } from '../checks/argument-error.js';

/** A key to create. */
export interface NewKey extends KeyLimits {
  readonly mode: Mode;
  /** `secret` (`sk_…`) is for the partner's server, `publishable` (`pk_…`) for its pages. */
  readonly type: KeyType;
}

/** Limits of a key. */
export interface KeyLimits {
  /** Epoch milliseconds on its partner's clock; valid up to and including this instant. Absent: the key does not expire. */
  readonly expiresAt?: number;
  /** Secret keys only: what the key may do, such as `['sessions:write', 'events:read']`. Without it, or with `'*'`: everything. */
  readonly scopes?: readonly (KeyScope | '*')[];
  /** Secret keys only: the addresses or networks it may be used from, such as `['203.0.113.0/24']`. Without it: any. */
  readonly allowedIps?: readonly string[];
}

/** A new key. Its text is shown once; only the hash is stored. */
export interface IssuedKey extends ApiKey {
  readonly text: string;
}

export interface KeyAdministration {
  /** Creates a key for an existing partner and returns its text, which is shown once. */
  issueKey(partnerId: string, wanted: NewKey): Promise<IssuedKey>;
  /**
   * Like `issueKey`, with an approval by a second person, which is spent in the commit that stores the key. Returns null if a key was
   * already issued with it, even by a concurrent call.
   */
  issueApprovedKey(partnerId: string, wanted: NewKey, approvalId: string): Promise<IssuedKey | null>;
  /** Stores the hash of a key that you generated. An existing key keeps its limits, and a revoked one stays revoked. */
  addKey(partnerId: string, key: string, limits?: KeyLimits): Promise<ApiKey>;
  /**
   * All keys of a partner in both modes, oldest first, including revoked and expired ones, with their last use. Only prefixes are shown.
   */
  listKeys(partnerId: string): Promise<readonly KeyRecord[]>;
  /**
   * Revokes a key, given as text or as its hash. Takes effect within five seconds in every process; embed tokens issued for a publishable
   * key end with it.
   */
  revokeKey(key: string): Promise<void>;
  /**
   * Lets a key, given as text or as its hash, be valid up to and including `at`, in epoch milliseconds; no effect on a revoked key. With
   * `onlyEarlier` it also has no effect on a key that already expires before `at`, even if a concurrent call has just shortened it.
   */
  expireKey(key: string, at: Instant, options?: { readonly onlyEarlier?: boolean }): Promise<void>;
}

export function keyAdministration(context: AdminContext): KeyAdministration {
  const { engine } = context;
  const { crypto, ids } = engine;

  async function newKey(
    partnerId: string,
    { text, type, mode }: PresentedKey,
    { expiresAt, scopes, allowedIps }: KeyLimits,
  ): Promise<ApiKey> {
    return {
      hash: crypto.hash(text),
      partnerId,
      type,
      mode,
      prefix: keyPrefix(text),
      createdAt: await stamp(engine, { partnerId, mode }),
      expiresAt: expiresAt ?? null,
      revokedAt: null,
      ...(scopes === undefined || scopes.includes('*')
        ? {}
        : { scopes: KEY_SCOPES.filter((one) => scopes.includes(one)) }),
      ...(allowedIps === undefined ? {} : { allowedIps }),
    };
  }

  async function keep(action: string, ...given: Parameters<typeof newKey>): Promise<ApiKey> {
    const key = await newKey(...given);
    await saveAudited(context, 'key', key, entryOf(action, key, null));
    return key;
  }

  async function expectNewKey(call: string, partnerId: string, wanted: NewKey): Promise<PresentedKey> {
    throwIfAny(`${call} received invalid arguments`, partnerIdProblems(partnerId), newKeyProblems(wanted));
    await expectPartner(call, partnerId);
    const { type, mode } = wanted;
    return { text: keyText(type, mode, ids.secret(KEY_RANDOM_LENGTH)), type, mode };
  }

  function entryOf(action: string, key: ApiKey, before: ApiKey | null): AdminChange {
    const { partnerId, mode } = key;
    return { action, target: { type: 'key', id: keyId(key) }, partnerId, mode, before, after: key };
  }

  /** Does nothing if the key does not exist, is revoked, or is like this already. */
  async function change(action: string, given: string, next: (key: ApiKey) => Promise<ApiKey>): Promise<void> {
    const store = partnerStoreOf(engine);
    const hash = KEY_HASH.test(given) ? given : crypto.hash(given);
    const partnerId = (await store.findKey(hash))?.partner.id;
    if (partnerId === undefined) return;
    await changeAudited(context, 'key', async () => {
      // Not from `findKey`, whose answer may be seconds old.
      const key = (await store.listKeys(partnerId)).find((one) => one.key.hash === hash)?.key;
      if (key === undefined || key.revokedAt !== null) return null;
      const row = await next(key);
      const isSame = row.expiresAt === key.expiresAt && row.revokedAt === key.revokedAt;
      return isSame ? null : { row, change: entryOf(action, row, key) };
    });
  }

  /** Without this check a key without a partner would be stored, but could never authenticate. */
  async function expectPartner(call: string, partnerId: string): Promise<void> {
    const isKnown = (await partnerStoreOf(engine).findPartner(partnerId)) !== null;
    throwIfAny(`${call} received invalid arguments`, isKnown ? [] : ['No partner has this partnerId.']);
  }

  return {
    issueKey: async (partnerId, wanted) => {
      const presented = await expectNewKey('issueKey', partnerId, wanted);
      return { ...(await keep('key.issue', partnerId, presented, wanted)), text: presented.text };
    },
    issueApprovedKey: async (partnerId, wanted, approvalId) => {
      const presented = await expectNewKey('issueApprovedKey', partnerId, wanted);
      const key: ApiKey = { ...(await newKey(partnerId, presented, wanted)), approvalId };
      const last = { isSpent: false };
      await changeAudited(context, 'key', async () => {
        const keys = await partnerStoreOf(engine).listKeys(partnerId);
        last.isSpent = keys.some((one) => one.key.approvalId === approvalId);
        return last.isSpent ? null : { row: key, change: entryOf('key.issue', key, null) };
      });
      return last.isSpent ? null : { ...key, text: presented.text };
    },
    addKey: async (partnerId, text, limits) => {
      const what = 'addKey received invalid arguments';
      throwIfAny(
        what,
        partnerIdProblems(partnerId),
        keyTextProblems(text),
        keyLimitProblems(limits, parseKey(String(text))?.type),
      );
      const parsed = parseKey(text);
      if (parsed === null) throw new GateArgumentError(what, ['This is not an API key.']);
      const known = await partnerStoreOf(engine).findKey(crypto.hash(text));
      if (known !== null && known.key.partnerId !== partnerId)
        throw new GateArgumentError(what, ['This key belongs to another partner.']);
      if (known === null) await expectPartner('addKey', partnerId);
      return known?.key ?? keep('key.add', partnerId, parsed, limits ?? {});
    },
    listKeys: async (partnerId) => {
      throwIfAny('listKeys received invalid arguments', partnerIdProblems(partnerId));
      return partnerStoreOf(engine).listKeys(partnerId);
    },
    revokeKey: async (given) => {
      throwIfAny('revokeKey received invalid arguments', storedKeyProblems(given));
      await change('key.revoke', given, async (key) => ({ ...key, revokedAt: await stamp(engine, key) }));
    },
    expireKey: async (given, at, { onlyEarlier = false } = {}) => {
      throwIfAny('expireKey received invalid arguments', storedKeyProblems(given), instantProblems('at', at));
      await change('key.expire', given, async (key) =>
        onlyEarlier && isExtended(key, at) ? key : { ...key, expiresAt: at },
      );
    },
  };
}

/** The store's time, or the process's if the store has no clock, plus the offset of a test clock. */
async function stamp(engine: Engine, scope: Scope): Promise<Instant> {
  const { clock } = engine;
  const live = await partnerStoreOf(engine).readTime?.();
  return live === undefined ? clock.now(scope) : Math.round(live) + clock.now(scope) - clock.ofMode('live');
}
