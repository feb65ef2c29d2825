import { apply } from '../../application/commit/apply.js';
import type { Engine } from '../../application/engine.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import type { WebhookEndpoint } from '../../domain/partner/partner.js';
import { emptyChange } from '../../ports/change.js';
import { endpointProblems, scopeProblems, webhookSecretProblems } from '../checks/check-administration.js';
import { partnerStoreOf } from './partner-store.js';
import { throwIfAny } from '../checks/gate-fault.js';

export interface EndpointAdministration {
  /** Sets where webhooks go; `secret` null keeps the secrets there are, those of a rotation that is made meanwhile too. */
  setEndpoint(scope: Scope, endpoint: { readonly url: string | null; readonly secret: string | null }): Promise<void>;
  /** The endpoint as stored, its secrets sealed; null when none was ever set. */
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
  /** A signing secret as `findEndpoint` of a host's own `Partners` answers it: sealed under the master key. */
  sealSecret(secret: string): Promise<string>;
}

export function endpointAdministration(engine: Engine, ready: () => Promise<void>): EndpointAdministration {
  const { clock, crypto } = engine;
  return {
    setEndpoint: async (scope, endpoint) => {
      throwIfAny('setEndpoint cannot use what it was given', scopeProblems(scope), endpointProblems(endpoint));
      const { url, secret } = endpoint;
      const store = partnerStoreOf(engine);
      await ready();
      await apply(engine, {
        load: () => store.findEndpoint(scope),
        decide: (known) => {
          const isUnsigned = url !== null && secret === null && (known === null || known.secrets.length === 0);
          throwIfAny(
            'setEndpoint cannot use what it was given',
            isUnsigned ? ['secret must be given with the first url: without one no webhook could be signed.'] : [],
          );
          const now = clock.now(scope.mode);
          const given = secret === null ? null : { sealed: crypto.sealSecret(secret), createdAt: now, expiresAt: null };
          const secrets = given === null ? (known?.secrets ?? []) : [given];
          const row = { ...scopeOf(scope), url, secrets };
          return { change: { ...emptyChange(scope, now), endpoints: [{ row, expected: known }] }, value: null };
        },
      });
    },
    findEndpoint: async (scope) => {
      throwIfAny('findEndpoint cannot use what it was given', scopeProblems(scope));
      return partnerStoreOf(engine).findEndpoint(scope);
    },
    sealSecret: async (secret) => {
      throwIfAny('sealSecret cannot use what it was given', webhookSecretProblems(secret));
      await ready();
      return crypto.sealSecret(secret);
    },
  };
}
