import { expect } from 'vitest';

import type { SITUATIONS } from '../../apps/demo-shop/src/server/orders/terms.js';
import { sayLatePrice, type DemoTab } from './open-demo.js';
import { type CheckoutView, giveIdentity, goOn, payByCard } from './pay.js';
import { CARDS } from './test-values.js';

type Steps = (tab: DemoTab) => Promise<void>;

const begin = (label: string, steps: Steps): Steps => {
  return async (tab) => {
    await tab.page.getByRole('button', { name: label, exact: true }).click();
    await steps(tab);
  };
};

const pays: Steps = async ({ checkout, settled }) => {
  await goOn(checkout);
  await payByCard(checkout, CARDS.succeeds);
  await settled();
};

/** The buyer's steps in each situation of the shop, up to its documented outcome. */
const STEPS: Readonly<Record<(typeof SITUATIONS)[number], Steps>> = {
  ordinary: begin('Open the checkout', pays),
  declined: begin('Card declined', async ({ page, checkout, said, settled }) => {
    await page.getByRole('status').getByText('4000 0000 0000 0002').waitFor();
    await goOn(checkout);
    await payByCard(checkout, CARDS.declines);
    await said('The browser').getByText('payment_declined').waitFor();
    await said('Signed webhook').getByText('payment_declined').waitFor();
    const failed = said('Signed webhook').locator('li', { hasText: 'payment_declined' });
    expect(await failed.evaluate((line) => getComputedStyle(line, '::before').content)).not.toContain('✓');
    expect(await said('Signed webhook').locator('.state').innerText()).toBe('waiting');
    await payByCard(checkout, CARDS.succeeds);
    await settled();
  }),
  secure: begin('3-D Secure', async ({ page, checkout, settled }) => {
    await page.getByRole('status').getByText('000000').waitFor();
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
  identity: begin('Identity check', async ({ page, checkout, said, settled }) => {
    await goOn(checkout);
    await payByCard(checkout, CARDS.succeeds);
    await giveIdentity(checkout);
    await said('Signed webhook').getByText('Identity check required').waitFor();
    await settled();
    await page.getByText('Order · 14.50 EUR').waitFor();
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
    await goOn(tab.checkout);
    await payByCard(tab.checkout, CARDS.refunded);
    await tab.settled();
    await tab.demo.settle();
    await tab.said('Signed webhook').getByText('Transaction updated').waitFor();
  }),
  slow: async (tab) => {
    await sayLatePrice(tab, () => tab.page.getByRole('button', { name: 'Slow provider' }).click());
    await tab.checkout.getByLabel('Asset to receive').waitFor();
    await tab.checkout.getByText('Price held for').waitFor();
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
  unavailable: begin('Unavailable', (tab) => closes(tab, 'session_cancelled', 'cancelled')),
  expired: begin('Expired', (tab) => closes(tab, 'session_expired', 'expired')),
};

/** Takes the steps of a situation in a newly opened shop. Fails unless it reaches its outcome. */
export async function goThrough(situation: (typeof SITUATIONS)[number], tab: DemoTab): Promise<void> {
  if (situation === 'offline') tab.expectProblem(/ERR_INTERNET_DISCONNECTED/);
  await STEPS[situation](tab);
}

/** The checkout opens, the page receives the reason, and the webhook reports the state. */
async function closes({ checkout, said }: DemoTab, reason: string, state: string): Promise<void> {
  await checkout.getByRole('heading').first().waitFor();
  await said('The browser').getByText(`Unavailable ${reason}`).waitFor();
  await said('Signed webhook').getByText(state, { exact: true }).waitFor();
  expect(await checkout.getByRole('heading').count()).toBeGreaterThan(0);
  expect(await said('Signed webhook').getByText('settled', { exact: true }).count()).toBe(0);
}

/** Uploads all sides as PDF files and submits them. */
export async function uploadAll(checkout: CheckoutView): Promise<void> {
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
