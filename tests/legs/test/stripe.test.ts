import { expect, test } from 'vitest';
import { TEST_METHODS } from '../../../packages/adapters-fiat-stripe/test/fake-stripe/books.js';
import { PUBLIC_KEY } from '../../../packages/adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';
import { useFakeStripe } from '../../../packages/adapters-fiat-stripe/test/world.js';
import { startReferenceServer, type ReferenceServer } from '../../services/reference-server.js';
import {
  BUYER,
  callsTo,
  KEYED,
  openCheckout,
  openSession,
  PURCHASE,
  settledIntent,
  useLocalChain,
  withStripe,
} from '../checkout.js';

const chain = useLocalChain();
const fake = useFakeStripe();

/** Starts the reference server with the fake Stripe account. */
const startWithStripe = () => startReferenceServer({ settings: withStripe(chain, fake) });

const IN_COMPONENT = { provider: 'legs', token: 'payment_element' };

/** Delivers Stripe's events, the newest first. */
async function deliver({ origins }: ReferenceServer): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const event of fake.books.events.splice(0).toReversed()) {
    const { rawBody, headers } = fake.callback(event);
    const url = `${origins.sandbox}/v1/providers/legs/callbacks`;
    statuses.push((await fetch(url, { method: 'POST', headers, body: new Uint8Array(rawBody) })).status);
  }
  return statuses;
}

test('a card entered in Stripe’s component pays for a delivery, reported by webhooks, and a dispute charges it back', async () => {
  const server = await startWithStripe();
  const buyer = await openCheckout(server);
  const { id, next_action: action } = await buyer('POST', '/v1/embed/intents', {
    ...PURCHASE,
    payment_details: IN_COMPONENT,
  });
  expect(action).toMatchObject({ type: 'provider_component', provider: 'legs', public_key: PUBLIC_KEY });
  const { client_secret: secret } = action as unknown as { readonly client_secret: string };
  const paid = fake.books.confirm(secret.split('_secret_')[0] ?? '', TEST_METHODS.succeeds, null);
  expect(new Set(await deliver(server))).toEqual(new Set([200]));
  const done = await settledIntent(buyer, id);
  expect(done).toMatchObject({ status: 'succeeded', transaction: { confirmations: { seen: 3, required: 3 } } });
  // 50.00 EUR less the network fee of 0.05, at 0.92 plus half the spread.
  expect(await chain.balanceOf(BUYER)).toBe(54_158_083n);
  expect(paid).toMatchObject({ status: 'succeeded', amount_received: 5_000 });

  fake.books.dispute(paid.id, 'needs_response');
  expect(await deliver(server)).toContain(200);
  const transactions = (await callsTo(server)('GET', '/v1/transactions', KEYED)) as {
    readonly data: readonly { readonly status: string }[];
  };
  expect(transactions.data).toMatchObject([{ status: 'charged_back' }]);
});

test('a refund in Stripe’s dashboard is shown like any refund, and is announced once', async () => {
  const server = await startWithStripe();
  const buyer = await openCheckout(server);
  const details = { provider: 'legs', token: TEST_METHODS.succeeds };
  const { id } = await buyer('POST', '/v1/embed/intents', { ...PURCHASE, payment_details: details });
  expect(await settledIntent(buyer, id)).toMatchObject({ status: 'succeeded' });
  const [paid] = fake.books.intents.values();
  const { id: refundId } = fake.books.refundByHand(paid?.id ?? '', 2_000);
  const events = fake.books.events.slice();
  await deliver(server);
  fake.books.events.push(...events);
  await deliver(server);
  const call = callsTo(server);
  expect(await call('GET', '/v1/transactions', KEYED)).toMatchObject({
    data: [
      {
        status: 'completed',
        amount_refunded: '20.00',
        refunds: [{ id: refundId, amount: '20.00', status: 'succeeded' }],
      },
    ],
  });
  const announced = (await call('GET', '/v1/events', KEYED)) as { readonly data: readonly { readonly type: string }[] };
  expect(announced.data.filter(({ type }) => type === 'transaction.updated')).toHaveLength(1);
});

test('a webhook that Stripe did not sign is refused', async () => {
  const server = await startWithStripe();
  const event = fake.books.emit('payment_intent.succeeded', fake.books.create(AN_INTENT));
  const { rawBody, headers } = fake.callback(event, { secret: 'whsec_of_somebody' });
  const url = `${server.origins.sandbox}/v1/providers/legs/callbacks`;
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(rawBody) });
  expect(answer.status).toBe(401);
});

const AN_INTENT = { amount: 100, currency: 'eur', allowed_payment_method_types: ['card'] };

test('the checkout is offered the component, whose page may load Stripe’s script and nothing else', async () => {
  const server = await startWithStripe();
  const { bootstrap } = await openSession(server);
  const url = `${server.origins.sandbox}/stripe/component`;
  expect(bootstrap).toMatchObject({
    capabilities: {
      components: [
        { payment_method: 'card', provider: 'legs', wallet: null, token: 'payment_element', frame_url: url },
      ],
    },
  });
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain(
    "default-src 'none'; script-src 'self' https://js.stripe.com",
  );
  const html = await page.text();
  expect(html).toContain('src="https://js.stripe.com/');
  expect(html).toContain(`data-checkout="${server.origins.sandboxWidget} ${server.origins.widget}"`);
  for (const file of ['component.js', 'style.css'])
    expect((await fetch(`${server.origins.sandbox}/stripe/${file}`)).status).toBe(200);
  const checkout = await fetch(`${server.origins.sandboxWidget}/`);
  expect(checkout.headers.get('content-security-policy')).toContain(`frame-src ${server.origins.sandbox}`);
});

test('behind a public URL with a path the component is named there', async () => {
  const settings = { ...withStripe(chain, fake), GATE_PUBLIC_URL: 'https://pay.example/gate/' };
  const { bootstrap } = await openSession(await startReferenceServer({ settings }));
  expect(bootstrap).toMatchObject({
    capabilities: { components: [{ frame_url: 'https://pay.example/gate/stripe/component' }] },
  });
});
