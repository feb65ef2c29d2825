import { expect, it } from 'vitest';
import { expectAccessible } from '../../accessible.js';
import { CARDS } from '../../test-values.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { atStep, holdReturn, payByCard, press, succeeded, underWay } from '../../widget/walk.js';

it('the one-time code names what is paid, and another code can be sent', async () => {
  const checkout = await openFullPage({
    session: { flow: 'on_ramp' },
    prepare: ({ page }) => page.clock.install(),
  });
  const { ui, page } = checkout;
  await payByCard(ui, CARDS.needsAuthentication);
  await atStep(ui, 'Confirm with your bank');
  const order = page.locator('main dl');
  expect(await order.innerText()).toMatch(/€100\.00[^]*Demo shop[^]*•••• 3220/);
  await ui.getByText('New code in').waitFor();
  await expectAccessible(page);

  await checkout.pass(31);
  await page.clock.fastForward(31_000);
  await ui.getByLabel('One-time code').fill('12');
  await press(ui, 'Send a new code');
  await ui.getByRole('status').getByText('A new code is on its way.').waitFor({ state: 'attached' });
  await ui.getByText('New code in').waitFor();
  expect(await ui.getByLabel('One-time code').inputValue()).toBe('');

  await holdReturn(page);
  await ui.getByLabel('One-time code').fill('000000');
  await press(ui, 'Confirm');
  await underWay(ui);
  await checkout.pass(10);
  await succeeded(ui);
});
