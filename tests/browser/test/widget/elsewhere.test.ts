import { createHash } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../../accessible.js';
import { openTab } from '../../open-tab.js';
import { begin, type Checkout, openFullPage, openInFrame } from '../../widget/open-checkout.js';
import { CARDS, WALLET } from '../../test-values.js';
import { atStep, holdReturn, payByCard, press, succeeded, underWay } from '../../widget/walk.js';

it('the full page leaves for the bank’s page and continues automatically when the buyer returns', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
  const { ui, page, gate } = checkout;
  await payByCard(ui, CARDS.needsRedirect);
  await atStep(ui, 'Confirm with your bank');
  await expectAccessible(page);
  await press(ui, 'Continue to your bank');
  await page.waitForURL(`${gate.origins.sandbox}/sandbox/authenticate/**`);
  await page.getByText('100.00 EUR').waitFor();
  await expectAccessible(page);
  await holdReturn(page);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.waitForURL(`${gate.origins.sandboxWidget}/return`);
  await underWay(ui);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await checkout.pass(10);
  await succeeded(ui);
});

it('a payment declined on the bank’s page fails and can be retried', async () => {
  const { ui, page } = await openFullPage({ session: { flow: 'on_ramp' } });
  await payByCard(ui, CARDS.needsRedirect);
  await press(ui, 'Continue to your bank');
  await page.getByRole('button', { name: 'Decline' }).click();
  await ui.getByText('Your bank could not confirm that it was you.', { exact: false }).waitFor();
});

it('a buyer who returns too early gets a message and can open the bank’s page again', async () => {
  const { ui, page, gate } = await openFullPage({ session: { flow: 'on_ramp' } });
  await payByCard(ui, CARDS.needsRedirect);
  await press(ui, 'Continue to your bank');
  await page.waitForURL('**/sandbox/authenticate/**');
  await page.goto(`${gate.origins.sandboxWidget}/return`);
  await ui.getByText('This payment has not been approved yet.', { exact: false }).waitFor();
  await press(ui, 'Continue to your bank');
  await page.getByRole('button', { name: 'Approve' }).click();
  await underWay(ui);
});

it('in a frame the bank’s page opens in a window, and the order continues once it is closed', async () => {
  const checkout = await openInFrame({ session: { flow: 'on_ramp' } });
  const { ui, context } = checkout;
  await payByCard(ui, CARDS.needsRedirect);
  await atStep(ui, 'Confirm with your bank');
  const opened = context.waitForEvent('page');
  await press(ui, 'Continue to your bank');
  const window = await opened;
  await window.getByRole('button', { name: 'Approve' }).click();
  await underWay(ui);
  await checkout.pass(10);
  await succeeded(ui);
  await expect.poll(async () => (await checkout.heard()).map(({ type }) => type)).toContain('PAYMENT_SUCCESS');
});

/** The checkout in a frame, before it sends the buyer to the bank. */
async function beforeTheBank(): Promise<Checkout> {
  const checkout = await openInFrame({ session: { flow: 'on_ramp' } });
  await payByCard(checkout.ui, CARDS.needsRedirect);
  await atStep(checkout.ui, 'Confirm with your bank');
  return checkout;
}

/** The address to which the bank returns the buyer. */
function returnUrl({ origins, keys }: Checkout['gate']): string {
  const key = createHash('sha256').update(keys.publishable).digest('hex');
  return `${origins.sandboxWidget}/return?key=${key}`;
}

it('a bank whose page cuts the connection to its opener gets no false alarm, and the order continues', async () => {
  const checkout = await beforeTheBank();
  const { ui, context, gate, page } = checkout;
  await context.route(`${gate.origins.sandbox}/sandbox/authenticate/**`, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'cross-origin-opener-policy': 'same-origin' },
    });
  });
  const asked = page.waitForResponse((response) => response.url().endsWith('/confirm'));
  const opened = context.waitForEvent('page');
  await press(ui, 'Continue to your bank');
  const window = await opened;
  await window.getByRole('button', { name: 'Approve' }).waitFor();
  // The window looks closed, so the provider was asked: nothing is said about it.
  expect((await asked).status()).toBe(200);
  await ui.getByRole('button', { name: 'I have finished' }).waitFor();
  expect(await ui.getByText('has not been approved yet', { exact: false }).count()).toBe(0);
  const returned = context.waitForEvent('request', (request) => new URL(request.url()).pathname === '/return');
  await window.getByRole('button', { name: 'Approve' }).click();
  expect((await returned).url()).toBe(returnUrl(gate));
  await underWay(ui);
  await checkout.pass(10);
  await succeeded(ui);
});

it('a blocked window becomes a link, and the order continues once the payment is approved', async () => {
  const { ui, page, context } = await beforeTheBank();
  for (const frame of page.frames()) await frame.evaluate(() => (globalThis.open = () => null));
  await press(ui, 'Continue to your bank');
  const link = ui.getByRole('link', { name: 'Continue to your bank' });
  await link.waitFor();
  await expectAccessible(page);
  const opened = context.waitForEvent('page');
  await link.click();
  const window = await opened;
  // The window closes itself on its return, perhaps before the click is reported.
  const approve = window.getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  await Promise.all([window.waitForEvent('close'), approve.click().catch(() => null)]);
  await underWay(ui);
});

it('a bank that returns to another browser meets a calm page that names the shop', async () => {
  const { gate } = await begin({});
  const { page: elsewhere, expectProblem } = await openTab();
  expectProblem(/Scripts may close only the windows that were opened by them/);
  await elsewhere.goto(returnUrl(gate));
  await elsewhere.getByRole('heading', { name: 'You are back from your bank' }).waitFor();
  await elsewhere.getByText('Your bank sends its answer to Demo shop.', { exact: false }).waitFor();
  expect(elsewhere.url()).toBe(`${gate.origins.sandboxWidget}/return`);
  await expectAccessible(elsewhere);
});

it.each([
  ['on the full page', openFullPage],
  ['in a frame', openInFrame],
])('%s the test wallet is offered first, on both steps, and pays in its component', async (_, open) => {
  const checkout = await open({ session: { flow: 'on_ramp' } });
  const { ui, page } = checkout;
  const wallet = ui.getByRole('button', { name: 'Sandbox Pay', exact: true });
  const isAbove = async (other: Locator): Promise<boolean> => {
    const [above, below] = await Promise.all([wallet.boundingBox(), other.boundingBox()]);
    return (above?.y ?? Infinity) < (below?.y ?? 0);
  };
  await ui.getByText(/^Price held for/).waitFor();
  expect(await isAbove(ui.getByRole('radio', { name: /^Card/ }))).toBe(true);
  await wallet.click();
  await ui.getByLabel(/wallet address$/).fill(WALLET);
  await press(ui, 'Continue');
  await ui.getByText('4000 0000 0000 3063 opens the bank’s page.').waitFor();
  // Neither the provider nor the device supports these.
  expect(await ui.getByRole('button', { name: /Apple Pay|Google Pay/ }).count()).toBe(0);
  expect(await isAbove(ui.getByLabel('Card number'))).toBe(true);
  await wallet.click();
  await atStep(ui, 'Finish your payment');
  await expectAccessible(page);
  const component = ui.locator('iframe.slot').contentFrame();
  await component.getByRole('button', { name: 'Pay with Sandbox Pay' }).click();
  await underWay(ui);
  await checkout.pass(10);
  await succeeded(ui);
});
