import { expect, it } from 'vitest';
import { expectAccessible } from '../../accessible.js';
import { type Checkout, openFullPage } from '../../widget/open-checkout.js';
import { atStep, press, toPayment } from '../../widget/walk.js';

const LIMIT = { timeout: 90_000 };

const CONSENT = 'Save this card for next time at Demo shop. You can remove it at any time.';

/** The checkout of another session, at its payment. */
async function nextPayment({ page, gate }: Checkout, user_reference: string): Promise<void> {
  const { client_secret } = await gate.createSession({ flow: 'on_ramp', user_reference });
  const query = new URLSearchParams({ client_secret, publishableKey: gate.keys.publishable });
  const listed = page.waitForResponse(/\/v1\/embed\/payment_methods$/);
  await page.goto(`${gate.origins.sandboxWidget}/?${query.toString()}`);
  expect((await listed).status()).toBe(200);
  await toPayment(page);
  await atStep(page, 'Pay by card');
}

it(
  'a buyer saves a card by consent, pays with it by one press in the next session, and removes it; no other sees it',
  LIMIT,
  async () => {
    const checkout = await openFullPage({ session: { flow: 'on_ramp', user_reference: 'ada' } });
    const { page } = checkout;
    await toPayment(page);
    const consent = page.getByLabel(CONSENT);
    expect(await consent.isChecked()).toBe(false);
    await consent.check();
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByLabel('Expiry date').fill('12/49');
    await page.getByLabel('Security code').fill('123');
    await press(page, /^Pay /);
    await page.locator('.stages').waitFor();

    await nextPayment(checkout, 'ada');
    const saved = page.getByRole('radio', { name: /•••• 4242.*Expires 12\/49/ });
    await expect.poll(() => saved.isChecked()).toBe(true);
    expect(await page.getByLabel('Card number').count()).toBe(0);
    await expectAccessible(page);
    await press(page, /^Pay /);
    await page.locator('.stages').waitFor();

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
  },
);
