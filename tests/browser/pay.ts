import type { FrameLocator, Page } from 'playwright-core';

/** The checkout, in a frame or as the page. */
export type CheckoutView = Pick<Page | FrameLocator, 'getByRole' | 'getByLabel'>;

export const CARDS = {
  succeeds: '4242 4242 4242 4242',
  declines: '4000 0000 0000 0002',
  asksForCode: '4000 0000 0000 3220',
} as const;

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const IBAN = 'DE89 3704 0044 0532 0130 00';

/** From the first screen to the last click, with what the shop's list of test data says. */
export const FLOWS = {
  buy: async (checkout: CheckoutView): Promise<void> => {
    await goOn(checkout);
    await payByCard(checkout, CARDS.succeeds);
  },
  sell: async (checkout: CheckoutView): Promise<void> => {
    await goOn(checkout);
    await giveRefundAddress(checkout);
    await checkout.getByLabel('IBAN').fill(IBAN);
    await checkout.getByLabel('Account holder').fill('Ada Lovelace');
    await checkout.getByRole('button', { name: /^Sell for / }).click();
    await sendDeposit(checkout);
  },
  swap: async (checkout: CheckoutView): Promise<void> => {
    await goOn(checkout);
    await giveRefundAddress(checkout);
    await checkout.getByRole('button', { name: 'Start swap' }).click();
    await sendDeposit(checkout);
  },
} as const;

/** Past the price. */
export async function goOn(checkout: CheckoutView): Promise<void> {
  await checkout.getByRole('button', { name: 'Continue' }).click();
}

/** Types a card into the form that asks for one, and pays. */
export async function payByCard(checkout: CheckoutView, card: string): Promise<void> {
  await checkout.getByLabel('Card number').fill(card);
  await checkout.getByLabel('Expiry date').fill('12/34');
  await checkout.getByLabel('Security code').fill('123');
  await checkout.getByRole('button', { name: /^Pay / }).click();
}

async function giveRefundAddress(checkout: CheckoutView): Promise<void> {
  await checkout.getByLabel(/address for refunds/).fill(WALLET);
  await goOn(checkout);
}

async function sendDeposit(checkout: CheckoutView): Promise<void> {
  await checkout.getByRole('button', { name: 'I have sent it' }).click();
}
