import { expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { CARDS, WALLET } from '../../test-values.js';
import { atStep, chooseAsset, payByCard, press, toPayment, underWay } from '../../widget/walk.js';

const OFFLINE = /Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|FAILED|CONNECTION_REFUSED)/;

it('after a connection loss at Pay the form is unchanged, and says that the buyer was not charged', async () => {
  const { ui, page, context, expectProblem } = await openFullPage({ session: { flow: 'on_ramp' } });
  expectProblem(OFFLINE);
  await chooseAsset(ui, 'Asset to receive', 'ETH on Ethereum');
  await ui
    .getByText(/\sETH$/)
    .first()
    .waitFor();
  let isAway = false;
  await context.route('**/v1/embed/**', (route) => (isAway ? route.abort('internetdisconnected') : route.continue()));
  await ui.getByRole('button', { name: 'Continue' }).click();
  await ui.getByLabel(/wallet address$/).fill(WALLET);
  await press(ui, 'Continue');
  await ui.getByLabel('Card number').fill('4242 4242 4242 4242');
  await ui.getByLabel('Expiry date').fill('12/34');
  await ui.getByLabel('Security code').fill('123');
  isAway = true;
  await press(ui, /^Pay /);
  await ui.getByText('The connection was lost.').waitFor();
  expect(await ui.getByRole('button', { name: 'Back' }).count()).toBe(0);
  expect(await ui.getByLabel('Security code').inputValue()).toBe('123');

  isAway = false;
  await page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
  await ui.getByText('you were not charged').waitFor();
  expect(await ui.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
  const asked = page.waitForRequest('**/v1/embed/intents');
  await press(ui, /^Pay /);
  expect((await asked).postDataJSON()).toMatchObject({ target_token: 'ETH', target_network: 'ethereum' });
  await underWay(ui);
});

it('when the response to Pay is lost, the checkout finds the attempt and creates no second one', async () => {
  let made = 0;
  const { ui, expectProblem } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context }) =>
      context.route('**/v1/embed/intents', async (route) => {
        if (made === 0) made += (await route.fetch()).status() === 201 ? 1 : 0;
        await route.abort('connectionreset');
      }),
  });
  expectProblem(/Failed to load resource: net::ERR_CONNECTION_RESET/);
  await payByCard(ui);
  await underWay(ui);
  expect(made).toBe(1);
});

const REQUESTED_SCRIPTS = [
  ['a step', /later-views/, '100.00', 'Confirm with your bank'],
  ['a step of documents', /assets\/documents-/, '17.00', 'Confirm your identity'],
] as const;

it.each(REQUESTED_SCRIPTS)(
  '%s whose script fails to load shows a message with a retry, and appears once the device is online',
  async (_, file, amount, title) => {
    let isAway = true;
    const { ui, page, expectProblem } = await openFullPage({
      session: { flow: 'on_ramp', amount },
      prepare: ({ context }) =>
        context.route(file, (route) => (isAway ? route.abort('internetdisconnected') : route.continue())),
    });
    expectProblem(OFFLINE);
    await payByCard(ui, CARDS.needsAuthentication);
    await atStep(ui, 'Connection lost');
    await expectAccessible(page);
    await press(ui, 'Try again');
    await atStep(ui, 'Connection lost');
    isAway = false;
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
    await atStep(ui, title);
    expect(await page.title()).toContain(title);
  },
);

it('a QR code whose encoder fails to load is drawn once it can be fetched', async () => {
  let isAway = true;
  const { ui, expectProblem } = await openFullPage({
    prepare: ({ context }) =>
      context.route(/assets\/lean-qr/, (route) => (isAway ? route.abort('internetdisconnected') : route.continue())),
  });
  expectProblem(OFFLINE);
  await ui.getByRole('radio', { name: 'Swap' }).check({ force: true });
  await atStep(ui, 'Swap crypto');
  await toPayment(ui);
  await press(ui, 'Start swap');
  await atStep(ui, 'Send your ETH');
  expect(await ui.locator('svg.qr path').count()).toBe(0);
  isAway = false;
  await ui.locator('svg.qr path').waitFor({ state: 'attached' });
});

it('a slow price shows a message and a retry button', async () => {
  let asked = 0;
  const { ui } = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ context }) =>
      context.route('**/v1/embed/quotes', async (route) => {
        asked += 1;
        if (asked > 1) await route.continue();
      }),
  });
  await ui.getByText('Getting the price…').first().waitFor();
  await ui.getByText('The price is taking longer than usual.').waitFor();
  await press(ui, 'Try again');
  await ui.getByText(/^Price held for/).waitFor();
  expect(asked).toBe(2);
});

it('the selected tab is visible in forced-colors mode', async () => {
  const { ui } = await openFullPage({ tab: { forcedColors: 'active' } });
  const backgrounds = () =>
    ui.locator('.tab span').evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).backgroundColor));
  await ui.locator('.tab span').first().waitFor();
  const [chosen, ...others] = await backgrounds();
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect(other).not.toBe(chosen);
});
