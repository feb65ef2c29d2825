import { err } from 'neverthrow';
import { endpoint } from './endpoint.js';
import { mirrored } from './mirrored-endpoints.js';
import { fromGate } from './refusal.js';
import { SUPPORTS } from './roles.js';

const ACT = {
  method: 'POST',
  audience: 'partner',
  needs: SUPPORTS,
  reason: 'live',
  query: null,
  body: null,
  reply: null,
} as const;

/** What support does for a buyer or a partner. None of it moves money. */
export const SUPPORT_ENDPOINTS = [
  endpoint({
    ...ACT,
    name: 'cancelSession',
    path: '/sessions/{id}/cancel',
    summary: 'Cancel an open session. Refused while its money may be moving',
    mirrors: 'cancelSession',
    success: 200,
    run: async ({ calls, scope, params, path }) =>
      mirrored(await calls.sessions.cancel(scope, params['id'] ?? ''), path),
  }),
  endpoint({
    ...ACT,
    name: 'resendEvent',
    path: '/events/{id}/resend',
    summary: 'Send an event to the webhook endpoint again, also if it was delivered, as a delivery of its own',
    mirrors: 'retrieveDelivery',
    success: 202,
    run: async ({ admin, calls, scope, params, path }) => {
      const sent = await admin.resendEvent(scope, params['id'] ?? '');
      if (sent.isErr()) return err(fromGate(sent.error));
      return mirrored(await calls.webhooks.deliveries.retrieve(scope, sent.value), path);
    },
  }),
  endpoint({
    ...ACT,
    name: 'sendTestEvent',
    path: '/endpoint/test',
    summary: 'Send a webhook.test event to the endpoint',
    mirrors: 'testWebhook',
    success: 202,
    run: async ({ calls, scope, path }) => mirrored(await calls.webhooks.test(scope), path),
  }),
];
