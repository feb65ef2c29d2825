import assert from 'node:assert/strict';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate, type ConsumedEvent } from '@gateramp/core';
import { sandbox } from '@gateramp/extensions/sandbox';
import { adjustableSystemClock } from '@gateramp/core/runtime';

/** One purchase without a socket: the session in process, the buyer through the Fetch bridge, and the result sent to a consumer. */
const store = memoryStore();
const testClock = adjustableSystemClock(store);
await testClock.open();
const gate = createGate({
  store,
  scheduler: inProcessScheduler(),
  limits: memoryRateLimits(),
  providers: [sandboxProvider()],
  extensions: [sandbox()],
  testClock,
});

const shop = 'https://shop.example';
const { id: partnerId } = await gate.admin.createPartner({ name: 'A consumer', allowedOrigins: [shop] });
const caller = { partnerId, mode: 'test' } as const;
const publishableKey = await gate.admin.issueKey(partnerId, { mode: 'test', type: 'publishable' });

const granted: ConsumedEvent<'gate_session.completed'>[] = [];
gate.on('gate_session.completed', 'grant-value', (event) => void granted.push(event));
await gate.start();

const created = await gate.sessions.create(
  caller,
  { amount: '100.00', currency: 'EUR', return_url: `${shop}/done` },
  { idempotencyKey: 'order-1' },
);
if (created.isErr()) throw new Error(created.error.message);
const session = created.value;

const opened = await post(
  '/v1/embed/bootstrap',
  { authorization: `Bearer ${publishableKey.text}`, origin: shop },
  { clientSecret: session.client_secret },
);
const intent = await post(
  '/v1/embed/intents',
  { 'x-embed-token': String(opened['embed_token']) },
  {
    flow: 'on_ramp',
    amount: '100.00',
    currency: 'EUR',
    target_token: 'USDC',
    target_network: 'base',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    payment_method: 'card',
    payment_details: { card_number: '4242424242424242', expiry: '12/39', cvc: '123' },
  },
);
assert.equal(intent['status'], 'processing');
await gate.advanceTestClock(60_000);

const retrieved = await gate.sessions.retrieve(caller, session.id);
assert.equal(retrieved.isOk() ? retrieved.value.status : retrieved.error.code, 'completed');
assert.deepEqual(
  granted.map(({ data }) => data.tx_refid),
  [intent['tx_refid']],
);
await gate.stop();

async function post(path: string, headers: Record<string, string>, body: object): Promise<Record<string, unknown>> {
  const request = new Request(`http://gate.example${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const response = await gate.fetch(request, { mode: 'test', clientIp: '203.0.113.7' });
  assert.ok(response.ok, `${path} answered ${response.status}`);
  // Every response of the contract is a JSON object.
  return (await response.json()) as Record<string, unknown>;
}
