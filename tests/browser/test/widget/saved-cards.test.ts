import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryStore, noRateLimits } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';
import type { Provider } from '@gateramp/core/ports';
import { widgetListener } from '@gateramp/widget';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { withPages } from '../../../../apps/reference-server/src/http/pages-listener.js';
import { gateListener } from '../../../../apps/reference-server/src/http/gate-listener.js';
import { portOf } from '../../../services/ports.js';
import { expectAccessible } from '../../accessible.js';
import { openTab, type Tab } from '../../open-tab.js';
import { servePages } from '../../serve-pages.js';
import { type Checkout, DONE_PAGE, openFullPage } from '../../widget/open-checkout.js';
import { atStep, press, toPayment, underWay } from '../../widget/walk.js';

const CONSENT = 'Save this card for next time at Demo shop. You can remove it at any time.';

/** Pays by a new card at the payment step, which saves it. */
async function payAndSave(page: Page): Promise<void> {
  await page.getByLabel(CONSENT).check();
  await page.getByLabel('Card number').fill('4242 4242 4242 4242');
  await page.getByLabel('Expiry date').fill('12/49');
  await page.getByLabel('Security code').fill('123');
  await press(page, /^Pay /);
  // The card is saved by then, and the page does not leave during the next test step.
  await page.waitForURL('**/done');
}

/** Opens another session, whose saved cards are listed, and leaves its wallet step. */
async function nextSession({ page, gate }: Checkout, user_reference: string): Promise<void> {
  const { client_secret } = await gate.createSession({ flow: 'on_ramp', user_reference });
  const query = new URLSearchParams({ client_secret, publishableKey: gate.keys.publishable });
  const listed = page.waitForResponse(/\/v1\/embed\/payment_methods$/);
  await page.goto(`${gate.origins.sandboxWidget}/?${query.toString()}`);
  expect((await listed).status()).toBe(200);
  await toPayment(page);
}

async function nextPayment(checkout: Checkout, user_reference: string): Promise<void> {
  await nextSession(checkout, user_reference);
  await atStep(checkout.page, 'Pay by card');
}

it('a buyer saves a card, pays with one click in the next session and removes it, and no other buyer sees it', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp', user_reference: 'ada' } });
  const { page } = checkout;
  await toPayment(page);
  expect(await page.getByLabel(CONSENT).isChecked()).toBe(false);
  await payAndSave(page);

  await nextPayment(checkout, 'ada');
  const saved = page.getByRole('radio', { name: /•••• 4242.*Expires 12\/49/ });
  await expect.poll(() => saved.isChecked()).toBe(true);
  expect(await page.getByLabel('Card number').count()).toBe(0);
  await expectAccessible(page);
  await press(page, /^Pay /);
  await page.waitForURL('**/done');

  await nextPayment(checkout, 'ada');
  await press(page, 'Remove the card that ends in 4242');
  const sheet = page.getByRole('dialog', { name: 'Remove this card?' });
  await sheet.waitFor();
  await expectAccessible(page);
  await sheet.getByRole('button', { name: 'Remove card' }).click();
  await page.getByLabel('Card number').waitFor();
  await saved.waitFor({ state: 'detached' });

  for (const reference of ['ada', 'bob']) {
    await nextPayment(checkout, reference);
    await page.getByLabel('Card number').waitFor();
    expect(await page.getByRole('radio').count()).toBe(0);
  }
});

it('a saved card cannot be charged before it is visible', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp', user_reference: 'ada' } });
  const { page } = checkout;
  await toPayment(page);
  await payAndSave(page);

  let show = (): void => {};
  const held = new Promise<void>((resolve) => (show = resolve));
  await page.route(/later-views/, async (route) => {
    await held;
    await route.continue();
  });
  await nextSession(checkout, 'ada');
  await page.locator('.skeleton').waitFor();
  expect(await page.getByRole('button', { name: /^Pay / }).count()).toBe(0);
  show();
  await expect.poll(() => page.getByRole('radio', { name: /•••• 4242/ }).isChecked()).toBe(true);
  await press(page, /^Pay /);
  await underWay(page);
});

it('a saved card pays at its provider’s price, which is shown first, and a new card at the best price', async () => {
  const tab = await openTab();
  const { page } = tab;
  const shop = await withCheaperProvider(tab);
  await page.goto(await shop.checkout());
  await toPayment(page);
  await payAndSave(page);

  shop.startCheaper();
  await page.goto(await shop.checkout());
  await toPayment(page);
  const saved = page.getByRole('radio', { name: /•••• 4242/ });
  await expect.poll(() => saved.isChecked()).toBe(true);
  await page.getByRole('button', { name: /^Pay / }).waitFor();
  const own = await received(page);
  await page.getByRole('radio', { name: 'Use another card' }).check();
  await page.getByRole('button', { name: /^Pay / }).waitFor();
  await expect.poll(() => received(page)).toBeGreaterThan(own * 1.4);
  await saved.check();
  await expect.poll(() => received(page)).toBe(own);
  const created = page.waitForResponse('**/v1/embed/intents');
  await press(page, /^Pay /);
  expect((await created).status()).toBe(201);
  await underWay(page);
  expect(Number(await shop.deliveredLast())).toBeCloseTo(own, 6);
});

