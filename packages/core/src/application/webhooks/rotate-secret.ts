import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import type { WebhookEndpoint } from '../../domain/partner/partner.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import {
  rotateSecret as rotate,
  WEBHOOK_SECRET_RANDOM_LENGTH,
  WEBHOOK_SECRET_START,
} from '../../domain/webhook/secret-rotation.js';
import { emptyChange } from '../../ports/change.js';
import { execute } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/stored-reply.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { withBoundSecrets } from './bound-secrets.js';

/** A signing secret that was just made. The text is shown this once; it is kept sealed. */
export interface RotatedSecret {
  readonly secret: string;
  readonly createdAt: Instant;
  readonly previousExpiresAt: Instant | null;
}

/**
 * Puts a new signing secret in the place of the present one, which keeps signing as well for a while if requested. Secret
 * and sealed reply are one commit, so a caller that lost the answer repeats the key and gets the same secret.
 */
export async function rotateSecret(
  engine: Engine,
  scope: Scope,
  graceMs: number,
  idempotent: Idempotent<RotatedSecret> | null,
): Promise<
  Result<Answered<RotatedSecret>, Refusal<'route_not_found'> | KeyRefusal | Refusal<'operation_in_progress'>>
> {
  const { partnerStore } = engine;
  if (partnerStore === null || engine.partners !== partnerStore) return keptByHost();
  const done = await onePerKey(engine, idempotent, () =>
    execute<WebhookEndpoint | null, RotatedSecret, never>(
      engine,
      {
        load: async () => ok(await partnerStore.findEndpoint(scope)),
        decide: (before) => {
          const now = engine.clock.now(scope.mode);
          const secret = `${WEBHOOK_SECRET_START}${engine.ids.secret(WEBHOOK_SECRET_RANDOM_LENGTH)}`;
          const sealed = engine.crypto.sealSecret(secret, scope);
          const known = before === null ? null : withBoundSecrets(engine.crypto, before);
          const { endpoint, previousExpiresAt } = rotate(scope, known, { sealed, graceMs, now });
          return ok({
            change: { ...emptyChange(scope, now), endpoints: [{ row: endpoint, expected: before }] },
            value: { secret, createdAt: now, previousExpiresAt },
          });
        },
      },
      idempotent,
    ),
  );
  return done.andThen(answered);
}

/** Tenants of the host's own have their secrets with the host; the engine reads them and changes none. */
function keptByHost(): ReturnType<typeof refuse<'route_not_found'>> {
  return refuse('route_not_found', 'Webhook secrets are kept by this platform itself; rotate yours there.');
}
