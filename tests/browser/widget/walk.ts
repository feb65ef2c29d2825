import type { Frame, FrameLocator, Page } from 'playwright-core';

import { CARDS, IBAN, WALLET } from '../test-values.js';

type Ui = Page | Frame;

/** Waits for a step with this heading. */
export async function atStep(ui: Ui, heading: string | RegExp): Promise<void> {
  await ui.getByRole('heading', { level: 1, name: heading }).waitFor();
}

/**
 * Waits until a payment is under way. The sandbox settles a card after five seconds, and five seconds later the full page leaves for the
 * shop, so a slow machine may miss steps. A page that reads the session only then shows that the order is complete.
 */
export const underWay = (ui: Ui): Promise<void> =>
  orLeft(ui, /^(?:Your order is on its way|Done!|This order is complete)$/);

/** Waits for a success, after which the full page may already have left for the shop. */
export const succeeded = (ui: Ui): Promise<void> => orLeft(ui, /^(?:Done!|This order is complete)$/);

const orLeft = (ui: Ui, heading: RegExp): Promise<void> =>
  Promise.race([atStep(ui, heading), ui.waitForURL('**/done')]);

/**
 * Stops the time of an embedding page whose clock was installed before it was opened, to measure its own timers. A checkout needs its time:
 * in stopped time no frame is drawn, so steps do not load.
 */
export const stopTime = (page: Page): Promise<void> => page.clock.pauseAt(Date.now() + 30_000);

/**
 * Holds what the checkout reads of its payment until the returned function is called, so that the payment stays under way. A slow machine
 * could miss that step, which lasts five seconds.
 */
export async function holdReads(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/v1\/embed\/intents\/\w+$/, async (route) => {
    if (route.request().method() === 'GET') await released;
    await route.continue();
  });
  return release;
}

/** Keeps the full page from leaving by itself until the returned function is called: a navigation answered with 204 leaves it in place. */
export async function holdReturn(page: Page): Promise<() => Promise<void>> {
  await page.route('**/done', (route) => route.fulfill({ status: 204 }));
  return () => page.unroute('**/done');
}

export const press = (ui: Ui, name: string | RegExp): Promise<void> => ui.getByRole('button', { name }).click();

/** Opens the sheet of a choice and picks `option`. */
export async function chooseAsset(ui: Ui | FrameLocator, label: string, option: string | RegExp): Promise<void> {
  await ui.getByLabel(label).click();
  await ui.getByRole('dialog').getByRole('button', { name: option }).click();
}

/** Goes from the order step to the payment step. */
export async function toPayment(ui: Ui): Promise<void> {
  await ui.getByText(/^Price held for/).waitFor();
  await press(ui, 'Continue');
  await ui
    .getByLabel(/wallet address$|address for refunds$/)
    .first()
    .waitFor();
  for (const label of [/wallet address$/, /address for refunds$/]) {
    const field = ui.getByLabel(label);
    if (await field.isVisible()) await field.fill(WALLET);
  }
  await press(ui, 'Continue');
}

export async function payByCard(ui: Ui, number: string = CARDS.succeeds): Promise<void> {
  await toPayment(ui);
  await ui.getByLabel('Card number').fill(number);
  await ui.getByLabel('Expiry date').fill('12/34');
  await ui.getByLabel('Security code').fill('123');
  await press(ui, /^Pay /);
}

export async function giveAccount(ui: Ui): Promise<void> {
  await ui.getByLabel('Account holder').fill('Ada Lovelace');
  await ui.getByLabel('IBAN').fill(IBAN);
  await press(ui, /^Sell for /);
}

export async function giveIdentity(ui: Ui): Promise<void> {
  await ui.getByLabel('First name').fill('Ada');
  await ui.getByLabel('Last name').fill('Lovelace');
  await ui.getByLabel('Date of birth').fill('1990-12-10');
  await ui.getByLabel(/^ID or passport/).fill('X1234567');
  await press(ui, 'Continue');
}
