import { sandboxPools, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Provider } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestGate, type TestPorts } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { TASK_LEASE } from '../../src/domain/task.js';
import { traded } from '../../../extensions/test/pools/pool-trade.js';
import { checkout, scopeOf } from './checkout.js';
import { paid } from './refunds/paid.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** Runs the event loop until the condition holds; fails if it does not soon. */
async function soon(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 10_000; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`This never held: ${String(holds)}`);
}

/** A process whose waits end when the test says so. */
function process(t: TestGate, ports: Partial<TestPorts>) {
  const deadlines = testDeadlines();
  const restarted = t.restart({ deadlines, ...ports });
  /** Ends the first wait with this limit. */
  const expire = async (limitMs: number) => {
    await soon(() => deadlines.waiting.includes(limitMs));
    deadlines.expire();
  };
  return { ...restarted, expire };
}

const providing = (t: TestGate, changes: Partial<Provider>): readonly Provider[] => [
  { ...sandboxProvider({ ledger: t.ledger }), ...changes },
];

it('a task whose provider hangs frees its place when its lease has ended, and is run again', async () => {
  const t = await createTestGate();
  const shop = await checkout(t);
  await shop.sell();
  await shop.cancel();
  const stuck = process(t, { providers: providing(t, { cancel: never }) });
  const ran = stuck.gate.runDue();
  await stuck.expire(TASK_LEASE);
  await ran;
  await soon(() => t.telemetry.failures.length > 0);
  expect(t.telemetry.failures).toMatchObject([
    { error: { message: expect.stringContaining('took longer than 30 s') }, fields: { kind: 'provider_cancel' } },
  ]);
  let cancelled = 0;
  const sandbox = sandboxProvider({ ledger: t.ledger });
  const cancel: Provider['cancel'] = (order) => ((cancelled += 1), sandbox.cancel(order));
  await t.restart({ providers: [{ ...sandbox, cancel }] }).clock.advance('1m');
  expect(cancelled).toBe(1);
});

it('a vault that hangs is answered 503, and no session is created', async () => {
  const t = await createTestGate();
  const stuck = process(t, { vault: { ...t.vault, store: never } });
  const asked = stuck.request('POST', '/v1/gate_sessions', {
    key: t.keys.secret.test,
    idempotencyKey: 'k',
    body: { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/done', kyc_package: { provider: 'x' } },
  });
  await stuck.expire(t.gate.policy.providerAnswerTimeout);
  expect((await asked).json).toMatchObject({ statusCode: 503, code: 'service_unavailable' });
  expect((await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test })).json['data']).toEqual([]);
});

it('a vault whose sweep hangs is reported, and swept again later', async () => {
  const t = await createTestGate();
  let sweeps = 0;
  const stuck = process(t, { vault: { ...t.vault, sweep: () => ((sweeps += 1), never()) } });
  const ran = stuck.gate.runDue();
  await stuck.expire(60_000);
  await ran;
  await soon(() => t.telemetry.failures.length > 0);
  expect(t.telemetry.failures).toMatchObject([{ fields: { place: 'reaper' } }]);
  await t.clock.advanceTo(t.clock.now('test') + 60_000);
  void stuck.gate.runDue();
  await soon(() => sweeps === 2);
});

it('a search finds what others know when a provider hangs, and reports it', async () => {
  const t = await createTestGate();
  const { id, hash } = await traded(t);
  const stuck = process(t, { providers: providing(t, { findTransfers: never }) });
  const found = stuck.gate.admin.findByTxHash(hash);
  await stuck.expire(t.gate.policy.providerQuestionTimeout);
  expect(await found).toMatchObject([{ kind: 'pool_trade', id }]);
  expect(t.telemetry.failures).toMatchObject([{ fields: { provider: 'sandbox' } }]);
});

it('a refund is an outage when the provider does not say what it can refund', async () => {
  const t = await createTestGate();
  const order = await paid(t);
  const stuck = process(t, { providers: providing(t, { capabilities: never }) });
  const asked = stuck.gate.admin.refundTransaction(scopeOf(t), order.refid, {}, { idempotencyKey: 'k' });
  const refused = expect(asked).rejects.toMatchObject({ outage: true });
  await stuck.expire(t.gate.policy.providerQuestionTimeout);
  await refused;
});

it('a pool quote is answered 503 when the provider does not price it in time', async () => {
  const t = await createTestGate();
  const { poolId } = await traded(t);
  const stuck = process(t, { pools: { ...sandboxPools(), price: never } });
  const asked = stuck.request('POST', `/v1/pools/${poolId}/quote`, {
    product: 'pools',
    mode: 'live',
    key: t.keys.secret.live,
    body: {
      side: 'on_ramp',
      asset: 'USDC',
      network: 'base',
      amount: '10',
      currency: 'EUR',
      destAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
    },
  });
  await stuck.expire(t.gate.policy.providerQuestionTimeout);
  expect((await asked).json).toMatchObject({ statusCode: 503, code: 'service_unavailable' });
});
