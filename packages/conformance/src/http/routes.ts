import { CALLBACK_SIGNATURE_HEADER, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import type { Mode } from '@gateramp/core';
import { TEST_KEYS } from '@gateramp/testing';
import { expectStatus, textOf } from './answer.js';
import {
  ASK,
  ATTEMPT,
  attempt,
  buyer,
  CREATE_BODY,
  createQuote,
  deadLettered,
  documentIntent,
  freshKey,
  INTENT_BODY,
  open,
  PICTURE,
  QUOTE_BODY,
  savedMethod,
  SECRET,
  SHOP,
  waitingIntent,
} from './calls.js';
import { RAIL_ROUTES } from './rail-routes.js';
import type { Route, Sample } from './route.js';
import { CALLBACK_SECRET, type HttpWorld } from './world.js';

export type { Route, Sample } from './route.js';

export function nameOf(route: Pick<Route, 'method' | 'template'>): string {
  return `${route.method} ${route.template}`;
}

export function sendTo(world: HttpWorld, route: Route, { path, sent }: Sample) {
  return world.send(route.method, path, sent);
}

const BOTH: readonly Mode[] = ['test', 'live'];
const SANDBOX_ONLY: readonly Mode[] = ['test'];

const secret = { auth: 'secret', cors: false, hosts: BOTH } as const;
const embed = { auth: 'embed', cors: true, hosts: BOTH, limit: 120 } as const;
const helper = { auth: 'secret', cors: false, hosts: SANDBOX_ONLY, limit: null } as const;
const anyone = { auth: 'none', cors: false, hosts: BOTH, limit: null } as const;
const read = { method: 'GET', idempotency: 'ignored', success: 200 } as const;

export const CAPABILITY_LISTS = [
  'countries',
  'currencies',
  'assets',
  'networks',
  'payment_methods',
  'flows',
  'limits',
  'ttls',
] as const;

export const ROUTES: readonly Route[] = [
  {
    ...secret,
    method: 'POST',
    template: '/v1/gate_sessions',
    limit: 10,
    idempotency: 'required',
    success: 201,
    sample: async (_, mode) => ({
      path: '/v1/gate_sessions',
      sent: { mode, key: TEST_KEYS.secret[mode], idempotencyKey: freshKey(), body: CREATE_BODY },
    }),
  },
  { ...secret, ...read, template: '/v1/gate_sessions', limit: 60, sample: bySecret('/v1/gate_sessions') },
  { ...secret, ...read, template: '/v1/gate_sessions/{id}', limit: 60, sample: ofSession('') },
  {
    ...secret,
    method: 'POST',
    template: '/v1/gate_sessions/{id}/cancel',
    limit: 30,
    idempotency: 'ignored',
    success: 200,
    sample: ofSession('/cancel'),
  },
  {
    method: 'POST',
    template: '/v1/embed/bootstrap',
    auth: 'publishable',
    hosts: BOTH,
    limit: 30,
    idempotency: 'ignored',
    success: 200,
    cors: true,
    sample: async (world, mode) => {
      const body = { clientSecret: textOf(await open(world, {}, { mode }), 'client_secret') };
      return { path: '/v1/embed/bootstrap', sent: { mode, key: TEST_KEYS.publishable[mode], origin: SHOP, body } };
    },
  },
  { ...embed, ...read, template: '/v1/embed/session', sample: ofBuyer('/v1/embed/session') },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/session/cancel',
    idempotency: 'ignored',
    success: 200,
    sample: ofBuyer('/v1/embed/session/cancel'),
  },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/quotes',
    idempotency: 'ignored',
    success: 200,
    sample: ofBuyer('/v1/embed/quotes', ATTEMPT),
  },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/intents',
    idempotency: 'honoured',
    success: 201,
    sample: ofBuyer('/v1/embed/intents', INTENT_BODY),
  },
  { ...embed, ...read, template: '/v1/embed/intents/{id}', sample: ofIntent('') },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/intents/{id}/documents/{side}',
    limit: 30,
    idempotency: 'ignored',
    success: 200,
    sample: async (world, mode) => {
      const { token, intentId } = await documentIntent(world, {}, mode);
      return { path: `/v1/embed/intents/${intentId}/documents/front`, sent: { mode, token, ...PICTURE } };
    },
  },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/intents/{id}/confirm',
    idempotency: 'honoured',
    success: 200,
    sample: ofIntent('/confirm', { action: 'payment_authentication', code: '000000' }),
  },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/intents/{id}/cancel',
    idempotency: 'honoured',
    success: 200,
    sample: ofIntent('/cancel'),
  },
  { ...embed, ...read, template: '/v1/embed/payment_methods', sample: ofBuyer('/v1/embed/payment_methods') },
  {
    ...embed,
    method: 'POST',
    template: '/v1/embed/payment_methods/{id}/remove',
    idempotency: 'honoured',
    success: 200,
    sample: async (world, mode) => {
      const { token, id } = await savedMethod(world, mode);
      return { path: `/v1/embed/payment_methods/${id}/remove`, sent: { mode, token } };
    },
  },
  { ...secret, ...read, template: '/v1/transactions', limit: 60, sample: bySecret('/v1/transactions') },
  {
    ...secret,
    ...read,
    template: '/v1/transactions/{refid}',
    limit: 60,
    sample: async (world, mode) => {
      const intent = await begun(world, mode);
      return { path: `/v1/transactions/${textOf(intent, 'tx_refid')}`, sent: { mode, key: TEST_KEYS.secret[mode] } };
    },
  },
  {
    ...secret,
    method: 'POST',
    template: '/v1/quotes/preview',
    limit: 30,
    idempotency: 'ignored',
    success: 200,
    sample: bySecret('/v1/quotes/preview', ASK),
  },
  {
    ...secret,
    method: 'POST',
    template: '/v1/quotes',
    product: 'rails',
    limit: 'shared',
    idempotency: 'honoured',
    success: 201,
    sample: bySecret('/v1/quotes', QUOTE_BODY),
  },
  {
    ...secret,
    ...read,
    template: '/v1/quotes/{id}',
    product: 'rails',
    limit: 'shared',
    sample: async (world, mode) => {
      const quote = expectStatus(await createQuote(world, {}, { mode }), 201).json;
      return { path: `/v1/quotes/${textOf(quote, 'id')}`, sent: { mode, key: TEST_KEYS.secret[mode] } };
    },
  },
  ...CAPABILITY_LISTS.map((list): Route => {
    const template = `/v1/capabilities/${list}`;
    return { ...secret, ...read, template, limit: 60, cached: true, sample: bySecret(template) };
  }),
  { ...secret, ...read, template: '/v1/gate_sessions/{id}/timeline', limit: 'shared', sample: ofSession('/timeline') },
  { ...secret, ...read, template: '/v1/events', limit: 60, sample: bySecret('/v1/events') },
  {
    ...secret,
    ...read,
    template: '/v1/events/{id}',
    limit: 'shared',
    sample: async (world, mode) => {
      const session = textOf(await open(world, {}, { mode }), 'id');
      const [event] = await world.t.store.list('session_event', { partnerId: world.t.partner.id, mode }, session);
      return { path: `/v1/events/${event?.id ?? ''}`, sent: { mode, key: TEST_KEYS.secret[mode] } };
    },
  },
  { ...secret, ...read, template: '/v1/branding', limit: 'shared', sample: bySecret('/v1/branding') },
  {
    ...secret,
    method: 'POST',
    template: '/v1/branding',
    limit: 'shared',
    idempotency: 'honoured',
    success: 200,
    sample: bySecret('/v1/branding', { theme: 'dark' }),
  },
  ...RAIL_ROUTES,
  {
    ...secret,
    method: 'POST',
    template: '/v1/webhooks/test',
    limit: 'shared',
    idempotency: 'honoured',
    success: 202,
    sample: bySecret('/v1/webhooks/test'),
  },
  {
    ...secret,
    ...read,
    template: '/v1/webhooks/deliveries',
    limit: 'shared',
    sample: bySecret('/v1/webhooks/deliveries'),
  },
  {
    ...secret,
    method: 'POST',
    template: '/v1/webhooks/deliveries/replay',
    limit: 'shared',
    idempotency: 'honoured',
    success: 202,
    sample: bySecret('/v1/webhooks/deliveries/replay', { limit: 10 }),
  },
  { ...secret, ...read, template: '/v1/webhooks/deliveries/{id}', limit: 'shared', sample: ofDelivery('') },
  {
    ...secret,
    method: 'POST',
    template: '/v1/webhooks/deliveries/{id}/replay',
    limit: 'shared',
    idempotency: 'honoured',
    success: 202,
    sample: ofDelivery('/replay'),
  },
  {
    ...secret,
    ...read,
    template: '/v1/webhooks/endpoint',
    limit: 'shared',
    sample: bySecret('/v1/webhooks/endpoint'),
  },
  {
    ...secret,
    method: 'POST',
    template: '/portal/webhook-secret/rotate',
    limit: 'shared',
    idempotency: 'honoured',
    success: 200,
    sample: bySecret('/portal/webhook-secret/rotate', { grace_period_seconds: 60 }),
  },
  {
    ...anyone,
    method: 'POST',
    template: '/v1/providers/{name}/callbacks',
    idempotency: 'ignored',
    success: 200,
    sample: callback,
  },
  { ...helper, ...read, template: '/v1/test_helpers/clock', sample: bySecret('/v1/test_helpers/clock') },
  {
    ...helper,
    method: 'POST',
    template: '/v1/test_helpers/clock/advance',
    idempotency: 'honoured',
    success: 200,
    sample: async () => ({ path: '/v1/test_helpers/clock/advance', sent: { key: SECRET, body: { seconds: 1 } } }),
  },
  {
    ...helper,
    method: 'POST',
    template: '/v1/test_helpers/gate_sessions/{id}/simulate',
    idempotency: 'honoured',
    success: 200,
    sample: async (world) => {
      const session = await open(world);
      const path = `/v1/test_helpers/gate_sessions/${textOf(session, 'id')}/simulate`;
      return { path, sent: { key: SECRET, body: { scenario: 'succeed' } } };
    },
  },
  { ...anyone, ...read, template: '/health', sample: async (_, mode) => ({ path: '/health', sent: { mode } }) },
];

