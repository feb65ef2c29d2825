import { describe, expect, it } from 'vitest';
import type { Listers, Provider } from '@gateramp/core/ports';
import { createTestGate, type TestGate, type TestGateOptions } from '@gateramp/testing';
import { CARDS, checkout, story, type Checkout } from '../checkout.js';
import { overStore } from '../../../../conformance/test/faults/over.js';

/** A process whose provider calls arrive and whose answers are withheld until the test releases them. */
interface Slow {
  readonly t: TestGate;
  arrived(): Promise<void>;
  letThrough(): void;
}

async function slowly(call: 'start' | 'confirm', options: TestGateOptions = {}): Promise<Slow> {
  const still = await createTestGate(options);
  const arrival = latch();
  const gate = latch();
  const providers = still.ports.providers.map((provider) =>
    over(provider, {
      [call]: async (order: never) => {
        arrival.open();
        await gate.opened;
        return provider[call](order);
      },
    }),
  );
  return { t: still.restart({ providers }), arrived: () => arrival.opened, letThrough: gate.open };
}

function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

function over(provider: Provider, changes: Partial<Provider>): Provider {
  return new Proxy(provider, {
    get: (target, member) => Reflect.get(member in changes ? changes : target, member) as unknown,
  });
}

const list = (t: TestGate, status: string) =>
  t.request('GET', `/v1/gate_sessions?status=${status}`, { key: t.keys.secret.test });

async function expectHeld(t: TestGate, shop: Checkout, intentId: string): Promise<void> {
  expect((await shop.cancel()).json).toMatchObject({ statusCode: 409, code: 'session_processing' });
  expect((await shop.cancelByBuyer()).json).toMatchObject({ statusCode: 409, code: 'session_processing' });
  expect((await shop.cancelIntent(intentId)).json).toMatchObject({ statusCode: 409, code: 'session_processing' });
  // Past its deadline it stays open, in reads and in lists.
  await t.clock.advanceTo((await shop.session()).expiresAt + 1);
  expect((await shop.retrieve()).json['status']).toBe('open');
  expect((await list(t, 'open')).json['data']).toHaveLength(1);
  expect((await list(t, 'expired')).json['data']).toHaveLength(0);
}

/** A session near its end, whose embed token outlasts it. */
const BRIEF = { policy: { sessionLifetime: 20_000 } } as const;

describe('a session is held while a provider step is pending', () => {
  it('from the commit of its start: neither the session nor its intent expires or can be cancelled', async () => {
    const { t, arrived, letThrough } = await slowly('start', BRIEF);
    const shop = await checkout(t);
    const begun = shop.begin(CARDS.pays);
    await arrived();
    await expectHeld(t, shop, String((await shop.session()).intentId));
    letThrough();
    expect((await begun).json['status']).toBe('processing');
    await t.clock.advance('1m');
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
  });

  it('from the commit of a confirmation until its outcome is known', async () => {
    const { t, arrived, letThrough } = await slowly('confirm', BRIEF);
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.asksForACode)).json['id']);
    expect((await shop.session()).heldSince).toBeNull();
    const confirmed = shop.confirm(intentId, { action: 'payment_authentication', code: '999999' });
    await arrived();
    await expectHeld(t, shop, intentId);
    letThrough();
    expect((await confirmed).json['status']).toBe('failed');
    expect((await shop.retrieve()).json['status']).toBe('expired');
  });

  it('even while a lost step is being recovered, with an alarm after five minutes and after a day', async () => {
    const { t, arrived } = await slowly('start');
    const shop = await checkout(t);
    void shop.begin(CARDS.pays);
    await arrived();
    const away = t.restart({
      providers: t.ports.providers.map((provider) =>
        over(provider, { lookup: () => Promise.reject(new Error('away')) }),
      ),
    });
    await away.clock.advance('25h');
    const { intentId } = await shop.session();
    expect((await shop.on(away).cancelIntent(String(intentId))).json['code']).toBe('expired_embed_token');
    expect((await shop.on(away).cancel()).json['code']).toBe('session_processing');
    expect(t.telemetry.alarms.map(({ name }) => name)).toEqual(['provider_step_unknown', 'session_held_too_long']);
  });
});

