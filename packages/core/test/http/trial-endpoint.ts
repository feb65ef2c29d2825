import { ok } from 'neverthrow';
import * as z from 'zod';
import { createTestGate, TEST_KEYS, type TestGateOptions } from '@gateramp/testing';
import { Worker } from '../../src/application/work/worker.js';
import { toJsonText } from '../../src/domain/json.js';
import { assemble } from '../../src/gate/assemble.js';
import { endpoint, type AnyEndpoint } from '../../src/http/endpoint.js';
import { CHECKOUT, CHECKOUT_HOSTS } from '../../src/http/hosts.js';
import { createHandler } from '../../src/http/handler.js';
import { NO_BODY, type HttpResponse } from '../../src/http/message.js';
import { SECRET_READ } from '../../src/http/presets.js';
import { queryOf } from '../../src/http/schema/request.js';
import { wireType } from '../../src/http/schema/members.js';

type Trial = { readonly object: 'trial'; readonly kinds: readonly string[] };

const TRIAL = wireType('Trial', z.object({ object: z.literal('trial'), kinds: z.array(z.string()) }), {
  description: 'What was asked for.',
  example: toJsonText<Trial>({ object: 'trial', kinds: [] }),
});

/** Echoes its query, with an entitlement and a cacheable response. */
export const trialEndpoint = endpoint({
  ...SECRET_READ,
  scope: 'branding:read',
  name: 'trial',
  path: '/v1/trial',
  summary: 'Of the tests alone',
  requires: { entitlement: 'swap', code: 'swap_not_enabled', message: 'Ask support.' },
  caching: { maxAgeSeconds: 300 },
  query: queryOf({ kind: z.array(z.string()).optional() }, ({ kind }) => kind ?? []),
  reply: TRIAL,
  refusals: [],
  run: ({ query }) => Promise.resolve(ok(toJsonText({ object: 'trial', kinds: query } satisfies Trial))),
});

export interface Asked {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves an endpoint outside the table like the test host, for the test partner. */
export async function serving(served: AnyEndpoint, options: TestGateOptions = {}) {
  const t = await createTestGate(options);
  const engine = assemble(t.ports, {});
  const host = {
    engine,
    worker: new Worker(engine),
    ready: () => engine.crypto.open(engine.store),
    publicUrl: null,
    widgetOrigins: { test: null, live: null },
    timing: { later: () => () => undefined, now: () => 0 },
    testClock: null,
  };
  const handle = createHandler(host, { endpoints: [served], hosts: CHECKOUT_HOSTS });
  return ({ query = '', headers = {} }: Asked = {}): Promise<HttpResponse> =>
    handle(CHECKOUT.test, {
      method: served.method,
      path: served.path,
      query,
      headers: { authorization: `Bearer ${TEST_KEYS.secret.test}`, ...headers },
      body: NO_BODY,
      clientIp: '203.0.113.7',
    });
}

/** The members of a JSON response. */
export function read({ body }: HttpResponse): Readonly<Record<string, unknown>> {
  return JSON.parse(body) as Readonly<Record<string, unknown>>;
}
