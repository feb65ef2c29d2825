import type { BrowserContextOptions, FrameLocator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isDeep } from '../../../depth.js';
import { chooseAsset } from '../../widget/walk.js';

import { expectAccessible } from '../../accessible.js';
import { openShop, type Shop } from '../../open-shop.js';
import { giveWallets, goOn, payByCard } from '../../pay.js';
import { CARDS, WALLET } from '../../test-values.js';

/** The sandbox settles a card after five seconds, so a slow machine may see only the success. */
const UNDER_WAY = /^(?:Your order is on its way|Done!)$/;

async function openFrame(
  options: BrowserContextOptions,
  session: Readonly<Record<string, unknown>> | null,
  locale = options.locale ?? 'en',
): Promise<Shop & { readonly checkout: FrameLocator }> {
  const shop = await openShop({ isReal: true, tab: options });
  const created = session === null ? null : await shop.gate.createSession(session);
  const config = {
    ...shop.config,
    locale,
    ...(created && { clientSecret: created.client_secret }),
  };
  await shop.page.evaluate((all) => globalThis.shop.open(all), config);
  return { ...shop, checkout: shop.page.frameLocator('iframe') };
}

const IN_DEPTH: [string, BrowserContextOptions][] = [
  ['narrow', { viewport: { width: 320, height: 640 } }],
  ['light', { colorScheme: 'light' }],
  ['right-to-left', { locale: 'ar' }],
];