describe('a confirmation that was lost with its process', () => {
  it('is cancelled at the provider before the attempt fails, so that a delayed call moves nothing', async () => {
    const { t, arrived, letThrough } = await slowly('confirm');
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.asksForACode)).json['id']);
    const lost = shop.confirmCode(intentId);
    await arrived();
    const next = t.restart();
    await next.clock.advance('2m');
    expect(await shop.intent(intentId)).toMatchObject({
      status: 'failed',
      failure: { code: 'error', retryable: true },
    });
    letThrough();
    await lost;
    const { operationId } = await shop.intent(intentId);
    expect(await t.ledger.effects(operationId, t.clock.now('test'))).toEqual([]);
    expect((await shop.session()).status).toBe('open');
  });
});

describe('a simulated buyer', () => {
  it('responds with 409 while the start of the attempt is pending', async () => {
    const { t, arrived, letThrough } = await slowly('start');
    const shop = await checkout(t);
    const begun = shop.begin(CARDS.pays);
    await arrived();
    const path = `/v1/test_helpers/gate_sessions/${shop.id}/simulate`;
    for (const scenario of ['succeed', 'late_settlement', 'settlement_error']) {
      const answer = await t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
      expect(answer.json).toMatchObject({ statusCode: 409, code: 'operation_in_progress' });
    }
    letThrough();
    expect((await begun).status).toBe(201);
  });
});

describe.each(['hold_while_processing', 'strict'] as const)('a simulated late settlement under expiry %s', (expiry) => {
  const simulated = (t: TestGate, shop: Checkout) =>
    t.request('POST', `/v1/test_helpers/gate_sessions/${shop.id}/simulate`, {
      key: t.keys.secret.test,
      body: { scenario: 'late_settlement' },
    });

  it('responds with 409 and leaves the session open if the outcome of the start is unknown', async () => {
    const t = await createTestGate({ policy: { expiry } });
    const shop = await checkout(t);
    const providers = t.ports.providers.map((provider) =>
      over(provider, { start: () => Promise.reject(new Error('away')) }),
    );
    const answer = await simulated(t.restart({ providers }), shop);
    expect(answer.json).toMatchObject({ statusCode: 409, code: 'operation_in_progress' });
    expect(await shop.session()).toMatchObject({ status: 'open' });
    expect(await story(shop)).toEqual(['created']);
  });

  it('returns the failed intent and leaves the session open if the start was not sent', async () => {
    const t = await createTestGate({ policy: { expiry } });
    const shop = await checkout(t);
    const notSent = { kind: 'not_sent', retryable: true, reason: 'connection refused' } as const;
    const providers = t.ports.providers.map((provider) => over(provider, { start: () => Promise.resolve(notSent) }));
    const answer = await simulated(t.restart({ providers }), shop);
    expect([answer.status, answer.json['status']]).toEqual([200, 'failed']);
    expect(await shop.session()).toMatchObject({ status: 'open', intentId: null });
  });
});

describe('a list of open sessions', () => {
  it('shows none that expired while it was read', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const { expiresAt } = await shop.session();
    await t.clock.advanceTo(expiresAt);
    const crossing: Listers['session'] = async (...asked) => {
      const rows = await t.store.list('session', ...asked);
      await t.clock.advanceTo(expiresAt + 1);
      return rows;
    };
    const store = overStore(t.store, { list: { session: crossing } });
    const { json } = await list(t.restart({ store }), 'open');
    expect((json['data'] as readonly { status: string }[]).map(({ status }) => status)).toEqual(['open']);
    expect((await list(t, 'open')).json['data']).toEqual([]);
  });
});
