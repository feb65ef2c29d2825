import type { Flow } from '@gateramp/sdk-browser';

import { CARDS, payByCard, type CheckoutView } from './pay.js';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const IBAN = 'DE89370400440532013000';

/** What a buyer does from the first screen to the last press of a button, whichever way the checkout is shown. */
export async function goThrough(checkout: CheckoutView, flow: Flow, card: string = CARDS.succeeds): Promise<void> {
  await next(checkout);
  for (const label of ADDRESSES[flow]) await checkout.getByLabel(label).fill(WALLET);
  await next(checkout);
  if (flow === 'on_ramp') return payByCard(checkout, card);
  if (flow === 'off_ramp') {
    await checkout.getByLabel('IBAN').fill(IBAN);
    await checkout.getByLabel('Account holder').fill('Ada Lovelace');
  }
  await checkout.getByRole('button', { name: /^(Sell for|Start swap)/ }).click();
  await checkout.getByRole('button', { name: 'I have sent it' }).click();
}

const ADDRESSES = {
  on_ramp: [/wallet address$/],
  off_ramp: [/address for refunds$/],
  swap: [/wallet address$/, /address for refunds$/],
} as const;

const next = (checkout: CheckoutView): Promise<void> => checkout.getByRole('button', { name: 'Continue' }).click();
