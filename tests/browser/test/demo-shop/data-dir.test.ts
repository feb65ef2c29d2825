import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { SITUATIONS } from '../../../../apps/demo-shop/src/server/orders/terms.js';
import { openDemo, sayLatePrice, type DemoTab } from '../../open-demo.js';
import { type CheckoutView, giveIdentity, goOn, payByCard } from '../../pay.js';
import { CARDS } from '../../test-values.js';

type Walk = (tab: DemoTab) => Promise<void>;

const begin = (label: string, walk: Walk): Walk => {
  return async (tab) => {
    await tab.page.getByRole('button', { name: label, exact: true }).click();
    await walk(tab);
  };
};

const pays: Walk = async ({ checkout, settled }) => {
  await goOn(checkout);
  await payByCard(checkout, CARDS.succeeds);
  await settled();
};

/** The buyer's steps in each situation of the shop, up to its documented outcome. */
const WALKS: Readonly<Record<(typeof SITUATIONS)[number], Walk>> = {
  ordinary: begin('Open the checkout', pays),
  declined: begin('Card declined', async (tab) => {
    await goOn(tab.checkout);
    await payByCard(tab.checkout, CARDS.declines);
    await tab.said('Signed webhook').getByText('payment_declined').waitFor();
    await payByCard(tab.checkout, CARDS.succeeds);
    await tab.settled();
  }),
  secure: begin('3-D Secure', async ({ checkout, settled }) => {
    await goOn(checkout);
    await payByCard(checkout, CARDS.needsAuthentication);
    await checkout.getByLabel('One-time code').fill('000000');
    await checkout.getByRole('button', { name: 'Confirm' }).click();
    await settled();
  }),
  saved_card: begin('Saved card', async ({ page, checkout, settled }) => {
    await goOn(checkout);
    await checkout.getByLabel(/^Save this card/).check();
    await payByCard(checkout, CARDS.succeeds);
    await settled();
    await page.getByRole('button', { name: 'Open the checkout' }).click();
    await goOn(checkout);
    await checkout.getByRole('radio', { name: /•••• 4242/ }).waitFor();
    await checkout.getByRole('button', { name: /^Pay / }).click();
    await settled();
  }),
  identity: begin('Identity check', async ({ checkout, settled }) => {
    await goOn(checkout);
    await payByCard(checkout, CARDS.succeeds);
    await giveIdentity(checkout);
    await settled();
  }),
  documents: begin('Identity documents', async ({ checkout, demo, settled }) => {
    await goOn(checkout);
    await payByCard(checkout, CARDS.succeeds);
    await checkout.getByRole('heading', { name: 'Confirm your identity' }).waitFor();
    await uploadAll(checkout);
    await checkout.getByRole('heading', { name: 'We are checking your documents' }).waitFor();
    await demo.settle();
    await settled();
  }),
  bank_transfer: begin('Bank transfer', async ({ checkout, demo, said }) => {
    await checkout.getByText('Bank transfer', { exact: true }).click();
    await goOn(checkout);
    await checkout.getByRole('button', { name: 'Start bank transfer' }).click();
    await checkout.getByText('Payment reference').first().waitFor();
    await demo.settle();
    await said('Signed webhook').getByText('settled', { exact: true }).waitFor();
  }),
  refund: begin('Refund', async (tab) => {
    await pays(tab);
    await tab.said('Signed webhook').getByText('Transaction updated').waitFor();
  }),
  slow: async (tab) => {
    await sayLatePrice(tab, () => tab.page.getByRole('button', { name: 'Slow provider' }).click());
    await pays(tab);
  },
  offline: begin('Connection lost', async (tab) => {
    const { context, checkout, settled } = tab;
    await goOn(checkout);
    await checkout.getByLabel('Card number').waitFor();
    await context.setOffline(true);
    await payByCard(checkout, CARDS.succeeds);
    await checkout.getByText('The connection was lost.').waitFor();
    await context.setOffline(false);
    await checkout.getByText('you were not charged').waitFor();
    await checkout.getByRole('button', { name: /^Pay / }).click();
    await settled();
  }),
  unavailable: begin('Unavailable', async ({ said }) => {
    await said('The browser').getByText('Unavailable session_cancelled').waitFor();
    await said('Signed webhook').getByText('cancelled', { exact: true }).waitFor();
  }),
  expired: begin('Expired', async ({ said }) => {
    await said('The browser').getByText('Unavailable session_expired').waitFor();
    await said('Signed webhook').getByText('expired', { exact: true }).waitFor();
  }),
};

it.each(SITUATIONS)('with a data directory the situation %s reaches its outcome', async (situation) => {
  const tab = await openDemoOnDisk();
  if (situation === 'offline') tab.expectProblem(/ERR_INTERNET_DISCONNECTED/);
  await WALKS[situation](tab);
});

it('a buyer on the full page sends documents, leaves during the review, returns and completes the order', async () => {
  const tab = await openDemoOnDisk();
  const { page, demo } = tab;
  await page.getByRole('tab', { name: 'Full page' }).click();
  await page.getByRole('button', { name: 'Identity documents' }).click();
  await page.waitForURL(`${demo.checkout}/`);
  await goOn(page);
  await payByCard(page, CARDS.succeeds);
  await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor();
  await uploadAll(page);
  await page.getByRole('heading', { name: 'We are checking your documents' }).waitFor();
  await page.getByRole('button', { name: /^Return to / }).click();
  await page.waitForURL(`${demo.shop}/return?order=*`);
  expect(await tab.said('Signed webhook').getByText('Money is moving').count()).toBe(0);

  await page.goBack();
  await page.getByRole('heading', { name: 'We are checking your documents' }).waitFor();
  await demo.settle();
  // The full page returns to the shop automatically.
  await page.waitForURL(`${demo.shop}/return?order=*`);
  await tab.said('Signed webhook').getByText('settled', { exact: true }).waitFor();
});

function openDemoOnDisk(): Promise<DemoTab> {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-shop-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return openDemo({}, { GATE_DATA_DIR: join(dir, 'data'), GATE_DEMO: 'on' });
}

/** Uploads all sides as PDF files and submits them. */
async function uploadAll(checkout: CheckoutView): Promise<void> {
  for (const side of ['Front', 'Back', 'Selfie']) {
    const panel = checkout
      .getByRole('listitem')
      .filter({ has: checkout.getByRole('heading', { name: side, exact: true }) });
    await panel
      .locator('input[type=file]')
      .last()
      .setInputFiles({ name: `${side}.pdf`, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 sandbox') });
    await panel.getByText('Received').waitFor();
  }
  await checkout.getByRole('button', { name: 'Send for review' }).click();
}
