import { err, ok, type Result } from 'neverthrow';
import { type AuditContext, type AuditedChange, isAdministrator } from '../../domain/audit.js';
import type { Instant } from '../../domain/instant.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import { pausedSince, type WebhookEndpoint } from '../../domain/partner/partner.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import {
  type EndpointHealth,
  rotateSecret,
  UNTRIED,
  WEBHOOK_SECRET_RANDOM_LENGTH,
  WEBHOOK_SECRET_START,
  webhookSecretPrefix,
} from '../../domain/webhook/endpoint.js';
import { webhookTest } from '../../domain/webhook/event.js';
import { emptyChange } from '../../ports/change.js';
import type { Crypto } from '../../ports/crypto.js';
import { loadAudience, partnerEvent } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';

/** A partner's webhook endpoint in one mode, and its health. */
export interface EndpointState {
  readonly url: string | null;
  readonly secretPrefix: string | null;
  readonly pausedAt: Instant | null;
  readonly health: EndpointHealth;
}

export async function retrieveWebhookEndpoint(
  { partners, store, crypto }: Engine,
  scope: Scope,
): Promise<EndpointState> {
  const [endpoint, health] = await Promise.all([partners.findEndpoint(scope), store.find('endpoint_health', scope)]);
  const current = endpoint?.secrets.find(({ expiresAt }) => expiresAt === null);
  return {
    url: endpoint?.url ?? null,
    secretPrefix: current === undefined ? null : webhookSecretPrefix(crypto.openSecret(current.sealed, scope)),
    pausedAt: pausedSince(endpoint),
    health: health ?? UNTRIED,
  };
}

/**
 * Encrypts every secret of the endpoint for this endpoint alone: in another partner's or the other mode's row it cannot be decrypted.
 * Secrets encrypted by earlier versions were not bound.
 */
export function withBoundSecrets(
  crypto: Pick<Crypto, 'openSecret' | 'sealSecret'>,
  endpoint: WebhookEndpoint,
): WebhookEndpoint {
  const secrets = endpoint.secrets.map((secret) => ({
    ...secret,
    sealed: crypto.sealSecret(crypto.openSecret(secret.sealed, endpoint), endpoint),
  }));
  return { ...endpoint, secrets };
}

/** The audit entry of a change of an endpoint. */
export function endpointChange(
  by: AuditContext,
  action: string,
  row: WebhookEndpoint,
  before: WebhookEndpoint | null,
): AuditedChange {
  const scope = scopeOf(row);
  return { ...by, ...scope, action, target: { type: 'endpoint', id: scope.mode }, before, after: row };
}

/** A new signing secret. The text is shown once and stored encrypted. */
export interface RotatedSecret {
  readonly secret: string;
  readonly createdAt: Instant;
  readonly previousExpiresAt: Instant | null;
}

/**
 * Replaces the signing secret; the current one keeps signing during the requested grace period. Secret and sealed reply are one commit, so
 * a caller that lost the response repeats the key and gets the same secret.
 */
export async function rotateWebhookSecret(
  engine: Engine,
  scope: Scope,
  graceMs: number,
  by: AuditContext,
  idempotent: Idempotent<RotatedSecret> | null,
): Keyed<RotatedSecret, Refusal<'route_not_found'>> {
  const { partnerStore } = engine;
  if (partnerStore === null || engine.partners !== partnerStore) return keptByHost();
  return executeKeyed<WebhookEndpoint | null, RotatedSecret, never>(
    engine,
    {
      load: async () => ok(await partnerStore.findEndpoint(scope)),
      decide: (before) => {
        const now = engine.clock.now(scope);
        const secret = `${WEBHOOK_SECRET_START}${engine.ids.secret(WEBHOOK_SECRET_RANDOM_LENGTH)}`;
        const sealed = engine.crypto.sealSecret(secret, scope);
        const known = before === null ? null : withBoundSecrets(engine.crypto, before);
        const { endpoint, previousExpiresAt } = rotateSecret(scope, known, { sealed, graceMs, now });
        return ok({
          change: { ...emptyChange(scope, now), endpoints: [{ row: endpoint, expected: before }] },
          value: { secret, createdAt: now, previousExpiresAt },
          audited: [endpointChange(by, 'webhook_secret.rotate', endpoint, before)],
        });
      },
    },
    idempotent,
  );
}

/** A host that manages its own partners stores their secrets too; the engine only reads them. */
function keptByHost(): ReturnType<typeof refuse<'route_not_found'>> {
  return refuse('route_not_found', 'Webhook secrets are kept by this platform itself; rotate yours there.');
}

export type NoWebhookUrl = Refusal<'webhook_url_not_configured'>;

/** The partner's webhook URL in a mode; refused if none is set. */
export async function webhookUrl({ partners }: Engine, scope: Scope): Promise<Result<string, NoWebhookUrl>> {
  const url = (await partners.findEndpoint(scope))?.url;
  if (url) return ok(url);
  return refuse('webhook_url_not_configured', `No webhook URL is set for ${scope.mode} mode; set one first.`);
}

/** A queued `webhook.test`. */
export interface QueuedTest {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly url: string;
  readonly queuedAt: Instant;
}

/** Sends `webhook.test` to the partner's endpoint like any other event: signed, retried and listed (spec: Other endpoints 7). */
export function testWebhook(
  engine: Engine,
  scope: Scope,
  by: AuditContext,
  idempotent: Idempotent<QueuedTest> | null,
): Keyed<QueuedTest, NoWebhookUrl> {
  return executeKeyed(
    engine,
    {
      load: async () => {
        const url = await webhookUrl(engine, scope);
        if (url.isErr()) return err(url.error);
        return ok({ url: url.value, audience: await loadAudience(engine, scope) });
      },
      decide: ({ url, audience }) => {
        const now = engine.clock.now(scope);
        // The response names the delivery, so it is written even if the URL is removed between the check and the commit.
        const wanted = { ...audience, webhook: 'always' } as const;
        const announced = { type: 'webhook.test', data: webhookTest(scope) } as const;
        const writes = partnerEvent(engine, wanted, scope, announced, now);
        const delivery = writes.deliveries.find(({ row }) => row.target === 'webhook')?.row;
        if (delivery === undefined) throw new Error('A test event was written without its delivery.');
        const value = { eventId: delivery.eventId, deliveryId: delivery.id, url, queuedAt: now };
        const change = { ...emptyChange(scope, now), ...writes };
        if (!isAdministrator(by.actor)) return ok({ change, value });
        const target = { type: 'endpoint', id: scope.mode };
        const row = { before: null, after: { eventId: delivery.eventId } };
        return ok({ change, value, audited: [{ ...by, ...scope, action: 'webhook_endpoint.test', target, ...row }] });
      },
    },
    idempotent,
  );
}
