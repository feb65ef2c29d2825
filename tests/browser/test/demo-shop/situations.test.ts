import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { SITUATIONS } from '../../../../apps/demo-shop/src/server/orders/terms.js';
import { openDemo, sayLatePrice } from '../../open-demo.js';
import { giveIdentity, goOn, payByCard } from '../../pay.js';
import { CARDS } from '../../test-values.js';

it('after a declined card the order stays open, and another card pays for it', async () => {
  const { page, checkout, said, settled } = await openDemo();
  await page.getByRole('button', { name: 'Card declined' }).click();
  await page.getByRole('status').getByText('4000 0000 0000 0002').waitFor();

  await goOn(checkout);
  await payByCard(checkout, CARDS.declines);
  await said('The browser').getByText('payment_declined').waitFor();
  await said('Signed webhook').getByText('payment_declined').waitFor();
  expect(await said('Signed webhook').locator('.state').innerText()).toBe('waiting');

  await payByCard(checkout, CARDS.succeeds);
  await settled();
});

it('a payment continues after a one-time code', async () => {
  const { page, checkout, settled } = await openDemo();
  await page.getByRole('button', { name: '3-D Secure' }).click();
  await page.getByRole('status').getByText('000000').waitFor();

  await goOn(checkout);
  await payByCard(checkout, CARDS.needsAuthentication);
  await checkout.getByLabel('One-time code').fill('000000');
  await checkout.getByRole('button', { name: 'Confirm' }).click();

  await settled();
});

it('a purchase of 14.50 EUR requires identity verification', async () => {
  const { page, checkout, said, settled } = await openDemo();
  await page.getByRole('button', { name: 'Identity check' }).click();

  await goOn(checkout);
  await payByCard(checkout, CARDS.succeeds);
  await giveIdentity(checkout);

  await said('Signed webhook').getByText('Identity check required').waitFor();
  await settled();
  await page.getByText('Order · 14.50 EUR').waitFor();
});

it.each([
  ['Unavailable', 'session_cancelled', 'cancelled'],
  ['Expired', 'session_expired', 'expired'],
] as const)(
  '%s: the checkout opens, the page receives %s, and the webhook reports %s',
  async (situation, reason, state) => {
    const { page, said, checkout } = await openDemo();
    await page.getByRole('button', { name: situation }).click();
    await checkout.getByRole('heading').first().waitFor();

    await said('The browser').getByText(`Unavailable ${reason}`).waitFor();
    await said('Signed webhook').getByText(state, { exact: true }).waitFor();
    expect(await checkout.getByRole('heading').count()).toBeGreaterThan(0);
    expect(await said('Signed webhook').getByText('settled', { exact: true }).count()).toBe(0);
  },
);

it('the shop refunds a payment as soon as a signed webhook reports it settled', async () => {
  const { page, checkout, said, settled } = await openDemo();
  await page.getByRole('button', { name: 'Refund' }).click();
  await goOn(checkout);
  await payByCard(checkout, CARDS.succeeds);
  await settled();
  await said('Signed webhook').getByText('Transaction updated').waitFor();
});

it('a bank transfer settles without another step of the buyer', async () => {
  const { page, checkout, demo, said } = await openDemo();
  await page.getByRole('button', { name: 'Bank transfer' }).click();
  await checkout.getByText('Bank transfer', { exact: true }).click();
  await goOn(checkout);
  await checkout.getByRole('button', { name: 'Start bank transfer' }).click();
  await checkout.getByText('Payment reference').first().waitFor();
  await demo.settle();
  await said('Signed webhook').getByText('settled', { exact: true }).waitFor();
});

it('with a slow provider the checkout says that the price is late, and shows it when it arrives', async () => {
  const tab = await openDemo();
  await sayLatePrice(tab, () => tab.page.getByRole('button', { name: 'Slow provider' }).click());
  await tab.checkout.getByText('Asset to receive').waitFor();
  await tab.checkout.getByText('Price held for').waitFor();
});

it('only the orders of this tab are listed, even after a visit to another page', async () => {
  const { page, demo } = await openDemo();
  await fetch(`${demo.shop}/sell`, { method: 'POST' });
  await page.getByRole('button', { name: 'Open the checkout' }).click();
  await page.locator('.order').getByText('Opened').waitFor();
  expect(await page.locator('.order').count()).toBe(1);
  await page.reload();
  await page.locator('.order').getByText('Opened').waitFor();
  expect(await page.locator('.order').count()).toBe(1);
});

it('with a data directory a payment is refunded, and every situation can be ordered', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-shop-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const onDisk = { GATE_DATA_DIR: join(dir, 'data'), GATE_DEMO: 'on' };
  const { page, checkout, demo, said, settled } = await openDemo({}, onDisk);
  await page.getByRole('button', { name: 'Refund' }).click();
  await goOn(checkout);
  await payByCard(checkout, CARDS.succeeds);
  await settled();
  await said('Signed webhook').getByText('Transaction updated').waitFor();

  const { shop } = demo;
  const order = async (situation: string): Promise<string> => {
    const response = await fetch(`${shop}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ flow: null, situation }),
    });
    expect(response.status, situation).toBe(200);
    // The cast relies on the demo shop's response for a placed order.
    return ((await response.json()) as { session_id: string }).session_id;
  };
  for (const situation of SITUATIONS) await order(situation);
  const unavailable = await order('unavailable');
  const hooks = async (): Promise<string> => (await fetch(`${shop}/hooks`)).text();
  await expect.poll(hooks).toContain(unavailable);
});
