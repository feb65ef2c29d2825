import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { NotSent, Provider } from '@gateramp/core/ports';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS, checkout, story } from '../checkout.js';
import { bodyOf, create, quoteFor, railsGate } from '../rails/rails.js';

const REFUSED: NotSent = { kind: 'not_sent', retryable: true, reason: 'connection refused' };

/** A process on the same store whose provider cannot be reached by these calls. */
function unreachable(t: TestGate, changes: Partial<Provider>): TestGate {
  return t.restart({ providers: [{ ...sandboxProvider({ ledger: t.ledger }), ...changes }] });
}

const noStart = { start: () => Promise.resolve(REFUSED) };

describe('a start that was not sent', () => {
  it('fails the attempt immediately as retryable, and the next one pays', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const begun = await shop.on(unreachable(t, noStart)).begin();
    expect([begun.status, begun.json['status']]).toEqual([201, 'failed']);
    expect(begun.json['failure']).toMatchObject({ code: 'error', retryable: true });
    expect(await shop.session()).toMatchObject({ status: 'open', intentId: null, heldSince: null });
    expect((await shop.begin()).json['attempt']).toBe(2);
    await t.clock.advance('1m');
    expect(await story(shop)).toEqual(['created', 'failed', 'processing', 'completed']);
    expect(t.telemetry.failures.map(({ error }) => String(error))).toEqual([
      'Error: The provider was not reached: connection refused',
    ]);
  });

  it('leaves a session that can be cancelled immediately', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    await shop.on(unreachable(t, noStart)).begin();
    expect((await shop.cancel()).json['status']).toBe('cancelled');
  });

  it('says whether another attempt may succeed', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const closed = { start: () => Promise.resolve({ ...REFUSED, retryable: false }) };
    const begun = await shop.on(unreachable(t, closed)).begin();
    expect(begun.json['failure']).toMatchObject({ code: 'error', retryable: false });
  });

  it('has the same response for a repeat with its key', async () => {
    const t = await createTestGate();
    const shop = (await checkout(t)).on(unreachable(t, noStart));
    const first = await shop.begin(CARDS.pays, 'key-1');
    expect((await shop.begin(CARDS.pays, 'key-1')).text).toBe(first.text);
  });

  it('leaves nothing to look up', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    let lookups = 0;
    const away = unreachable(t, { ...noStart, lookup: () => ((lookups += 1), Promise.reject(new Error('away'))) });
    await shop.on(away).begin();
    await away.clock.advance('1h');
    expect(lookups).toBe(0);
    expect(t.telemetry.alarms).toEqual([]);
  });

  it('counts against the error budget of its provider', async () => {
    const t = await createTestGate();
    const shop = (await checkout(t)).on(unreachable(t, noStart));
    for (let start = 0; start < t.gate.policy.providerErrorsMax; start += 1) await shop.begin();
    expect(t.telemetry.alarms.map(({ name, fields }) => [name, fields['question']])).toEqual([
      ['provider_skipped', 'start'],
    ]);
  });

  it('is no error of its provider if the provider says that it is unavailable: not logged, and not counted', async () => {
    const t = await createTestGate();
    const unavailable = { start: () => Promise.resolve({ ...REFUSED, retryable: true, isUnavailable: true }) };
    const shop = (await checkout(t)).on(unreachable(t, unavailable));
    for (let start = 0; start < t.gate.policy.providerErrorsMax + 1; start += 1) {
      const begun = await shop.begin();
      expect(begun.json['failure']).toMatchObject({ code: 'error', retryable: true });
    }
    expect([...t.telemetry.alarms, ...t.telemetry.failures]).toEqual([]);
  });

  it('fails a payment over rails immediately as retryable', async () => {
    const t = await railsGate();
    const body = bodyOf('pay_in', await quoteFor(t, 'pay_in'));
    const made = await create(unreachable(t, noStart), 'pay_in', body);
    expect([made.status, made.json['status']]).toEqual([201, 'failed']);
    expect(made.json['failure']).toMatchObject({ code: 'error', retryable: true });
  });
});

describe('a confirmation that was not sent', () => {
  it('leaves the attempt with the same action, which can be confirmed again', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const asked = (await shop.begin(CARDS.asksForACode)).json;
    const away = unreachable(t, { confirm: () => Promise.resolve(REFUSED) });
    const answer = await shop.on(away).confirmCode(String(asked['id']));
    expect([answer.status, answer.json['status']]).toEqual([200, 'requires_action']);
    expect([answer.json['next_action'], answer.json['expires_at']]).toEqual([
      asked['next_action'],
      asked['expires_at'],
    ]);
    expect(await shop.session()).toMatchObject({ heldSince: null });
    expect((await shop.confirmCode(String(asked['id']))).json['status']).toBe('processing');
  });

  it('of a deposit, when a lost one is repeated after a crash, is retried until it is sent', async () => {
    const t = await createTestGate();
    const shop = await checkout(t, { flow: 'off_ramp' });
    const asked = await shop.sell();
    const dead = unreachable(t, { confirm: () => Promise.reject(new Error('gone')) });
    await shop.on(dead).confirm(String(asked.json['id']), { action: 'crypto_deposit' });
    const away = unreachable(t, { confirm: () => Promise.resolve(REFUSED) });
    await away.clock.advance('1m');
    expect((await shop.intent(String(asked.json['id']))).stepTaskId).not.toBeNull();
    await t.restart().clock.advance('2m');
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
  });
});

describe('a start that threw, whose outcome is unknown', () => {
  it("raises an alarm after five minutes, and completes within half a minute of the provider's recovery", async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const outage = { until: t.clock.now('test') + 7 * 60_000 };
    const sandbox = sandboxProvider({ ledger: t.ledger });
    const flaky = unreachable(t, {
      start: async (order) => {
        await sandbox.start(order);
        throw new Error('The connection broke.');
      },
      lookup: (order) => (order.now < outage.until ? Promise.reject(new Error('away')) : sandbox.lookup(order)),
    });
    await shop.on(flaky).begin();
    await flaky.clock.advance('4m');
    expect(t.telemetry.alarms).toEqual([]);
    await flaky.clock.advance('1m');
    expect(t.telemetry.alarms.map(({ name }) => name)).toEqual(['provider_step_unknown']);
    await flaky.clock.advance('150s');
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
    expect(t.telemetry.alarms).toHaveLength(1);
  });
});
