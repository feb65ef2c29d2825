import { type Gate, GateArgumentError, type Scope } from '@gateramp/core';
import { isLoopback, isOriginText } from '@gateramp/core/domain';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { mirrored } from './mirrored-endpoints.js';
import { fromGate, NOTHING_HERE, refuse } from './refusal.js';
import { CHANGES, needs, READS, SECRETS } from './roles.js';
import { isoOrNull, TIME } from './schemas.js';

const ROTATING = z.object({
  previous_secret_expires_at: TIME.nullable().describe('Until when the replaced secret signs too.'),
});

/** During a rotation; null otherwise, and where the host keeps the secrets itself. */
async function previousSecretExpiresAt(admin: Gate['admin'], scope: Scope): Promise<string | null> {
  try {
    const known = await admin.findEndpoint(scope);
    return isoOrNull(known?.secrets.find(({ expiresAt }) => expiresAt !== null)?.expiresAt);
  } catch (error) {
    if (error instanceof GateArgumentError) return null;
    throw error;
  }
}

type Parts = { readonly admin: Gate['admin']; readonly calls: Pick<Gate, 'webhooks'> };

async function endpointJson({ admin, calls }: Parts, scope: Scope) {
  const [shown, until] = await Promise.all([calls.webhooks.endpoint(scope), previousSecretExpiresAt(admin, scope)]);
  return shown.map((body) => ({ json: { ...body, previous_secret_expires_at: until } })).mapErr(fromGate);
}

const ORIGIN = z
  .string()
  .refine(
    (text) => isOriginText(text) && (text.startsWith('https:') || isLoopback(new URL(text).hostname)),
    'must be an exact https origin such as https://shop.example, or http on a loopback address',
  );

const ORIGINS = z.object({ allowed_origins: z.array(z.string()) });

export const SETTING_ENDPOINTS = [
  endpoint({
    name: 'retrieveEndpoint',
    method: 'GET',
    path: '/endpoint',
    summary: 'Retrieve the webhook endpoint and its health',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    mirrors: 'retrieveWebhookEndpoint',
    query: null,
    body: null,
    reply: { extends: 'WebhookEndpoint', members: ROTATING },
    success: 200,
    run: async ({ admin, calls, scope }) => endpointJson({ admin, calls }, scope),
  }),
  endpoint({
    name: 'updateEndpoint',
    method: 'PATCH',
    path: '/endpoint',
    summary: 'Change the URL of the webhook endpoint, or pause or resume it',
    audience: 'partner',
    needs: CHANGES,
    reason: 'live',
    query: null,
    body: z.object({
      url: z.string().max(2_048).nullable().optional().describe('Where webhooks are sent; null: nowhere.'),
      paused: z.boolean().optional().describe('Deliveries of a paused endpoint wait; no attempt is counted.'),
    }),
    reply: { extends: 'WebhookEndpoint', members: ROTATING },
    success: 200,
    run: async ({ admin, calls, scope, body: { url, paused } }) => {
      if ((url === undefined) === (paused === undefined))
        return refuse('validation_failed', 'Send either url or paused, so that each change has its own reason.');
      const known = await admin.findEndpoint(scope);
      if (paused !== undefined) {
        if (known === null) return refuse('validation_failed', 'There is no webhook endpoint yet; set its url first.');
        await (paused ? admin.pauseEndpoint(scope) : admin.resumeEndpoint(scope));
      } else {
        if (url !== null && (known === null || known.secrets.length === 0))
          return refuse('validation_failed', 'Make a signing secret first: POST /console/v1/endpoint/rotate_secret.');
        await admin.setEndpoint(scope, { url: url ?? null, secret: null });
      }
      return endpointJson({ admin, calls }, scope);
    },
  }),
  endpoint({
    name: 'rotateSecret',
    method: 'POST',
    path: '/endpoint/rotate_secret',
    summary: 'Replace the signing secret of webhooks; the new one is shown once',
    audience: 'partner',
    needs: SECRETS,
    reason: 'live',
    mirrors: 'rotateWebhookSecret',
    query: null,
    body: z.object({
      grace_period_seconds: z
        .int()
        .min(0)
        .max(86_400)
        .default(86_400)
        .describe(
          'How long the previous secret signs too: a day by default, so that deliveries verify until receivers have the new one.',
        ),
    }),
    reply: { extends: 'WebhookSecret', members: z.object({ previous_secret_expires_at: TIME.nullable() }) },
    success: 200,
    run: async ({ calls, scope, body }) => {
      const done = await calls.webhooks.rotateSecret(scope, body);
      return done
        .map((made) => ({ json: { ...made, previous_secret_expires_at: made.previous_expires_at } }))
        .mapErr(fromGate);
    },
  }),
  endpoint({
    name: 'retrieveDomains',
    method: 'GET',
    path: '/domains',
    summary: 'Retrieve the origins of pages that may open the checkout, of both modes',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: ORIGINS,
    success: 200,
    run: async ({ gate, scope }) => {
      const partner = await gate.admin.findPartner(scope.partnerId);
      return partner === null ? err(NOTHING_HERE) : ok({ json: { allowed_origins: partner.allowedOrigins } });
    },
  }),
  endpoint({
    name: 'replaceDomains',
    method: 'PUT',
    path: '/domains',
    summary:
      'Replace the origins of pages that may open the checkout, in both modes. For users of a partner it is a request that an operator must approve',
    audience: 'partner',
    // Live checkouts use the same list, whatever mode it is changed in.
    needs: needs('operator'),
    reason: 'always',
    secondPerson: { isCollected: false, isRequired: () => Promise.resolve(false) },
    query: null,
    body: z.object({ allowed_origins: z.array(ORIGIN).max(100) }),
    reply: ORIGINS,
    success: 200,
    run: async ({ admin, scope, body: { allowed_origins: allowedOrigins } }) => {
      const partner = await admin.findPartner(scope.partnerId);
      if (partner === null) return err(NOTHING_HERE);
      await admin.savePartner({ ...partner, allowedOrigins });
      return ok({ json: { allowed_origins: allowedOrigins } });
    },
  }),
  endpoint({
    name: 'retrieveBranding',
    method: 'GET',
    path: '/branding',
    summary: 'Retrieve the branding of this mode',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    mirrors: 'retrieveBranding',
    query: null,
    body: null,
    reply: null,
    success: 200,
    run: async ({ calls, scope, path }) => mirrored(await calls.branding.retrieve(scope), path),
  }),
  endpoint({
    name: 'updateBranding',
    method: 'PUT',
    path: '/branding',
    summary: 'Update the branding of this mode',
    audience: 'partner',
    needs: CHANGES,
    reason: 'live',
    mirrors: 'updateBranding',
    query: null,
    body: 'mirrored',
    reply: null,
    success: 200,
    run: async ({ calls, scope, body, path }) => mirrored(await calls.branding.update(scope, body), path),
  }),
];
