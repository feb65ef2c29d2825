import { CLAIMS_MAX, TASK_LEASE } from '../../../src/domain/task.js';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Provider, StartOrder } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { CARDS, checkout, story, type Checkout } from '../checkout.js';
import { until } from '../until.js';

describe('a key whose request is waiting for its provider', () => {
  it('responds with 409 while the lease is valid; then the repeat finishes the step and seals its rendering', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const stuck = t.restart({ providers: [hangingAfter(sandboxOf(t))], deadlines: testDeadlines() });
    void beginIn(stuck, shop);
    await until(() => isStarted(t, shop));
    const other = t.restart();
    const waiting = await beginIn(other, shop);
    expect([waiting.status, waiting.json['code'], waiting.json['message']]).toEqual([
      409,
      'operation_in_progress',
      'Operation already in progress',
    ]);
    await t.clock.advanceTo(t.clock.now('test') + TASK_LEASE - 1);
    expect((await beginIn(other, shop)).status).toBe(409);
    await t.clock.advanceTo(t.clock.now('test') + 1);
    const finished = await beginIn(other, shop);
    expect([finished.status, finished.json['status']]).toEqual([201, 'succeeded']);
    await t.clock.advance('5m');
    const replayed = await beginIn(t.restart(), shop);
    expect([replayed.text, replayed.headers['x-request-id']]).toEqual([
      finished.text,
      finished.headers['x-request-id'],
    ]);
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
  });

  it('stays in progress while the provider is down, and is neither failed nor parked by repeats', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const away = t.restart({ providers: [absent(sandboxOf(t))] });
    await beginIn(away, shop);
    for (let repeat = 0; repeat < 2 * CLAIMS_MAX; repeat += 1) await beginIn(away, shop, `other ${repeat}`);
    const crashed = t.restart({ providers: [hangingAfter(sandboxOf(t))], deadlines: testDeadlines() });
    const second = await checkout(t);
    void beginIn(crashed, second);
    await until(() => isStarted(t, second));
    for (let repeat = 0; repeat < 2 * CLAIMS_MAX; repeat += 1) {
      await t.clock.advanceTo(t.clock.now('test') + TASK_LEASE);
      expect((await beginIn(away, second)).json['code']).toBe('operation_in_progress');
    }
    expect(t.telemetry.alarms.map(({ name }) => name)).toEqual(['provider_step_unknown']);
    await t.restart().clock.advance('1h');
    expect((await second.session()).status).toBe('completed');
  });
});

describe('a provider that is slower than 8 s', () => {
  it('returns the current intent, and its outcome follows', async () => {
    const deadlines = testDeadlines();
    const t = await createTestGate();
    const shop = await checkout(t);
    const gate = openable();
    const slow = t.restart({
      deadlines,
      providers: [{ ...sandboxOf(t), start: async (order) => (await gate.opened, sandboxOf(t).start(order)) }],
    });
    const asked = beginIn(slow, shop);
    await until(() => deadlines.waiting.length > 0);
    expect(deadlines.waiting).toEqual([8_000]);
    deadlines.expire();
    const answer = await asked;
    expect([answer.status, answer.json['status']]).toEqual([201, 'created']);
    gate.open();
    await until(async () => (await shop.intent(String(answer.json['id']))).status === 'processing');
    expect((await beginIn(slow, shop)).text).toBe(answer.text);
    await t.clock.advance('5m');
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
    expect(t.telemetry.failures).toEqual([]);
  });
});

describe('a provider that throws', () => {
  it('after it accepted the order: the response is the current intent, and the operation is looked up, never sent again', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const started: string[] = [];
    const sandbox = sandboxOf(t);
    const thrower = {
      ...sandbox,
      start: async (order: StartOrder) => {
        started.push(order.operationId);
        await sandbox.start(order);
        throw new Error('The line went dead.');
      },
    };
    const broken = t.restart({ providers: [thrower] });
    const answer = await beginIn(broken, shop);
    expect([answer.status, answer.json['status']]).toEqual([201, 'created']);
    expect(t.telemetry.failures).toHaveLength(1);
    await broken.clock.advance('5m');
    expect(started).toHaveLength(1);
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
  });

  it('after it accepted the order and requested a code: the buyer is asked, nothing is cancelled', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const sandbox = sandboxOf(t);
    const thrower = {
      ...sandbox,
      start: async (order: StartOrder) => (
        await sandbox.start(order),
        Promise.reject(new Error('The line went dead.'))
      ),
    };
    const broken = t.restart({ providers: [thrower] });
    const intentId = String((await shop.on(broken).begin(CARDS.asksForACode)).json['id']);
    await broken.clock.advance('1m');
    expect(await shop.intent(intentId)).toMatchObject({
      status: 'requires_action',
      nextAction: { type: 'payment_authentication' },
    });
    expect((await shop.confirmCode(intentId)).json['status']).toBe('processing');
  });

  it('before it accepted the order: the operation is cancelled there, and the intent fails with a retryable error', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const refused = () => Promise.reject(new Error('No route to the provider.'));
    const broken = t.restart({ providers: [{ ...sandboxOf(t), start: refused }] });
    const answer = await beginIn(broken, shop);
    await broken.clock.advance('1m');
    const intent = await shop.intent(String(answer.json['id']));
    expect(intent).toMatchObject({ status: 'failed', failure: { code: 'error', retryable: true } });
    expect((await t.ledger.read(intent.operationId))?.state.step).toBe('cancelled');
    expect(await story(shop)).toEqual(['created', 'failed']);
    expect((await shop.begin(CARDS.pays)).status).toBe(201);
  });
});

/** The same attempt with the same key, in any process. */
function beginIn(process: TestGate, shop: Checkout, key = 'attempt') {
  return shop.on(process).begin(CARDS.pays, key);
}

function sandboxOf(t: TestGate): Provider {
  return sandboxProvider({ ledger: t.ledger });
}

/** Accepts the order and never responds. */
function hangingAfter(provider: Provider): Provider {
  return { ...provider, start: async (order) => (await provider.start(order), new Promise<never>(() => undefined)) };
}

/** Quotes come from elsewhere; the provider itself cannot be reached. */
function absent(provider: Provider): Provider {
  const away = () => Promise.reject(new Error('The provider is away.'));
  return { ...provider, start: away, confirm: away, cancel: away, lookup: away };
}

function openable(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Whether the provider has the order of the session's attempt. */
async function isStarted(t: TestGate, shop: Checkout): Promise<boolean> {
  const { intentId } = await shop.session();
  return intentId !== null && (await t.ledger.read((await shop.intent(intentId)).operationId)) !== null;
}
