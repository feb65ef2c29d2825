import { expect, it } from 'vitest';

import { openFullPage } from '../../widget/open-checkout.js';
import { CARDS, WALLET } from '../../test-values.js';
import { atStep, holdReads, holdReturn } from '../../widget/walk.js';

it('a purchase works by keyboard only, and focus moves to the heading of each step', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
  const { page } = checkout;
  const focused = (): Promise<string> =>
    page.evaluate(() => `${document.activeElement?.tagName.toLowerCase()}#${document.activeElement?.id}`);
  /** Presses Tab until the element has the focus, so no element on the way may trap it. */
  const tabTo = async (wanted: string): Promise<void> => {
    for (let tab = 0; tab < 15; tab += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(
        () =>
          `${document.activeElement?.id}|${document.activeElement?.textContent}|${document.activeElement?.getAttribute('value')}`,
      );
      if (at.includes(wanted)) return;
    }
    throw new Error(`${wanted} cannot be reached.`);
  };
  await page.getByText(/^Price held for/).waitFor();
  await tabTo('card');
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('radio', { name: /^Bank transfer/ }).isChecked()).toBe(true);
  await page.keyboard.press('ArrowUp');
  await tabTo('Continue');
  await page.keyboard.press('Enter');

  await atStep(page, 'Where should we send it?');
  expect(await focused()).toBe('h1#');
  await page.keyboard.press('Tab');
  await page.keyboard.type('0x1234');
  await page.keyboard.press('Enter');
  await page.getByText('Please check one field.').waitFor();
  expect(await focused()).toBe('input#wallet');
  const field = page.locator('#wallet');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toContain('wallet-error');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(WALLET);
  await page.keyboard.press('Enter');

  await atStep(page, 'Pay by card');
  expect(await focused()).toBe('h1#');
  await tabTo('card_number');
  await page.keyboard.type(CARDS.needsAuthentication);
  // After correcting a digit at the beginning the caret stays there.
  for (const key of ['Home', 'Delete', CARDS.needsAuthentication.charAt(0)]) await page.keyboard.press(key);
  expect(await page.locator('#card_number').inputValue()).toBe(
    CARDS.needsAuthentication.replace(/(.{4})(?=.)/g, '$1 '),
  );
  await page.keyboard.press('Tab');
  await page.keyboard.type('1234');
  expect(await page.locator('#expiry').inputValue()).toBe('12/34');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  await page.keyboard.press('Enter');

  await atStep(page, 'Confirm with your bank');
  expect(await focused()).toBe('h1#');
  await page.keyboard.press('Tab');
  await page.keyboard.type('000000');
  const [releaseReads, releaseReturn] = [await holdReads(page), await holdReturn(page)];
  await page.keyboard.press('Enter');

  await atStep(page, 'Your order is on its way');
  expect(await focused()).toBe('h1#');
  await checkout.pass(10);
  releaseReads();
  await atStep(page, 'Done!');
  expect(await focused()).toBe('h1#');
  await releaseReturn();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${checkout.shop.origin}/done`);
});
