import { expect } from 'vitest';

import { CARDS, IBAN, WALLET } from '../test-values.js';
import type { Buyer, BuyerTab } from './buyer.js';
import { openStore, type Store } from './store.js';

/** Opens a tab in the browser under test, closed when the test ends. */
export type OpenBuyerTab = () => Promise<BuyerTab>;

type Story = (open: OpenBuyerTab) => Promise<void>;

/** The purchases that are tested in every browser. */
export const STORIES = {
  'a card purchase on the full page leads back to the shop': async (open) => {
    const scene = await onFullPage(open, { flow: 'on_ramp' });
    await payByCard(scene.tab.page);
    expect(await scene.tab.url()).not.toMatch(/gsec_|pk_/);
    await returned(scene);
  },

  'a card purchase in a cross-origin frame calls onSuccess on the page': async (open) => {
    const { tab, store, checkout } = await inFrame(open, { flow: 'on_ramp' });
    await payByCard(checkout);
    await delivered(checkout, store);
    const calls = (): Promise<unknown> => tab.run('shop.calls[0].map(([name]) => name).join(" ")');
    await expect.poll(calls).toBe('onReady onSuccess');
  },

  'a one-time code completes the payment': async (open) => {
    const scene = await onFullPage(open, { flow: 'on_ramp' });
    const { tab } = scene;
    await payByCard(tab.page, CARDS.needsAuthentication);
    await tab.page.at('Confirm with your bank');
    await tab.page.fill('One-time code', '000000');
    await tab.page.press('Confirm');
    await returned(scene);
  },

  'a sale shows its deposit address and pays out once the crypto is sent': async (open) => {
    const { store, checkout } = await inFrame(open, { flow: 'off_ramp' });
    await toPayment(checkout, /address for refunds$/);
    await checkout.fill('Account holder', 'Ada Lovelace');
    await checkout.fill('IBAN', IBAN);
    await checkout.press(/^Sell for /);
    await checkout.at('Send your USDC');
    await checkout.sees(/^0x[0-9a-fA-F]{40}$/);
    await checkout.press('I have sent it');
    await delivered(checkout, store);
  },

  'a copy button in the frame puts its value on the clipboard': async (open) => {
    const { tab, checkout } = await inFrame(open, { flow: 'on_ramp', wallet_address: WALLET });
    await checkout.sees(/^Price held for/);
    await checkout.pick(/^Bank transfer/);
    await checkout.press('Continue');
    await checkout.press('Start bank transfer');
    const reference = await checkout.sees(/^SBX[0-9A-F]{12}$/);
    // Tests in other tabs of the browser may write to its clipboard too.
    const copied = async (): Promise<string> => {
      // Shown for three seconds.
      await Promise.all([checkout.sees('Copied'), checkout.press('Copy: Payment reference')]);
      return tab.paste();
    };
    await expect.poll(copied).toBe(reference);
  },

  'Back goes from step to step and then out of the checkout': async (open) => {
    const { tab, store } = await onFullPage(open, { flow: 'on_ramp' }, '/done');
    await toPayment(tab.page);
    await tab.page.at('Pay by card');
    await tab.back();
    await tab.page.at('Where should we send it?');
    await tab.page.press('Continue');
    await tab.page.at('Pay by card');
    await tab.reload();
    await tab.page.at('Pay by card');
    await tab.page.press('Back');
    await tab.page.at('Where should we send it?');
    await tab.back();
    await tab.page.at('Buy crypto');
    await tab.back();
    await expect.poll(() => tab.url()).toBe(`${store.site.origin}/done`);
  },

  'a payment approved on the bank’s page continues when the buyer returns': async (open) => {
    const scene = await onFullPage(open, { flow: 'on_ramp' });
    const { tab } = scene;
    await payByCard(tab.page, CARDS.needsRedirect);
    await tab.page.press('Continue to your bank');
    await tab.page.sees(/100\.00 EUR/);
    await tab.page.press('Approve');
    await returned(scene);
  },
} as const satisfies Readonly<Record<string, Story>>;

interface Scene {
  readonly tab: BuyerTab;
  readonly store: Store;
}

async function onFullPage(open: OpenBuyerTab, terms: object, from?: string): Promise<Scene> {
  const store = await openStore({ ...terms });
  const tab = await open();
  if (from !== undefined) await tab.goto(`${store.site.origin}${from}`);
  await tab.goto(store.fullPage);
  return { tab, store };
}

async function inFrame(open: OpenBuyerTab, terms: object): Promise<Scene & { readonly checkout: Buyer }> {
  const store = await openStore({ ...terms });
  const tab = await open();
  await tab.goto(store.embedding);
  return { tab, store, checkout: tab.inFrame(store.widget) };
}

async function toPayment(buyer: Buyer, address = /wallet address$/): Promise<void> {
  await buyer.sees(/^Price held for/);
  await buyer.press('Continue');
  await buyer.fill(address, WALLET);
  await buyer.press('Continue');
}

async function payByCard(buyer: Buyer, number: string = CARDS.succeeds): Promise<void> {
  await toPayment(buyer);
  await buyer.fill('Card number', number);
  await buyer.fill('Expiry date', '12/34');
  await buyer.fill('Security code', '123');
  await buyer.press(/^Pay /);
}

/** Settles the payment. The full page then shows the success for five seconds, which a test may miss, and returns to the shop. */
async function returned({ tab, store }: Scene): Promise<void> {
  await store.gate.settle(store.session.id);
  await expect.poll(() => tab.url()).toBe(`${store.site.origin}/done`);
}

/** Settles the payment and waits until both the service and the checkout in a frame report it. */
async function delivered(buyer: Buyer, { gate, session }: Store): Promise<void> {
  await gate.settle(session.id);
  await buyer.at('Done!');
}
