import { describe, expect, it } from 'vitest';

import { openFullPage, openInFrame, type Checkout } from '../../widget/open-checkout.js';
import { CARDS } from '../../test-values.js';
import {
  atStep,
  giveAccount,
  giveIdentity,
  payByCard,
  press,
  succeeded,
  toPayment,
  underWay,
} from '../../widget/walk.js';

const statusOf = async ({ gate, session }: Checkout): Promise<unknown> => {
  const response = await fetch(`${gate.origins.sandbox}/v1/gate_sessions/${session.id}`, {
    headers: { authorization: `Bearer ${gate.keys.secret}` },
  });
  return ((await response.json()) as { status: unknown }).status;
};

describe('on the full page', () => {
  it('a swap shows the deposit address and completes once the deposit is sent', async () => {
    const checkout = await openFullPage();
    const { ui } = checkout;
    await ui.getByRole('radio', { name: 'Swap' }).check({ force: true });
    await atStep(ui, 'Swap crypto');
    await toPayment(ui);
    await press(ui, 'Start swap');
    await atStep(ui, 'Send your ETH');
    await ui.locator('svg.qr path').waitFor({ state: 'attached' });
    await press(ui, 'I have sent it');
    await underWay(ui);
    await checkout.pass(30);
    await succeeded(ui);
  });

  it('a bank transfer shows the account and continues automatically when the money arrives', async () => {
    const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
    const { ui } = checkout;
    await ui.getByRole('radio', { name: /^Bank transfer/ }).check();
    await toPayment(ui);
    await press(ui, 'Start bank transfer');
    await atStep(ui, 'Transfer €100.00');
    for (const detail of ['DE02 1203 0000 0000 2020 51', 'BYLADEM1001', 'Gateramp Sandbox'])
      await ui.getByText(detail).waitFor();
    await ui.getByText(/^SBX[0-9A-F]{12}$/).waitFor();
    // Shown for three seconds.
    await Promise.all([ui.getByText('Copied').first().waitFor(), press(ui, 'Copy: Payment reference')]);
    await checkout.pass(30);
    await succeeded(ui);
  });

  it('identity verification and a one-time code precede the payment if required', async () => {
    const checkout = await openFullPage({ session: { flow: 'on_ramp', amount: '14.50' } });
    const { ui } = checkout;
    await payByCard(ui, CARDS.needsAuthentication);
    await atStep(ui, 'Verify your identity');
    await giveIdentity(ui);
    await atStep(ui, 'Confirm with your bank');
    await ui.getByLabel('One-time code').fill('000000');
    await press(ui, 'Confirm');
    await underWay(ui);
    await checkout.pass(10);
    await succeeded(ui);
  });

  it('an amount changed in transit is refused with a message', async () => {
    const checkout = await openFullPage({
      session: { flow: 'on_ramp' },
      prepare: ({ context, expectProblem }) => {
        expectProblem(/400/);
        return context.route('**/v1/embed/intents', async (route) => {
          const body = route.request().postData() ?? '';
          await route.continue({ postData: body.replace('"100.00"', '"1.00"') });
        });
      },
    });
    await payByCard(checkout.ui);
    await checkout.ui.getByText('This amount is not the one that the order was opened with.').waitFor();
    expect(await statusOf(checkout)).toBe('open');
  });

  it('a payout in USD takes a routing and an account number', async () => {
    const { ui } = await openFullPage({ session: { flow: 'off_ramp', currency: 'USD' } });
    await toPayment(ui);
    await ui.getByLabel('Account holder').fill('Ada Lovelace');
    expect(await ui.getByLabel('IBAN').count()).toBe(0);
    await ui.getByLabel('Routing number').fill('110000001');
    await ui.getByLabel('Account number').fill('000123456789');
    await ui.getByText('This is not a routing number. Check its digits.').waitFor();
    await ui.getByLabel('Routing number').fill('110000000');
    await press(ui, /^Sell for /);
    await atStep(ui, 'Send your USDC');
  });

  it('a reload restores the buyer’s step, and the secret is not in the URL', async () => {
    const { ui, page } = await openFullPage({ session: { flow: 'off_ramp' } });
    await toPayment(ui);
    await giveAccount(ui);
    await atStep(ui, 'Send your USDC');
    expect(page.url()).not.toMatch(/gsec_|pk_/);
    const address = await ui.locator('.copyable dd').first().innerText();
    await page.reload();
    await atStep(ui, 'Send your USDC');
    expect(await ui.locator('.copyable dd').first().innerText()).toBe(address);
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
  });

  it('shows the outcome of a session that has ended', async () => {
    const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
    await checkout.ui.getByText(/^Price held for/).waitFor();
    await fetch(`${checkout.gate.origins.sandbox}/v1/gate_sessions/${checkout.session.id}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${checkout.gate.keys.secret}` },
    });
    await checkout.page.reload();
    await atStep(checkout.ui, 'This order was cancelled');
    expect(await checkout.ui.getByRole('link', { name: /^Return to/ }).isVisible()).toBe(true);
  });

  it('links back to the shop even when the checkout is unavailable', async () => {
    const { ui, shop } = await openFullPage({
      prepare: ({ context }) =>
        context.route('**/v1/embed/bootstrap', async (route) => {
          const response = await route.fetch();
          const opened = (await response.text()).replace('"available":true', '"available":false');
          await route.fulfill({ response, body: opened.replace('_reason":null', '_reason":"maintenance"') });
        }),
    });
    await atStep(ui, 'Not available at the moment');
    expect(await ui.getByRole('link', { name: /^Return to/ }).getAttribute('href')).toBe(`${shop.origin}/done`);
  });

  it('shows that no payment method is available and does not continue', async () => {
    const { ui } = await openFullPage({
      session: { flow: 'off_ramp' },
      prepare: ({ context }) =>
        context.route('**/v1/embed/quotes', async (route) => {
          const response = await route.fetch();
          const quotes = (await response.text()).replaceAll('"available":true', '"available":false');
          await route.fulfill({ response, body: quotes });
        }),
    });
    await ui.getByText('Not available at the moment').waitFor();
    expect(await ui.getByRole('button', { name: 'Continue' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('shows a message when it is opened without a session', async () => {
    const { page, gate } = await openFullPage();
    await page.goto('about:blank');
    await page.goto(`${gate.origins.sandboxWidget}/`);
    await atStep(page, 'The checkout cannot go on');
  });
});

describe('in the frame of a shop', () => {
  it('after a declined card another one succeeds in the same session, and the shop is notified of both', async () => {
    const checkout = await openInFrame({ session: { flow: 'on_ramp' } });
    const { ui } = checkout;
    await payByCard(ui, CARDS.declines);
    await ui
      .getByRole('alert')
      .getByText(
        'Your card was declined. Try another card or another way to pay. You have not been charged for this attempt.',
      )
      .waitFor();
    await expect.poll(() => ui.evaluate(() => document.activeElement?.id)).toBe('card_number');
    expect(await ui.getByLabel('Expiry date').inputValue()).toBe('12/34');
    expect(await ui.getByLabel('Security code').inputValue()).toBe('123');
    await ui.getByRole('button', { name: 'Choose another way to pay' }).waitFor();
    await ui.getByLabel('Card number').fill(CARDS.succeeds);
    await press(ui, /^Pay /);
    await underWay(ui);
    await checkout.pass(10);
    await succeeded(ui);
    await expect
      .poll(async () => (await checkout.heard()).map(({ type }) => type))
      .toEqual(['WIDGET_READY', 'PAYMENT_ERROR', 'PAYMENT_SUCCESS']);
    const heard = await checkout.heard();
    expect(heard[1]?.payload).toMatchObject({ code: 'payment_declined' });
    expect(heard[2]?.payload).toMatchObject({ sessionId: checkout.session.id, amount: '100.00', currency: 'EUR' });
  });

  it('closing the checkout is posted to the shop', async () => {
    const checkout = await openInFrame();
    await checkout.ui.getByText(/^Price held for/).waitFor();
    await press(checkout.ui, 'Close');
    await expect.poll(checkout.heard).toContainEqual({ type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  });

  it('resumes the attempt when the shop shows the checkout again', async () => {
    const checkout = await openInFrame({ session: { flow: 'on_ramp' } });
    await payByCard(checkout.ui, CARDS.needsAuthentication);
    await atStep(checkout.ui, 'Confirm with your bank');
    await checkout.page.reload();
    const again = checkout.page.frameLocator('iframe');
    await again.getByRole('heading', { name: 'Confirm with your bank' }).waitFor();
  });

  it('ignores a configuration with a token for another page or from another window', async () => {
    const checkout = await openInFrame({
      prepare: ({ context }) =>
        // The shop's own page never answers, so messages of other senders must be ignored.
        context.route('**/shop.js', (route) => route.fulfill({ contentType: 'text/javascript', body: QUIET_SHOP })),
    });
    const { page, gate, session } = checkout;
    const foreign = await fetch(`${gate.origins.sandbox}/v1/embed/bootstrap`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gate.keys.publishable}`,
        'content-type': 'application/json',
        origin: gate.origins.sandboxWidget,
      },
      body: JSON.stringify({ clientSecret: session.client_secret }),
    });
    const { embed_token: embedToken } = (await foreign.json()) as { embed_token: string };
    const message = { type: 'INIT_CONFIG', payload: { embedToken, available: true } };
    await page.evaluate((sent) => {
      const { contentWindow } = document.querySelector('iframe') ?? {};
      contentWindow?.postMessage(sent, '*');
      contentWindow?.postMessage({ type: 'INIT_CONFIG', payload: { embedToken: 'x.y.z' } }, '*');
      contentWindow?.postMessage({ type: 'INIT_CONFIG' }, '*');
      contentWindow?.postMessage(null, '*');
    }, message);
    await checkout.ui.evaluate((sent) => window.postMessage(sent, '*'), message);
    await checkout.ui.getByText('Opening the checkout…').waitFor();
    expect(await checkout.ui.getByRole('heading', { level: 1 }).count()).toBe(0);
  });
});

const QUIET_SHOP = `
globalThis.heard = [];
const setting = await (await fetch('/setting.json')).json();
const frame = document.createElement('iframe');
frame.src = setting.widget + '/embed?publishableKey=' + setting.key;
document.querySelector('#checkout').append(frame);
await new Promise((resolve) => addEventListener('message', resolve, { once: true }));
`;