export const BY_SECRET = ROUTES.filter((route) => route.auth === 'secret');
export const BY_TOKEN = ROUTES.filter((route) => route.auth === 'embed');
export const BY_KEY = ROUTES.filter((route) => route.auth === 'secret' || route.auth === 'publishable');

export function routeOf(name: string): Route {
  const route = ROUTES.find((one) => nameOf(one) === name);
  if (route === undefined) throw new Error(`No route ${name}.`);
  return route;
}

/** The path of a template with unknown ids. */
export function unknownPath(route: Pick<Route, 'template'>): string {
  return route.template
    .replace('{id}', '0'.repeat(24))
    .replace('{refid}', `gtx_${'0'.repeat(20)}`)
    .replace('{side}', 'front')
    .replace('{name}', 'sandbox');
}

function bySecret(path: string, body?: unknown): Route['sample'] {
  return async (_, mode) => ({
    path,
    sent: { mode, key: TEST_KEYS.secret[mode], ...(body === undefined ? {} : { body }) },
  });
}

function ofSession(action: string): Route['sample'] {
  return async (world, mode) => {
    const session = await open(world, {}, { mode });
    return { path: `/v1/gate_sessions/${textOf(session, 'id')}${action}`, sent: { mode, key: TEST_KEYS.secret[mode] } };
  };
}