describe('in the frame of a partner’s page', () => {
  it.each<[string, BrowserContextOptions]>([['dark', { colorScheme: 'dark' }], ...(isDeep ? IN_DEPTH : [])])(
    'axe finds no violations up to a declined card: %s',
    async (_, options) => {
      const { page, checkout } = await openFrame(options, { flow: 'on_ramp' });
      const send = checkout.locator('button[type=submit]');
      await checkout.locator('.sides').waitFor();
      await expectAccessible(page);
      await send.click();
      await checkout.locator('#wallet').fill('0x1234');
      await send.click();
      await checkout.locator('#wallet-error').waitFor();
      await expectAccessible(page);
      await checkout.locator('#wallet').fill(WALLET);
      await send.click();
      await checkout.locator('#card_number').fill(CARDS.declines);
      await checkout.locator('#expiry').fill('12/34');
      await checkout.locator('#cvc').fill('123');
      await expectAccessible(page);
      await send.click();
      await checkout.locator('#card_number-error').waitFor();
      await expectAccessible(page);
    },
  );

  it('without a session prices for typed and chosen values are shown', async () => {
    const { page, checkout, expectProblem } = await openFrame({}, null);
    const amount = checkout.getByLabel('Amount');
    await checkout.getByText('€100.00').first().waitFor();
    await amount.fill('25,50');
    await checkout.getByText('€25.50').first().waitFor();
    await checkout.getByLabel('Currency').selectOption('USD');
    await checkout.getByText('$25.50').first().waitFor();
    await chooseAsset(checkout, 'Asset to receive', 'ETH on Ethereum');
    await checkout
      .getByText(/\sETH$/)
      .first()
      .waitFor();
    await expectAccessible(page);

    expectProblem(/422/);
    await amount.fill('0.01');
    await checkout.getByText('The minimum is US$1.00.').waitFor();
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    expect(await amount.getAttribute('aria-describedby')).toContain('amount-error');
    await expectAccessible(page);
    await amount.fill('a lot');
    await checkout.getByText('Give an amount such as 100.00.').waitFor();
    expect(await checkout.getByRole('button', { name: 'Continue' }).count()).toBe(0);
  });

  it('a frame without allow-forms can sell and take documents', async () => {
    const shop = await openShop({
      isReal: true,
      prepare: ({ page }) =>
        page.addInitScript(() => {
          const { prototype } = HTMLIFrameElement;
          const source = Object.getOwnPropertyDescriptor(prototype, 'src');
          Object.defineProperty(prototype, 'src', {
            ...source,
            set(this: HTMLIFrameElement, address: string) {
              this.setAttribute('sandbox', 'allow-scripts allow-same-origin');
              source?.set?.call(this, address);
            },
          });
        }),
    });
    const { client_secret: clientSecret } = await shop.gate.createSession({ flow: 'on_ramp', amount: '17.00' });
    await shop.page.evaluate((all) => globalThis.shop.open(all), { ...shop.config, clientSecret });
    const checkout = shop.page.frameLocator('iframe[sandbox]');
    await goOn(checkout);
    await checkout.locator('#wallet').fill(WALLET);
    await checkout.locator('#wallet').press('Enter');
    await payByCard(checkout, CARDS.succeeds);
    for (const side of ['Front', 'Back', 'Selfie']) {
      const card = checkout.getByRole('listitem').filter({ has: checkout.getByRole('heading', { name: side }) });
      const buffer = Buffer.from('%PDF-1.7');
      await card.locator('input[type=file]').setInputFiles({ name: 'id.pdf', mimeType: 'application/pdf', buffer });
      await card.getByText('Received').waitFor();
    }
    await checkout.getByRole('button', { name: 'Send for review' }).click();
    await checkout.getByRole('heading', { name: UNDER_WAY }).waitFor();
  });

  it('a page locale with an underscore is accepted', async () => {
    const { checkout } = await openFrame({}, { flow: 'on_ramp' }, 'de_AT');
    await checkout.getByRole('heading', { name: 'Krypto kaufen' }).waitFor();
    await checkout
      .getByText(/^€\s100,00$/)
      .first()
      .waitFor();
  });

  it('an unreachable service can be retried without leaving the page', async () => {
    const { checkout, context, page, expectProblem } = await openFrame({}, { flow: 'on_ramp' });
    expectProblem(/Failed to load resource: net::ERR_CONNECTION_REFUSED/);
    await checkout.getByText(/^Price held for/).waitFor();
    await context.route('**/v1/embed/session', (route) => route.abort('connectionrefused'));
    const [, frame] = page.frames();
    await frame?.evaluate(() => location.reload());
    await checkout.getByText('The checkout cannot be reached.').waitFor();

    await context.unroute('**/v1/embed/session');
    await checkout.getByRole('button', { name: 'Try again' }).click();
    await checkout.getByText(/^Price held for/).waitFor();
  });

  describe('copy buttons', () => {
    async function atReference(shop: Shop) {
      const { client_secret: clientSecret } = await shop.gate.createSession({
        flow: 'on_ramp',
        wallet_address: WALLET,
      });
      await shop.page.evaluate((all) => globalThis.shop.open(all), { ...shop.config, clientSecret });
      const checkout = shop.page.frameLocator('iframe');
      await checkout.getByRole('radio', { name: /^Bank transfer/ }).check();
      await goOn(checkout);
      await checkout.getByRole('button', { name: 'Start bank transfer' }).click();
      return { checkout, copy: checkout.getByRole('button', { name: 'Copy: Payment reference' }) };
    }

    it.each([
      ['with the permission the SDK sets', false],
      ['without a clipboard permission', true],
    ])('copy the value to the clipboard: %s', async (_, isShut) => {
      const shop = await openShop({ isReal: true, tab: { permissions: ['clipboard-read'] } });
      if (isShut)
        await shop.page.evaluate(() => {
          Object.defineProperty(HTMLIFrameElement.prototype, 'allow', { set() {} });
        });
      const { checkout, copy } = await atReference(shop);
      const reference = await checkout.getByText(/^SBX[0-9A-F]{12}$/).innerText();
      // Tests in other tabs of this browser may write to its clipboard too.
      const copied = async (): Promise<string> => {
        // Shown for three seconds.
        await Promise.all([checkout.getByText('Copied').first().waitFor(), copy.click()]);
        await shop.page.locator('body').click({ position: { x: 2, y: 2 } });
        return shop.page.evaluate(() => navigator.clipboard.readText());
      };
      await expect.poll(copied).toBe(reference);
    });

    it('show a message and select the value if the browser refuses to copy', async () => {
      const shop = await openShop({ isReal: true });
      const { checkout, copy } = await atReference(shop);
      const [, frame] = shop.page.frames();
      await frame?.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('shut'));
        document.execCommand = () => false;
      });
      await copy.click();
      await checkout
        .getByText('Your browser blocked copying. The value is selected: copy it manually.')
        .first()
        .waitFor();
      expect(await frame?.evaluate(() => String(getSelection()))).toMatch(/^SBX[0-9A-F]{12}$/);
      await expectAccessible(shop.page);
    });
  });

  it('a logo that fails to load is replaced by the first letter of the name', async () => {
    const shop = await openShop({ isReal: true });
    shop.expectProblem(/Failed to load resource/);
    await shop.context.route('https://shop.example/logo.png', (route) => route.abort('connectionrefused'));
    await shop.gate.brand({ display_name: 'Élan', logo_url: 'https://shop.example/logo.png' });
    const { client_secret: clientSecret } = await shop.gate.createSession();
    await shop.page.evaluate((all) => globalThis.shop.open(all), { ...shop.config, clientSecret });
    await shop.page.frameLocator('iframe').locator('.initial', { hasText: 'É' }).waitFor();
  });

  it('the buyer chooses the terms that a session leaves open, and they are used for the purchase', async () => {
    const { checkout, page } = await openFrame({}, { flow: 'on_ramp' });
    await chooseAsset(checkout, 'Asset to receive', 'ETH on Ethereum');
    await checkout
      .getByText(/\sETH$/)
      .first()
      .waitFor();
    await goOn(checkout);
    await giveWallets(checkout, 'on_ramp');
    const asked = page.waitForRequest('**/v1/embed/intents');
    await payByCard(checkout, CARDS.succeeds);
    expect((await asked).postDataJSON()).toMatchObject({ target_token: 'ETH', target_network: 'ethereum' });
    await checkout.getByRole('heading', { name: UNDER_WAY }).waitFor();
  });
});
