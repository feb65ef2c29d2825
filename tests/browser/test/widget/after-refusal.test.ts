import { expect, it } from 'vitest';

import { openFullPage } from '../../widget/open-checkout.js';
import { CARDS, WALLET } from '../../test-values.js';
import { atStep, payByCard, press } from '../../widget/walk.js';

const NO_ADDRESS = `${WALLET.slice(0, -1)}z`;
const SANCTIONED = '0x00000000000000000000000000000000dead0001';

/** Replaces the wallet in the request, since the typed one must pass the page's own checks. */
const openWithWallet = (wallet: string, problem: RegExp | null) =>
  openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context, expectProblem }) => {
      if (problem !== null) expectProblem(problem);
      return context.route('**/v1/embed/intents', (route) =>
        route.continue({ postData: (route.request().postData() ?? '').replace(WALLET, wallet) }),
      );
    },
  });

it('a refused wallet is marked at its field, which keeps its value and gets the focus', async () => {
  const { ui, page } = await openWithWallet(NO_ADDRESS, /422/);
  await payByCard(ui);
  await atStep(ui, 'Where should we send it?');
  await ui.getByText('This address was refused.').waitFor();
  const field = ui.getByLabel(/wallet address$/);
  expect(await field.inputValue()).toBe(WALLET);
  expect(await field.getAttribute('aria-describedby')).toContain('wallet-error');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('wallet');
});

it('a blocked wallet can be changed or the buyer can return to the shop, but the same attempt is not offered', async () => {
  const { ui, page, shop } = await openWithWallet(SANCTIONED, null);
  const waysBack = ui.locator('a, button').filter({ hasText: /return/i });
  await payByCard(ui);
  await atStep(ui, 'That did not work');
  expect(await ui.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await press(ui, 'Use another wallet');
  await ui.getByText(/^Price held for/).waitFor();
  await press(ui, 'Continue');
  expect(await ui.getByLabel(/wallet address$/).inputValue()).toBe('');

  await ui.getByLabel(/wallet address$/).fill(WALLET);
  await press(ui, 'Continue');
  await ui.getByLabel('Card number').fill('4242 4242 4242 4242');
  await ui.getByLabel('Expiry date').fill('12/34');
  await ui.getByLabel('Security code').fill('123');
  await press(ui, /^Pay /);
  await atStep(ui, 'That did not work');
  expect(await waysBack.allInnerTexts()).toEqual(['Cancel and return to Demo shop']);
  await waysBack.click();
  await press(ui, 'Cancel order');
  await page.waitForURL(`${shop.origin}/done`);
});

it('if no other attempt can succeed, a single link leads back to the shop', async () => {
  const { ui, page, shop } = await openFullPage({
    session: { flow: 'on_ramp', wallet_address: SANCTIONED },
  });
  await ui.getByText(/^Price held for/).waitFor();
  await press(ui, 'Continue');
  await ui.getByLabel('Card number').fill('4242 4242 4242 4242');
  await ui.getByLabel('Expiry date').fill('12/34');
  await ui.getByLabel('Security code').fill('123');
  await press(ui, /^Pay /);
  await ui.getByText('Another attempt would end the same way.').waitFor();
  const waysBack = ui.locator('a, button').filter({ hasText: /return/i });
  expect(await waysBack.allInnerTexts()).toEqual(['Return to Demo shop']);
  await waysBack.click();
  await page.waitForURL(`${shop.origin}/done`);
});

it('a code that did not reach the provider is requested again with a message, and then pays', async () => {
  // A flag instead of a request count, since the checkout retries lost responses.
  let isReached = false;
  const { ui } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context }) =>
      context.route('**/v1/embed/intents/*/confirm', async (route) => {
        if (isReached) return route.continue();
        // Answers with the unchanged intent, as the service does when the provider refuses the connection.
        const { origin = '', 'x-embed-token': token = '' } = route.request().headers();
        const intent = await fetch(
          route
            .request()
            .url()
            .replace(/\/confirm$/, ''),
          {
            headers: { origin, 'x-embed-token': token },
          },
        );
        return route.fulfill({
          status: intent.status,
          headers: { 'content-type': 'application/json', 'access-control-allow-origin': origin },
          body: await intent.text(),
        });
      }),
  });
  await payByCard(ui, CARDS.needsAuthentication);
  await atStep(ui, 'Confirm with your bank');
  const code = ui.getByLabel('One-time code');
  await code.fill('000000');
  await press(ui, 'Confirm');
  await ui.getByText('This did not reach the payment provider, or was not accepted.').waitFor();
  expect(await code.inputValue()).toBe('000000');
  isReached = true;
  await press(ui, 'Confirm');
  await code.waitFor({ state: 'detached' });
});

it('the support link is in the footer of every screen', async () => {
  const { ui } = await openFullPage({
    prepare: ({ gate }) => gate.brand({ support_url: 'https://shop.example/help' }),
  });
  const help = ui.getByRole('link', { name: 'Get help' });
  await help.waitFor();
  expect(await help.getAttribute('href')).toBe('https://shop.example/help');
  expect([await help.getAttribute('target'), await help.getAttribute('rel')]).toEqual([
    '_blank',
    'noopener noreferrer',
  ]);
});
