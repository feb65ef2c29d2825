import type { Engine } from '../application/engine.js';
import { endRemoved } from '../application/work/consumer-watch.js';
import { keyPrefix, parseKey, type ApiKey } from '../domain/keys/api-key.js';
import type { Instant } from '../domain/instant.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Partner, WebhookEndpoint } from '../domain/partner/partner.js';
import {
  endpointProblems,
  keyLifeProblems,
  keyTextProblems,
  partnerIdProblems,
  partnerProblems,
  scopeProblems,
  webhookSecretProblems,
} from './checks/check-administration.js';
import { throwIfAny } from './checks/gate-fault.js';

/**
 * Partners, keys and webhook endpoints of the store. Secrets come in as text and are kept hashed or sealed. What cannot be used rejects with a
 * `GateFault` that tells all that is wrong.
 */
export interface Administration {
  savePartner(partner: Partner): Promise<void>;
  /** Keeps the key's hash. A key that exists already keeps its life: saving never un-revokes. */
  addKey(partnerId: string, key: string, life?: { readonly expiresAt?: number }): Promise<ApiKey>;
  revokeKey(key: string): Promise<void>;
  /** Sets where webhooks go; `secret` null keeps the secrets there are. */
  setEndpoint(scope: Scope, endpoint: { readonly url: string | null; readonly secret: string | null }): Promise<void>;
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
  /**
   * Ends a consumer for good, with all its types: nothing more is written for its name, and what was is dead-lettered as it comes due. A
   * process that still has its `gate.on` brings it back at its next start, so take that out first.
   */
  removeConsumer(name: string): Promise<void>;
  /** A signing secret as `findEndpoint` of a host's own `Partners` answers it: sealed under the master key. */
  sealSecret(secret: string): Promise<string>;
}

export function administration(engine: Engine, ready: () => Promise<void>): Administration {
  const { store, clock, crypto } = engine;

  /** The store's time, or ours where it has none; ahead of it by as much as a test clock is. */
  async function stamp(mode: Mode): Promise<Instant> {
    const live = await store.readTime?.();
    return live === undefined ? clock.now(mode) : Math.round(live) + clock.now(mode) - clock.now('live');
  }

  return {
    savePartner: async (partner) => {
      throwIfAny('savePartner cannot use this partner', partnerProblems(partner));
      await store.savePartner(partner);
    },
    addKey: async (partnerId, text, life) => {
      throwIfAny(
        'addKey cannot use what it was given',
        partnerIdProblems(partnerId),
        keyTextProblems(text),
        keyLifeProblems(life),
      );
      const parsed = parseKey(text);
      if (parsed === null) throw new TypeError('That is no key.');
      const known = await store.findKey(crypto.hash(text));
      if (known !== null && known.key.partnerId !== partnerId)
        throw new TypeError('That key belongs to another partner.');
      if (known !== null) return known.key;
      const key: ApiKey = {
        hash: crypto.hash(text),
        partnerId,
        type: parsed.type,
        mode: parsed.mode,
        prefix: keyPrefix(text),
        createdAt: await stamp(parsed.mode),
        expiresAt: life?.expiresAt ?? null,
        revokedAt: null,
      };
      await store.saveKey(key);
      return key;
    },
    revokeKey: async (text) => {
      throwIfAny('revokeKey cannot use what it was given', keyTextProblems(text));
      const known = await store.findKey(crypto.hash(text));
      if (known === null || known.key.revokedAt !== null) return;
      await store.saveKey({ ...known.key, revokedAt: await stamp(known.key.mode) });
    },
    setEndpoint: async (scope, endpoint) => {
      throwIfAny('setEndpoint cannot use what it was given', scopeProblems(scope), endpointProblems(endpoint));
      const { url, secret } = endpoint;
      await ready();
      const known = await store.findEndpoint(scope);
      const isUnsigned = url !== null && secret === null && (known === null || known.secrets.length === 0);
      throwIfAny(
        'setEndpoint cannot use what it was given',
        isUnsigned ? ['secret must be given with the first url: without one no webhook could be signed.'] : [],
      );
      const now = clock.now(scope.mode);
      const secrets =
        secret === null
          ? (known?.secrets ?? [])
          : [{ sealed: crypto.sealSecret(secret), createdAt: now, expiresAt: null }];
      await store.saveEndpoint({ ...scope, url, secrets });
    },
    findEndpoint: (scope) => store.findEndpoint(scope),
    removeConsumer: async (name) => {
      await store.removeConsumer(name);
      const { consumers } = await engine.consumers.refresh();
      for (const consumer of consumers)
        if (consumer.name === name && consumer.isRemoved) await endRemoved(engine, consumer);
    },
    sealSecret: async (secret) => {
      throwIfAny('sealSecret cannot use what it was given', webhookSecretProblems(secret));
      await ready();
      return crypto.sealSecret(secret);
    },
  };
}
