import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import { openFullPage, type Checkout, type CheckoutOptions } from './open-checkout.js';
import { CARDS, IBAN, WALLET } from '../test-values.js';

/** Called at each screen, once it is complete. */
export type Look = (checkout: Checkout, screen: string) => Promise<void>;

const MORE_THAN_A_DAY_SECONDS = 86_401;

const SANCTIONED = '0x00000000000000000000000000000000dead0001';

const DETAILS: Readonly<Record<string, string>> = {
  card_number: CARDS.needsAuthentication,
  expiry: '12/34',
  cvc: '123',
  account_holder: 'Ada Lovelace',
  iban: IBAN,
  wallet: WALLET,
  refund: WALLET,
  first_name: 'Ada',
  last_name: 'Lovelace',
  date_of_birth: '1990-12-10',
  document_number: 'X1234567',
  code: '000000',
};

/** The screens of a purchase by card. */
export async function purchase(options: CheckoutOptions, look: Look): Promise<void> {
  let isHeld = false;
  const checkout = await openFullPage({
    ...options,
    session: { amount: '14.50' },
    prepare: async ({ context }) => {
      // The step after the code lasts until it has been looked at.
      await context.route('**/v1/embed/intents/*', async (route) => {
        await expect.poll(() => isHeld).toBe(false);
        await route.continue();
      });
      // A navigation answered with 204 leaves the page in place.
      await context.route('**/done', (route) => route.fulfill({ status: 204 }));
    },
  });
  const { page } = checkout;
  const at = (screen: string): Promise<void> => look(checkout, screen);
  await page.locator('.more').waitFor();
  await page.locator('.more summary').click();
  await at('order');
  await page.locator('.picker').first().click();
  await page.locator('.search').waitFor();
  await at('tokens');
  await page.keyboard.press('Escape');
  await page.locator('.search').waitFor({ state: 'detached' });
  await send(page);
  await page.locator('#wallet').fill('0x1234');
  await send(page);
  await page.locator('#wallet-error').waitFor();
  await at('wallet-refused');
  await page.locator('#wallet').fill(WALLET);
  await send(page);
  await fill(page, ['card_number', 'expiry', 'cvc']);
  await at('card');
  await send(page);
  await fill(page, ['first_name', 'last_name', 'date_of_birth', 'document_number']);
  await at('identity');
  await send(page);
  await fill(page, ['code']);
  await at('code');
  isHeld = true;
  await send(page);
  await page.locator('.stages').waitFor();
  await at('progress');
  isHeld = false;
  await checkout.pass(10);
  await page.locator('.mark-good').waitFor();
  await page.locator('.outcome > .button-quiet').click();
  await at('success');
  await page.reload();
  await page.locator('.mark-good').waitFor();
  await at('ended-completed');
}

