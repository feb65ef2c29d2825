import { expect, it } from 'vitest';
import { expectAccessible } from '../../accessible.js';
import { openFullPage, openInFrame, type Checkout } from '../../widget/open-checkout.js';
import { CARDS } from '../../test-values.js';
import { atStep, payByCard, press } from '../../widget/walk.js';

/** The status of the session in the API. */
async function statusOf({ gate, session }: Checkout): Promise<string> {
  const answer = await fetch(`${gate.origins.sandbox}/v1/gate_sessions/${session.id}`, {
    headers: { authorization: `Bearer ${gate.keys.secret}` },
  });
  return ((await answer.json()) as { readonly status: string }).status;
}

it('cancelling on the full page asks for confirmation, cancels the session and returns to the shop', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
  const { ui, page, shop } = checkout;
  await payByCard(ui, CARDS.needsAuthentication);
  await atStep(ui, 'Confirm with your bank');
  const open = ui.getByRole('button', { name: /^Cancel and return/ });
  expect(await ui.getByRole('button', { name: /cancel/i }).count()).toBe(1);
  const sheet = ui.getByRole('dialog', { name: 'Cancel this order?' });
  await open.click();
  await expectAccessible(page);
  await press(ui, 'Keep order');
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => open.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await statusOf(checkout)).toBe('open');

  await open.click();
  await press(ui, 'Cancel order');
  await page.waitForURL(`${shop.origin}/done`);
  expect(await statusOf(checkout)).toBe('cancelled');
});

it('in a frame closing cancels nothing, and cancelling ends the session and notifies the shop once', async () => {
  const checkout = await openInFrame();
  const { ui } = checkout;
  await ui.getByText(/^Price held for/).waitFor();
  await press(ui, 'Close');
  const closed = { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } };
  const closings = async () => (await checkout.heard()).filter(({ type }) => type === 'PAYMENT_CLOSE');
  await expect.poll(closings).toEqual([closed]);
  expect(await statusOf(checkout)).toBe('open');

  await press(ui, 'Cancel order');
  await ui.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  await atStep(ui, 'This order was cancelled');
  await expect.poll(closings).toEqual([closed, closed]);
  expect(await statusOf(checkout)).toBe('cancelled');
});

it('an order that is being paid or cannot be reached is not cancelled, with a message', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
  const { ui, context, gate, session, expectProblem } = checkout;
  expectProblem(/Failed to load resource/);
  await ui.getByText(/^Price held for/).waitFor();
  await context.route('**/v1/embed/session/cancel', (route) => route.abort('internetdisconnected'));
  await press(ui, /^Cancel and return/);
  await press(ui, 'Cancel order');
  const sheet = ui.getByRole('dialog', { name: 'Cancel this order?' });
  await sheet.getByText('The checkout cannot be reached.').waitFor();

  await context.unroute('**/v1/embed/session/cancel');
  await fetch(`${gate.origins.sandbox}/v1/test_helpers/gate_sessions/${session.id}/simulate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gate.keys.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scenario: 'processing' }),
  });
  await press(ui, 'Cancel order');
  await sheet.getByText('A payment for this order is under way').waitFor();
  await press(ui, 'Keep order');
  await atStep(ui, 'Your order is on its way');
  expect(await statusOf(checkout)).toBe('open');
});
