import { expect, it, onTestFinished } from 'vitest';
import { TEST_METHODS } from '../../../../packages/adapters-fiat-stripe/test/fake-stripe/books.js';
import { FakeStripe } from '../../../../packages/adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';
import { localChain } from '../../../../tools/demo-chain/local-chain.js';
import { withStripe } from '../../../legs/checkout.js';
import { expectAccessible } from '../../accessible.js';
import { openFullPage, openInFrame } from '../../widget/open-checkout.js';
import { atStep, toPayment, underWay } from '../../widget/walk.js';

/** A stub of the parts of Stripe's script that the page uses, since it cannot be loaded here. It pays at the fake account. */
const STRIPE_SCRIPT = `globalThis.Stripe = (key) => ({
  retrievePaymentIntent: async () => ({ paymentIntent: { status: 'requires_payment_method' } }),
  elements: ({ clientSecret }) => ({
    clientSecret,
    create: () => ({ mount: (place) => { document.querySelector(place).textContent = 'Fields of Stripe for ' + key; } }),
  }),
  confirmPayment: async ({ elements }) => {
    const answer = await fetch('https://api.stripe.com/confirm', { method: 'POST', body: elements.clientSecret });
    const { isPaid } = await answer.json();
    return isPaid ? {} : { error: { message: 'Your card was declined.' } };
  },
});`;

it.each([
  ['on the full page', openFullPage],
  ['in a frame', openInFrame],
])('%s Stripe’s component replaces our card form, also after a decline', async (_, open) => {
  const [chain, fake] = await Promise.all([localChain(), FakeStripe.start()]);
  onTestFinished(async () => {
    await Promise.all([chain.stop(), fake.stop()]);
    expect(fake.violations).toEqual([]);
  });
  const cards: string[] = [TEST_METHODS.declines, TEST_METHODS.succeeds];
  const checkout = await open({
    session: { flow: 'on_ramp' },
    settings: withStripe(chain, fake),
    prepare: async ({ context }) => {
      await context.route('https://js.stripe.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: STRIPE_SCRIPT }),
      );
      await context.route('https://api.stripe.com/**', async (route) => {
        const [id = ''] = (route.request().postData() ?? '').split('_secret_');
        const isPaid = pays(fake, id, cards.shift() ?? '');
        await route.fulfill({ json: { isPaid }, headers: { 'access-control-allow-origin': '*' } });
      });
    },
  });
  const { ui, page } = checkout;
  await toPayment(ui);
  expect(await ui.getByLabel('Card number').count()).toBe(0);
  await ui.getByRole('button', { name: /^Pay / }).click();
  await atStep(ui, 'Finish your payment');
  const component = ui.locator('iframe.slot').contentFrame();
  await component.getByText('Fields of Stripe for pk_test_of_the_fake').waitFor();
  await expectAccessible(page);
  await component.getByRole('button', { name: 'Pay' }).click();
  await component.getByText('Your card was declined.').waitFor();
  await component.getByRole('button', { name: 'Pay' }).click();
  await underWay(ui);
});

function pays(fake: FakeStripe, id: string, method: string): boolean {
  try {
    fake.books.confirm(id, method, null);
    return true;
  } catch {
    return false;
  }
}
