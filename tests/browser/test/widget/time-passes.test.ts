import { expect, it } from 'vitest';

import { openFullPage } from '../../widget/open-checkout.js';
import { WALLET } from '../../test-values.js';
import { atStep, giveAccount, press, toPayment } from '../../widget/walk.js';

it('a deposit counts down and hides its address when it expires', async () => {
  const { ui, page } = await openFullPage({
    session: { flow: 'off_ramp' },
    prepare: ({ page: tab }) => tab.clock.install(),
  });
  await toPayment(ui);
  await giveAccount(ui);
  await atStep(ui, 'Send your USDC');
  expect(await ui.getByRole('timer').innerText()).toMatch(/^(30:00|29:\d\d)$/);
  await page.clock.fastForward('31:00');
  await ui.getByRole('alert').getByText('The time to send is over').waitFor();
  expect(await ui.getByRole('button', { name: 'I have sent it' }).count()).toBe(0);
  expect(await ui.getByText(/0x[0-9a-f]{40}/i).count()).toBe(0);
  expect(await ui.getByRole('img', { name: 'QR code' }).count()).toBe(0);
});

it('an expired deposit ends in a failure, from which the order can continue', async () => {
  const checkout = await openFullPage({ session: { flow: 'off_ramp' } });
  const { ui } = checkout;
  await toPayment(ui);
  await giveAccount(ui);
  await atStep(ui, 'Send your USDC');
  await checkout.pass(31 * 60);
  await atStep(ui, 'That did not work');
  await ui.getByText('Your transfer did not arrive in time.').waitFor();
  await press(ui, 'Try again');
  await atStep(ui, 'Sell crypto');
});

it('an automatic price change is announced with the new price', async () => {
  let asked = 0;
  const { ui, page } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: async ({ context, page: tab }) => {
      await tab.clock.install();
      await context.route('**/v1/embed/quotes', async (route) => {
        asked += 1;
        const response = await route.fetch();
        const quotes = await response.text();
        await route.fulfill({ response, body: asked === 1 ? quotes : quotes.replaceAll('107.', '99.') });
      });
    },
  });
  await ui.getByText(/^Price held for/).waitFor();
  expect(await ui.getByText('The price has been updated.').count()).toBe(0);
  await page.clock.fastForward('06:00');
  await ui
    .getByRole('status')
    .getByText(/^The price has been updated\. You receive: 99\.\d+\sUSDC$/)
    .waitFor();
});

it('a reload before the first attempt restores step, wallet and method, and the attempt clears them', async () => {
  const { ui, page } = await openFullPage({ session: { flow: 'on_ramp' } });
  await ui.getByRole('radio', { name: /^Bank transfer/ }).check();
  await press(ui, 'Continue');
  await ui.getByLabel(/wallet address$/).fill(WALLET);
  await page.reload();
  await atStep(ui, 'Where should we send it?');
  expect(await ui.getByLabel(/wallet address$/).inputValue()).toBe(WALLET);
  await press(ui, 'Continue');
  await atStep(ui, 'Pay by bank transfer');
  await page.reload();
  await atStep(ui, 'Pay by bank transfer');
  await ui.getByText(WALLET).waitFor({ state: 'attached' });
  await press(ui, 'Back');
  await press(ui, 'Back');
  expect(await ui.getByRole('radio', { name: /^Bank transfer/ }).isChecked()).toBe(true);
  await press(ui, 'Continue');
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toMatch(
    /gsec_|pk_|eyJ/,
  );

  await press(ui, 'Continue');
  await press(ui, 'Start bank transfer');
  await atStep(ui, 'Transfer €100.00');
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
});

it('leaving before the first attempt clears the stored form', async () => {
  const { ui, page, shop, gate } = await openFullPage({ session: { flow: 'on_ramp' } });
  await ui.getByText(/^Price held for/).waitFor();
  await press(ui, 'Continue');
  await ui.getByLabel(/wallet address$/).fill(WALLET);
  await press(ui, /^Cancel and return/);
  await press(ui, 'Cancel order');
  await page.waitForURL(`${shop.origin}/done`);
  await page.goto(`${gate.origins.sandboxWidget}/`);
  await atStep(page, 'The checkout cannot go on');
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});
