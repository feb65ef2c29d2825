import { expect, it } from 'vitest';

import { WALLET } from '../../test-values.js';
import { openFullPage, type Checkout } from '../../widget/open-checkout.js';
import { atStep, press, underWay } from '../../widget/walk.js';

async function atCard(): Promise<Checkout> {
  const checkout = await openFullPage({ session: { flow: 'on_ramp', wallet_address: WALLET } });
  await checkout.page.locator('.price bdi').first().waitFor();
  await press(checkout.page, 'Continue');
  await atStep(checkout.page, 'Pay by card');
  return checkout;
}

it('text is formatted once it is composed, not before', async () => {
  const { page, context } = await atCard();
  const keyboard = await context.newCDPSession(page);
  const card = page.getByLabel('Card number');
  await card.focus();
  const compose = (text: string) =>
    keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  for (const text of ['４', '４２４２', '４２４２４２４２']) {
    await compose(text);
    expect(await card.inputValue()).toBe(text);
  }
  await keyboard.send('Input.insertText', { text: '４２４２４２４２' });
  await expect.poll(() => card.inputValue()).toBe('4242 4242');
  await page.keyboard.type('42424242');
  expect(await card.inputValue()).toBe('4242 4242 4242 4242');
});

it('what fires only `change` is paid with, as password managers write it', async () => {
  const { page } = await atCard();
  const fill = (label: string, text: string) =>
    page.getByLabel(label).evaluate((input, value) => {
      (input as HTMLInputElement).value = value;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }, text);
  await fill('Card number', '4242424242424242');
  await fill('Expiry date', '2049-12');
  await fill('Security code', '123');
  expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/intents'));
  await press(page, /^Pay /);
  expect((await sent).postDataJSON()).toMatchObject({
    payment_details: { card_number: '4242424242424242', expiry: '12/49', cvc: '123' },
  });
  await underWay(page);
});

it('what was read is shown when the field is left, and a character that cannot be read is named', async () => {
  const { page } = await atCard();
  await page.getByLabel('Expiry date').fill('expires 122049');
  await page.getByLabel('Card number').fill('4242 4242 4242 424O');
  expect(await page.getByLabel('Expiry date').inputValue()).toBe('12/49');
  await page.getByLabel('Security code').focus();
  await page.getByText(/O\u2069 cannot be read here\. Remove or correct it\./).waitFor();
  expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 424O');
});
