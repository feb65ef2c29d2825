import type { FrameLocator, Page } from 'playwright-core';
import { CARDS, IBAN, WALLET } from './test-values.js';

/** The checkout, in a frame or as the full page. */
export type CheckoutView = Pick<Page | FrameLocator, 'getByRole' | 'getByLabel'>;

export type Flow = 'on_ramp' | 'off_ramp' | 'swap';

/** The inputs of a purchase. With `hasWallet` the session fixes the wallet, so the checkout does not ask for it. */
interface PurchaseInputs {
  readonly card?: string;
  readonly hasWallet?: boolean;
}

/** Goes through a purchase from the first screen to the last button, in any integration. */
export async function goThrough(
  checkout: CheckoutView,
  flow: Flow,
  { card, hasWallet = false }: PurchaseInputs = {},
): Promise<void> {
  await goOn(checkout);
  await giveWallets(checkout, flow, hasWallet);
  if (flow === 'on_ramp') return payByCard(checkout, card ?? CARDS.succeeds);
  if (flow === 'off_ramp') {
    await checkout.getByLabel('IBAN').fill(IBAN);
    await checkout.getByLabel('Account holder').fill('Ada Lovelace');
  }
  await checkout.getByRole('button', { name: /^(Sell for|Start swap)/ }).click();
  await checkout.getByRole('button', { name: 'I have sent it' }).click();
}

/** Continues past the price. A checkout with nothing to choose begins at the payment. */
export async function goOn(checkout: CheckoutView): Promise<void> {
  const next = checkout.getByRole('button', { name: 'Continue' });
  await next
    .or(checkout.getByRole('button', { name: /^Pay / }))
    .first()
    .waitFor();
  if (await next.isVisible()) await next.click();
}

export async function giveIdentity(checkout: CheckoutView): Promise<void> {
  await checkout.getByLabel('First name').fill('Ada');
  await checkout.getByLabel('Last name').fill('Lovelace');
  await checkout.getByLabel('Date of birth').fill('1990-12-10');
  await checkout.getByLabel('ID or passport number').fill('L01X00T47');
  await goOn(checkout);
}

/** Enters the addresses for receiving crypto and for refunds. */
export async function giveWallets(checkout: CheckoutView, flow: Flow, hasWallet = false): Promise<void> {
  const labels = ADDRESSES[flow].filter((label) => !hasWallet || label !== OWN);
  for (const label of labels) await checkout.getByLabel(label).fill(WALLET);
  if (labels.length > 0) await goOn(checkout);
}

const OWN = /wallet address$/;
const REFUNDS = /address for refunds$/;
const ADDRESSES: Readonly<Record<Flow, readonly RegExp[]>> = {
  on_ramp: [OWN],
  off_ramp: [REFUNDS],
  swap: [OWN, REFUNDS],
};

/** Fills in the card form and pays. */
export async function payByCard(checkout: CheckoutView, card: string): Promise<void> {
  await checkout.getByLabel('Card number').fill(card);
  await checkout.getByLabel('Expiry date').fill('12/34');
  await checkout.getByLabel('Security code').fill('123');
  await checkout.getByRole('button', { name: /^Pay / }).click();
}