function ofDelivery(action: string): Route['sample'] {
  return async (world, mode) => {
    const path = `/v1/webhooks/deliveries/${await deadLettered(world, mode)}${action}`;
    return { path, sent: { mode, key: TEST_KEYS.secret[mode] } };
  };
}

function ofBuyer(path: string, body?: unknown): Route['sample'] {
  return async (world, mode) => {
    const { token } = await buyer(world, {}, mode);
    return { path, sent: { mode, token, ...(body === undefined ? {} : { body }) } };
  };
}

function ofIntent(action: string, body?: unknown): Route['sample'] {
  return async (world, mode) => {
    const { token } = await buyer(world, {}, mode);
    const intent = await waitingIntent(world, token, mode);
    const path = `/v1/embed/intents/${textOf(intent, 'id')}${action}`;
    return { path, sent: { mode, token, ...(body === undefined ? {} : { body }) } };
  };
}

async function begun(world: HttpWorld, mode: Mode) {
  const { token } = await buyer(world, {}, mode);
  return expectStatus(await attempt(world, token, {}, { mode }), 201).json;
}

async function callback(world: HttpWorld, mode: Mode): Promise<Sample> {
  const intent = await begun(world, mode);
  const stored = await world.t.store.find('intent', { partnerId: world.t.partner.id, mode }, textOf(intent, 'id'));
  const body = JSON.stringify({ event_id: freshKey(), operation_id: stored?.operationId, outcome: 'succeeded' });
  const signature = signSandboxCallback(body, CALLBACK_SECRET, world.t.clock.wall());
  return {
    path: '/v1/providers/sandbox/callbacks',
    sent: { mode, body, headers: { [CALLBACK_SIGNATURE_HEADER]: signature } },
  };
}
