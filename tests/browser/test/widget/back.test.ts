import { expect, it } from 'vitest';

import { openFullPage } from '../../widget/open-checkout.js';
import { CARDS, WALLET } from '../../test-values.js';
import { atStep, payByCard, press, toPayment, underWay } from '../../widget/walk.js';

it('the browser’s Back and the Back button go from step to step and then out of the checkout', async () => {
  const { ui, page } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ page: tab }) => tab.goto('data:text/html,<title>Before</title>'),
  });
  await toPayment(ui);
  await atStep(ui, 'Pay by card');
  await page.goBack();
  await atStep(ui, 'Where should we send it?');
  expect(await ui.getByLabel(/wallet address$/).inputValue()).toBe(WALLET);
  await press(ui, 'Continue');
  await atStep(ui, 'Pay by card');
  await page.reload();
  await atStep(ui, 'Pay by card');
  await press(ui, 'Back');
  await atStep(ui, 'Where should we send it?');
  await page.goBack();
  await atStep(ui, 'Buy crypto');
  await page.goBack();
  await expect.poll(() => page.title()).toBe('Before');
});

it('Back does not leave the step while a payment is being sent', async () => {
  let isHeld = true;
  const { ui, page } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context }) =>
      context.route('**/v1/embed/intents', async (route) => {
        await expect.poll(() => isHeld).toBe(false);
        await route.continue();
      }),
  });
  await payByCard(ui);
  await page.goBack();
  await page.goBack();
  await ui.getByRole('button', { name: 'One moment…' }).waitFor();
  isHeld = false;
  await underWay(ui);
});

it('another open tab notices the payment', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
  const { ui, context, gate, session } = checkout;
  const other = await context.newPage();
  const query = new URLSearchParams({ client_secret: session.client_secret, publishableKey: gate.keys.publishable });
  await other.goto(`${gate.origins.sandboxWidget}/?${query.toString()}`);
  await toPayment(other);
  await payByCard(ui, CARDS.succeeds);
  await underWay(ui);
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await underWay(other);
});

it('an unknown action shows the link to the provider', async () => {
  const { ui } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context }) =>
      context.route(/\/v1\/embed\/intents/, async (route) => {
        const response = await route.fetch();
        const intent = (await response.json()) as object;
        const action = { type: 'of_tomorrow', url: 'https://provider.example/go' };
        await route.fulfill({ response, json: { ...intent, status: 'requires_action', next_action: action } });
      }),
  });
  await payByCard(ui);
  await atStep(ui, 'Continue with your payment provider');
  const link = ui.getByRole('link', { name: /^Continue/ });
  expect(await link.getAttribute('href')).toBe('https://provider.example/go');
  expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
    '_blank',
    'noopener noreferrer',
  ]);
});