/** Document upload, with the second picture refused, and the review. */
async function documents(options: CheckoutOptions, look: Look): Promise<void> {
  const session = { flow: 'on_ramp', amount: '17.50', wallet_address: WALLET };
  const checkout = await openFullPage({ ...options, session });
  const { page } = checkout;
  await page.locator('.more').waitFor();
  await send(page);
  await fill(page, ['card_number', 'expiry', 'cvc']);
  await page.locator('#card_number').fill(CARDS.succeeds);
  await send(page);
  const sides = page.locator('.document');
  const file = { name: 'id.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
  const choose = (nth: number, given: typeof file) =>
    sides.nth(nth).locator('input[type=file]').last().setInputFiles(given);
  await choose(0, file);
  await page.locator('.document-there').waitFor();
  await choose(1, { ...file, mimeType: 'image/gif' });
  await page.locator('.document .field-error').waitFor();
  await look(checkout, 'documents');
  for (const nth of [1, 2]) await choose(nth, file);
  await page.locator('.document-there').nth(2).waitFor();
  await send(page);
  await page.locator('.review').waitFor();
  await look(checkout, 'review');
}

async function transfer(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({
    ...options,
    session: { flow: 'on_ramp', wallet_address: WALLET },
    prepare: ({ page: tab }) => tab.clock.install(),
  });
  const { page } = checkout;
  await page.locator('.more').waitFor();
  await page.locator('input[value="bank_transfer"]').check();
  await send(page);
  await page.locator('.folded').waitFor();
  await send(page);
  await page.locator('.copyable').first().waitFor();
  await look(checkout, 'transfer');
  await page.clock.fastForward('24:01:00');
  await page.locator('.alerts .notice').waitFor();
  await look(checkout, 'transfer-late');
}

async function sale(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({
    ...options,
    session: { flow: 'off_ramp' },
    prepare: ({ page: tab }) => tab.clock.install(),
  });
  const { page } = checkout;
  await page.locator('.more').waitFor();
  await look(checkout, 'sale');
  await send(page);
  await fill(page, ['refund']);
  await look(checkout, 'refund');
  await send(page);
  await fill(page, ['account_holder', 'iban']);
  await look(checkout, 'payout');
  await send(page);
  await page.locator('.qr path').waitFor({ state: 'attached' });
  await look(checkout, 'deposit');
  await page.clock.fastForward('31:00');
  await page.locator('.alerts .notice').waitFor();
  await look(checkout, 'deposit-late');
}

async function swap(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({ ...options, session: { flow: 'swap' } });
  const { page } = checkout;
  await page.locator('.more').waitFor();
  await look(checkout, 'swap');
  await send(page);
  await fill(page, ['wallet', 'refund']);
  await look(checkout, 'swap-wallets');
  await send(page);
  await page.locator('.folded').waitFor();
  await look(checkout, 'swap-check');
  await send(page);
  await page.locator('.qr path').waitFor({ state: 'attached' });
  await look(checkout, 'swap-deposit');
}

/** The steps on a bank's page and in a provider's component. */
async function visits(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({ ...options, session: { flow: 'on_ramp', wallet_address: WALLET } });
  const { page, gate } = checkout;
  const card = page.locator('#card_number');
  await page.locator('.more').waitFor();
  await send(page);
  await page.getByRole('button', { name: 'Sandbox Pay', exact: true }).click();
  await page.locator('iframe.slot').contentFrame().locator('button').first().waitFor();
  await look(checkout, 'component');
  await page.locator('.button-quiet').click();
  await send(page);
  await fill(page, ['card_number', 'expiry', 'cvc']);
  await card.fill(CARDS.needsRedirect);
  await send(page);
  await card.waitFor({ state: 'detached' });
  await look(checkout, 'visit');
  await page.locator('form .button').first().click();
  await page.waitForURL('**/sandbox/authenticate/**');
  await page.goto(`${gate.origins.sandboxWidget}/return`);
  await page.locator('.alerts .notice').waitFor();
  await look(checkout, 'visit-again');
}

/** A slow price, and a connection lost at the payment. */
async function delays(options: CheckoutOptions, look: Look): Promise<void> {
  let isSlow = true;
  let isAway = false;
  const checkout = await openFullPage({
    ...options,
    session: { flow: 'on_ramp', wallet_address: WALLET },
    prepare: async ({ context, page: tab, ...rest }) => {
      rest.expectProblem(/Failed to load resource/);
      await tab.clock.install();
      await context.route('**/v1/embed/**', async (route) => {
        if (isAway) await route.abort('internetdisconnected');
        else if (!isSlow || !route.request().url().endsWith('/quotes')) await route.continue();
      });
    },
  });
  const { page } = checkout;
  await page.locator('.side .bone').first().waitFor();
  await page.clock.fastForward('00:04');
  await page.locator('.wait-text button').waitFor();
  await look(checkout, 'slow-price');
  isSlow = false;
  await page.locator('.wait-text button').click();
  await page.locator('.wait-text').waitFor({ state: 'detached' });
  await send(page);
  await fill(page, ['card_number', 'expiry', 'cvc']);
  isAway = true;
  await send(page);
  await page.locator('.alerts .notice').waitFor();
  await look(checkout, 'lost-connection');
}

async function unhappyEnds(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({ ...options, session: { flow: 'on_ramp', wallet_address: WALLET } });
  const { page, gate, session } = checkout;
  await page.locator('.more').waitFor();
  await page.locator('input[value="bank_transfer"]').check();
  await send(page);
  await page.locator('.folded').waitFor();
  await look(checkout, 'bank-transfer');
  await page.locator('.button-quiet').click();
  await page.locator('input[value="card"]').check();
  await send(page);
  await send(page);
  await page.locator('.field-error').first().waitFor();
  await look(checkout, 'card-empty');
  await fill(page, ['card_number', 'expiry', 'cvc']);
  await page.locator('#card_number').fill(CARDS.declines);
  await send(page);
  await page.locator('#card_number-error').waitFor();
  await look(checkout, 'card-declined');
  await fetch(`${gate.origins.sandbox}/v1/gate_sessions/${session.id}/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gate.keys.secret}` },
  });
  await page.reload();
  await page.locator('.mark-quiet').waitFor();
  await look(checkout, 'ended-cancelled');
  await page.goto('about:blank');
  await page.goto(`${gate.origins.sandboxWidget}/`);
  await page.locator('.mark-quiet').waitFor();
  await look(checkout, 'broken');
}

async function blocked(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({ ...options, session: { flow: 'on_ramp', wallet_address: SANCTIONED } });
  const { page } = checkout;
  await page.locator('.more').waitFor();
  await send(page);
  await fill(page, ['card_number', 'expiry', 'cvc']);
  await send(page);
  await page.locator('.mark-bad').waitFor();
  await look(checkout, 'failure');
}

async function unavailable(options: CheckoutOptions, look: Look): Promise<void> {
  const checkout = await openFullPage({
    ...options,
    prepare: ({ context }) =>
      context.route('**/v1/embed/bootstrap', async (route) => {
        const response = await route.fetch();
        const opened = await response.text();
        const body = opened.replace(
          '"available":true,"unavailable_reason":null',
          '"available":false,"unavailable_reason":"quota_exhausted"',
        );
        await route.fulfill({ response, body });
      }),
  });
  const { page, context } = checkout;
  await page.locator('.mark-quiet').waitFor();
  await look(checkout, 'unavailable');
  await context.unrouteAll();
  await checkout.pass(MORE_THAN_A_DAY_SECONDS);
  await page.reload();
  await page.locator('.mark-quiet').waitFor();
  await look(checkout, 'ended-expired');
}

type Part = (options: CheckoutOptions, look: Look) => Promise<void>;

/** All screens. The parts use field names and the submit button instead of texts, so that they work in every language. */
export const TOUR: readonly Part[] = [
  purchase,
  documents,
  transfer,
  sale,
  swap,
  visits,
  delays,
  unhappyEnds,
  blocked,
  unavailable,
];

const send = (page: Page): Promise<void> => page.locator('button[type=submit]').click();

async function fill(page: Page, fields: readonly string[]): Promise<void> {
  for (const field of fields) await page.locator(`#${field}`).fill(DETAILS[field] ?? '');
}
