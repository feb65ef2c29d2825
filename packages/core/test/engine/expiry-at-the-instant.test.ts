import { createTestGate, type TestGate, type TestResponse } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { attemptBody, CARDS, checkout } from './checkout.js';

/** An object that expires: when, and the result of using it then. */
interface Expiring {
  readonly expiresAt: number;
  readonly use: () => Promise<string>;
}

interface Row {
  readonly what: string;
  readonly begin: (t: TestGate) => Promise<Expiring>;
  readonly good: string;
  readonly over: string;
  /** How long after the instant it is certainly refused; a millisecond unless the expiry is in whole seconds. */
  readonly grainMs?: number;
}

const MINUTE = 60_000;
const LIFETIMES = { sessionLifetime: 90 * MINUTE, embedTokenLifetime: 70 * MINUTE, idempotencyRetention: 80 * MINUTE };

const instantOf = (value: unknown): number => Date.parse(String(value));
const said = ({ status, json }: TestResponse): string => {
  const word = [json['code'], json['status']].find((member) => typeof member === 'string');
  return typeof word === 'string' ? word : String(status);
};

const ROWS: readonly Row[] = [
  {
    what: 'a key',
    good: '200',
    over: 'expired_api_key',
    begin: async (t) => {
      const key = 'sk_test_000000000000000toexpire';
      const expiresAt = t.clock.now('test') + 10 * MINUTE;
      await t.gate.admin.addKey(t.partner.id, key, { expiresAt });
      return { expiresAt, use: async () => said(await t.request('GET', '/v1/gate_sessions', { key })) };
    },
  },
  {
    what: 'a session',
    good: 'open',
    over: 'expired',
    begin: async (t) => {
      const session = await t.createSession();
      return {
        expiresAt: instantOf(session.expires_at),
        use: async () => (await t.retrieveSession(session.id)).status,
      };
    },
  },
  {
    what: 'an embed token',
    good: 'open',
    over: 'expired_embed_token',
    grainMs: 1_000,
    begin: async (t) => {
      const session = await t.createSession();
      const opened = await t.request('POST', '/v1/embed/bootstrap', {
        key: t.keys.publishable.test,
        headers: { origin: 'https://shop.example' },
        body: { clientSecret: session.client_secret },
      });
      const headers = { 'x-embed-token': String(opened.json['embed_token']) };
      return {
        expiresAt: instantOf(opened.json['expires_at']),
        use: async () => said(await t.request('GET', '/v1/embed/session', { headers })),
      };
    },
  },
  {
    what: 'a quote',
    good: 'processing',
    over: 'quote_expired',
    begin: async (t) => {
      const session = await t.createSession();
      const headers = { 'x-embed-token': await t.embed(session) };
      const asked = {
        flow: 'on_ramp',
        amount: session.amount,
        currency: 'EUR',
        payment_method: 'card',
        country_code: 'DE',
      };
      const { json } = await t.request('POST', '/v1/embed/quotes', { headers, body: asked });
      // The one method that was requested.
      const [quote] = json['quotes'] as { id: string; expires_at: string }[];
      const body = { ...attemptBody(session.amount, CARDS.pays), quote_id: quote?.id };
      return {
        expiresAt: instantOf(quote?.expires_at),
        use: async () => said(await t.request('POST', '/v1/embed/intents', { headers, body })),
      };
    },
  },
  {
    what: 'an idempotency key',
    good: 'replayed',
    over: 'fresh',
    begin: async (t) => {
      const expiresAt = t.clock.now('test') + LIFETIMES.idempotencyRetention;
      const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
      const create = () =>
        t.request('POST', '/v1/gate_sessions', { key: t.keys.secret.test, idempotencyKey: 'one', body });
      const first = await create();
      return { expiresAt, use: async () => ((await create()).text === first.text ? 'replayed' : 'fresh') };
    },
  },
  {
    what: 'a required action',
    good: 'requires_action',
    over: 'failed',
    begin: async (t) => {
      const shop = await checkout(t);
      const { json } = await shop.begin(CARDS.asksForACode);
      return { expiresAt: instantOf(json['expires_at']), use: async () => said(await shop.look(String(json['id']))) };
    },
  },
  {
    what: 'a deposit',
    good: 'requires_action',
    over: 'failed',
    begin: async (t) => {
      const shop = await checkout(t, { flow: 'off_ramp' });
      const path = `/v1/test_helpers/gate_sessions/${shop.id}/simulate`;
      const asked = await t.request('POST', path, { key: t.keys.secret.test, body: { scenario: 'abandon' } });
      const kyc = { first_name: 'Ada', last_name: 'Example', date_of_birth: '1990-01-01', document_number: 'X1' };
      const { json } = await shop.confirm(String(asked.json['id']), { action: 'kyc', kyc });
      const action = json['next_action'] as { type: string; expires_at: string };
      expect(action.type).toBe('crypto_deposit');
      return { expiresAt: instantOf(action.expires_at), use: async () => said(await shop.look(String(json['id']))) };
    },
  },
  {
    what: 'a webhook secret that was replaced',
    good: '2 signatures',
    over: '1 signature',
    begin: async (t) => {
      const scope = { partnerId: t.partner.id, mode: 'test' as const };
      const [old] = (await t.gate.admin.findEndpoint(scope))?.secrets ?? [];
      await t.gate.admin.setEndpoint(scope, {
        url: 'https://shop.example/hooks',
        secret: 'whsec_0000000000000000000000000000new',
      });
      const endpoint = await t.gate.admin.findEndpoint(scope);
      const expiresAt = t.clock.now('test') + 10 * MINUTE;
      if (endpoint === null || old === undefined) throw new Error('The test partner has an endpoint with a secret.');
      await t.store.save('endpoint', { ...endpoint, secrets: [...endpoint.secrets, { ...old, expiresAt }] });
      const use = async (): Promise<string> => {
        await t.createSession();
        await t.gate.runDue();
        const count = t.deliveries().at(-1)?.headers['gate-signature']?.split('v1=').length ?? 0;
        return count === 3 ? '2 signatures' : '1 signature';
      };
      return { expiresAt, use };
    },
  },
];

it.each(ROWS)('$what is still valid at the instant of its expiry', async ({ begin, good }) => {
  const t = await createTestGate({ policy: LIFETIMES });
  const { expiresAt, use } = await begin(t);
  await t.clock.advance(expiresAt - t.clock.now('test'));
  expect(t.clock.now('test')).toBe(expiresAt);
  expect(await use()).toBe(good);
});

it.each(ROWS)('$what is expired after that instant', async ({ begin, over, grainMs = 1 }) => {
  const t = await createTestGate({ policy: LIFETIMES });
  const { expiresAt, use } = await begin(t);
  await t.clock.advance(expiresAt - t.clock.now('test') + grainMs);
  expect(await use()).toBe(over);
});

it('an embed token issued within a second is valid at its expires_at and expired within the second after it', async () => {
  const t = await createTestGate({ policy: LIFETIMES });
  await t.clock.advance(123);
  const token = ROWS.find(({ what }) => what === 'an embed token');
  const { expiresAt, use } = (await token?.begin(t)) ?? { expiresAt: 0, use: async () => '' };
  expect(expiresAt % 1_000).toBe(123);
  await t.clock.advance(expiresAt - t.clock.now('test'));
  expect(await use()).toBe('open');
  await t.clock.advance(878);
  expect(await use()).toBe('expired_embed_token');
});
