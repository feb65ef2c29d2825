import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../../accessible.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { WALLET } from '../../test-values.js';
import { press } from '../../widget/walk.js';

it('a name is looked up, abandoned by typing, and used once its address is confirmed', async () => {
  const waiting: Route[] = [];
  const checkout = await openFullPage({
    session: { flow: 'on_ramp' },
    // Bypassed, since the policy of a page without a resolver allows only calls to the API.
    tab: { bypassCSP: true },
    prepare: async ({ context }) => {
      await context.addInitScript(offerNames);
      await context.route('**/resolve?**', (route) => void waiting.push(route));
    },
  });
  const { ui, page } = checkout;
  const answer = async (address: string | null): Promise<void> => {
    await expect.poll(() => waiting.length).toBe(1);
    await waiting.shift()?.fulfill({ json: { address } });
  };
  await ui.getByText(/^Price held for/).waitFor();
  await press(ui, 'Continue');
  const field = ui.getByLabel(/wallet address$/);
  await field.fill('slow.eth');
  await field.blur();
  await ui.getByText('Looking up slow.eth').waitFor();
  await field.fill('ada.eth');
  await ui.getByText('Looking up slow.eth').waitFor({ state: 'detached' });
  await answer(WALLET);
  expect(await field.inputValue()).toBe('ada.eth');

  await press(ui, 'Continue');
  await ui.getByText('Looking up ada.eth').waitFor();
  await answer(null);
  await ui.getByText('No address was found for this name.').waitFor();

  await press(ui, 'Continue');
  await answer(WALLET);
  await ui.getByText('ada.eth belongs to this address.').waitFor();
  await expectAccessible(page);
  await press(ui, 'Continue');
  await ui.getByText('Confirm the address that was found for this name.').waitFor();
  await press(ui, 'Use this address');
  await expect.poll(() => field.inputValue()).toBe(WALLET);
  await press(ui, 'Continue');
  await ui.getByLabel('Card number').waitFor();
});

/** Changes the page to the one served with `resolveName`. */
function offerNames(): void {
  new MutationObserver((_, observer) => {
    const meta = document.querySelector<HTMLMetaElement>('meta[name="gate-names"]');
    if (meta === null) return;
    meta.content = 'on';
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
}