it('a wallet pays at its provider’s price, which is shown first if it differs', async () => {
  const tab = await openTab();
  const { page } = tab;
  const shop = await withCheaperProvider(tab);
  shop.startCheaper();
  await page.goto(await shop.checkout());
  await toPayment(page);
  await page.getByRole('button', { name: /^Pay / }).waitFor();
  const best = await received(page);
  const wallet = page.getByRole('button', { name: 'Sandbox Pay', exact: true });
  await wallet.click();
  await page.getByText('The price has been updated.').waitFor();
  const own = await received(page);
  expect(own).toBeLessThan(best);
  const created = page.waitForResponse('**/v1/embed/intents');
  await wallet.click();
  expect((await created).status()).toBe(201);
  await atStep(page, 'Finish your payment');
  const component = page.locator('iframe.slot').contentFrame();
  await component.getByRole('button', { name: 'Pay with Sandbox Pay' }).click();
  await underWay(page);
  expect(Number(await shop.deliveredLast())).toBeCloseTo(own, 6);
});

/** The amount that the buyer receives, as shown in the price. */
async function received(page: Page): Promise<number> {
  const [, text = ''] = await page.locator('.sides .amount').allTextContents();
  return Number.parseFloat(text.replace(/,/g, ''));
}

/** A gate with the sandbox and, once started, a second provider that delivers half as much again for the same price. */
async function withCheaperProvider({ context }: Tab) {
  const site = await servePages({ '/done': DONE_PAGE });
  const api = await listen();
  const widget = await listen();
  const other = sandboxProvider();
  const sandbox = sandboxProvider({ pagesUrl: api.origin });
  let isStarted = false;
  const cheaper: Provider = {
    ...other,
    name: 'cheaper',
    quote: async (request) => {
      const answer = await other.quote(request);
      if (answer.kind === 'refused') return answer;
      if (!isStarted) return { kind: 'refused', code: 'corridor_not_supported', message: 'Not yet.' };
      const more = (amount: string | null): string => String(Number(amount) * 1.5);
      const quotes = answer.quotes.map((one) => ({
        ...one,
        destination: { ...one.destination, amount: more(one.destination.amount) },
      }));
      return { ...answer, quotes };
    },
  };
  const gate = createGate({
    store: memoryStore(),
    scheduler: inProcessScheduler(),
    limits: noRateLimits(),
    providers: [cheaper, sandbox],
    hosts: { test: { widgetOrigin: widget.origin } },
  });
  await gate.start();
  onTestFinished(() => gate.stop());
  const { id } = await gate.admin.createPartner({
    name: 'Demo shop',
    allowedOrigins: [site.origin],
    savedPaymentMethods: true,
  });
  const { text: publishable } = await gate.admin.issueKey(id, { mode: 'test', type: 'publishable' });
  const { text: secret } = await gate.admin.issueKey(id, { mode: 'test', type: 'secret' });
  const pages = sandbox.pages({ now: () => Date.now(), framedBy: [widget.origin] });
  const listener = await gateListener('fastify', { gate, mode: 'test', onWarning: () => {}, trustedProxies: null });
  api.serve(withPages(listener, { prefix: '/sandbox/', answer: pages, onError: () => {} }));
  widget.serve(
    widgetListener({
      mode: 'test',
      apiOrigin: api.origin,
      componentOrigins: [api.origin],
      originsOf: (key) => gate.embed.allowedOrigins('test', key),
    }),
  );
  // Closed before the servers, since an open page would report a connection error.
  onTestFinished(() => context.close());
  const send = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${api.origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // The cast holds, since responses of the API are objects.
    return (await response.json()) as Record<string, unknown>;
  };
  return {
    startCheaper: () => void (isStarted = true),
    checkout: async (): Promise<string> => {
      const { client_secret } = await send('/v1/gate_sessions', {
        amount: '100.00',
        currency: 'EUR',
        return_url: `${site.origin}/done`,
        flow: 'on_ramp',
        user_reference: 'ada',
      });
      const query = new URLSearchParams({ client_secret: String(client_secret), publishableKey: publishable });
      return `${widget.origin}/?${query.toString()}`;
    },
    deliveredLast: async (): Promise<unknown> => {
      // The cast relies on the API contract. The newest transaction is first.
      const { data } = (await send('/v1/transactions')) as {
        readonly data: readonly { destination: { amount: string } }[];
      };
      return data[0]?.destination.amount;
    },
  };
}

/** Opens a port whose handler is set later, since the handler needs the origin. */
async function listen() {
  let answer: RequestListener = () => {};
  const server = createServer((request, response) => answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    serve: (listener: RequestListener): void => void (answer = listener),
  };
}
