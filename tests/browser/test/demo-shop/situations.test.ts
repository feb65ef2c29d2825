import { expect, it } from 'vitest';

import { openDemo } from '../../open-demo.js';
import { CARDS, goOn, payByCard } from '../../pay.js';

const SITUATION_MAX_MS = 60_000;

it(
  'a card is declined, the order stays open, and another card pays for it',
  async () => {
    const { page, checkout, said, settled } = await openDemo();
    await page.getByRole('button', { name: 'Card declined' }).click();
    await page.getByRole('status').getByText(CARDS.declines).waitFor();

    await goOn(checkout);
    await payByCard(checkout, CARDS.declines);
    await said('The browser').getByText('payment_declined').waitFor();
    await said('Signed webhook').getByText('payment_declined').waitFor();
    expect(await said('Signed webhook').locator('.state').innerText()).toBe('waiting');

    await payByCard(checkout, CARDS.succeeds);
    await settled();
  },
  SITUATION_MAX_MS,
);

it(
  'a bank asks for a code, and the payment goes on with it',
  async () => {
    const { page, checkout, settled } = await openDemo();
    await page.getByRole('button', { name: '3-D Secure' }).click();
    await page.getByRole('status').getByText('000000').waitFor();

    await goOn(checkout);
    await payByCard(checkout, CARDS.asksForCode);
    await checkout.getByLabel('One-time code').fill('000000');
    await checkout.getByRole('button', { name: 'Confirm' }).click();

    await settled();
  },
  SITUATION_MAX_MS,
);

it(
  'for 14.50 EUR the buyer says who they are, and then pays',
  async () => {
    const { page, checkout, said, settled } = await openDemo();
    await page.getByRole('button', { name: 'Identity check' }).click();

    await goOn(checkout);
    await payByCard(checkout, CARDS.succeeds);
    await checkout.getByLabel('First name').fill('Ada');
    await checkout.getByLabel('Last name').fill('Lovelace');
    await checkout.getByLabel('Date of birth').fill('1990-12-10');
    await checkout.getByLabel('ID or passport number').fill('L01X00T47');
    await goOn(checkout);

    await said('Signed webhook').getByText('Identity is asked for').waitFor();
    await settled();
    await page.getByText('Order · 14.50 EUR').waitFor();
  },
  SITUATION_MAX_MS,
);

it.each([
  ['Unavailable', 'session_cancelled', 'cancelled'],
  ['Expired', 'session_expired', 'expired'],
] as const)(
  '%s: the checkout opens, the page hears %s, and the webhook says %s',
  async (situation, reason, state) => {
    const { page, said, checkout } = await openDemo();
    await page.getByRole('button', { name: situation }).click();
    await checkout.getByRole('heading').first().waitFor();

    await said('The browser').getByText(`Unavailable ${reason}`).waitFor();
    await said('Signed webhook').getByText(state, { exact: true }).waitFor();
    expect(await checkout.getByRole('heading').count()).toBeGreaterThan(0);
    expect(await said('Signed webhook').getByText('settled', { exact: true }).count()).toBe(0);
  },
  SITUATION_MAX_MS,
);
