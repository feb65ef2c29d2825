import type { FrameLocator, Page } from 'playwright-core';

/** The checkout, in a frame or as the page. */
export type CheckoutView = Pick<Page | FrameLocator, 'getByRole' | 'getByLabel'>;

export const CARDS = {
  succeeds: '4242 4242 4242 4242',
  declines: '4000 0000 0000 0002',
  asksForCode: '4000 0000 0000 3220',
} as const;

/** Types a card into the form that asks for one, and pays. */
export async function payByCard(checkout: CheckoutView, card: string): Promise<void> {
  await checkout.getByLabel('Card number').fill(card);
  await checkout.getByLabel('Expiry date').fill('12/34');
  await checkout.getByLabel('Security code').fill('123');
  await checkout.getByRole('button', { name: /^Pay / }).click();
}
