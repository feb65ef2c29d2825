import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../../accessible.js';
import { begin, openFullPage, type Checkout, type CheckoutOptions } from '../../widget/open-checkout.js';
import { CARDS, WALLET } from '../../test-values.js';
import { holdReturn, press } from '../../widget/walk.js';

const DETAILS = { wallet: WALLET, card_number: CARDS.succeeds, expiry: '12/34', cvc: '123' } as const;

/** The full page when the payment has been sent, in any language. */
async function paying(options: CheckoutOptions = {}): Promise<Checkout> {
  const checkout = await openFullPage({ ...options, session: { flow: 'on_ramp' } });
  const { page } = checkout;
  const send = (): Promise<void> => page.locator('button[type=submit]').click();
  const fill = (name: keyof typeof DETAILS): Promise<void> => page.locator(`#${name}`).fill(DETAILS[name]);
  await page.locator('.sides').waitFor();
  await send();
  await fill('wallet');
  await send();
  for (const name of ['card_number', 'expiry', 'cvc'] as const) await fill(name);
  await send();
  return checkout;
}

/** The full page when it shows the success. It does not leave by itself until `releaseReturn` is called, but may have tried by then. */
async function paid(): Promise<
  Checkout & { readonly returns: () => number; readonly releaseReturn: () => Promise<void> }
> {
  const checkout = await paying({ prepare: ({ page: tab }) => tab.clock.install() });
  const { page } = checkout;
  const releaseReturn = await holdReturn(page);
  let returns = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/done')) returns += 1;
  });
  await checkout.pass(10);
  await page.locator('.mark-good').waitFor();
  return { ...checkout, returns: () => returns, releaseReturn };
}

it('the full page announces its return to the shop, counts down and returns after five seconds', async () => {
  const said: Said[] = [];
  const { page, shop } = await paying({ prepare: ({ page: tab }) => noteTimer(tab, said) });
  await page.waitForURL(`${shop.origin}/done`);
  const left = Date.now();
  const [first, ...others] = said;
  expect(first?.text).toBe('You return to Demo shop in 5 seconds.');
  // A pause of the machine skips seconds.
  expect(others.length).toBeGreaterThan(0);
  for (const { text } of others) expect(text).toMatch(/^You return to Demo shop in (?:[0-4] seconds|1 second)\.$/);
  expect(left - (first?.at ?? left)).toBeGreaterThan(4_500);
});

interface Said {
  readonly text: string;
  readonly at: number;
}

/** Notes each text of the countdown in the page itself: a test that looks from outside may be late. */
async function noteTimer(page: Page, said: Said[]): Promise<void> {
  await page.exposeFunction('noteTimer', (text: string, at: number) => void said.push({ text, at }));
  await page.addInitScript(() => {
    let last = '';
    new MutationObserver(() => {
      const text = document.querySelector('p[role=timer]')?.textContent ?? '';
      if (text === '' || text === last) return;
      last = text;
      (globalThis as unknown as { noteTimer(text: string, at: number): void }).noteTimer(text, Date.now());
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
}

it('the buyer can return at once by the link', async () => {
  const { page, shop, returns, releaseReturn } = await paid();
  // The automatic return takes place before it is released, so that only the link is left.
  await page.clock.fastForward('00:10');
  await expect.poll(returns).toBe(1);
  await releaseReturn();
  await page.getByRole('link', { name: 'Return to Demo shop' }).click();
  await page.waitForURL(`${shop.origin}/done`);
});

it('the buyer can stay, which stops the automatic return', async () => {
  const { page, gate, releaseReturn } = await paid();
  await press(page, 'Stay here');
  await releaseReturn();
  expect(await page.getByText(/You return to/).count()).toBe(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await page.clock.fastForward('01:00');
  expect(new URL(page.url()).origin).toBe(gate.origins.sandboxWidget);
  await page.getByRole('link', { name: 'Return to Demo shop' }).waitFor();
});

it.each([
  ['en-GB', 'You return to Demo shop in 5 seconds.', 'Stay here'],
  ['de-DE', 'In 5 Sekunden kehren Sie zu Demo shop zurück.', 'Hier bleiben'],
  ['ar-EG', /^ستعود إلى Demo shop خلال .*\.$/, 'البقاء هنا'],
])('the return is announced once to screen readers, without axe violations: %s', async (locale, sentence, stay) => {
  const { page } = await paying({
    tab: { locale, reducedMotion: 'reduce' },
    // A navigation answered with 204 leaves the page in place.
    prepare: ({ context }) => context.route('**/done', (route) => route.fulfill({ status: 204 })),
  });
  const said = page.getByRole('status').getByText(sentence);
  await said.waitFor();
  await page.getByRole('button', { name: stay }).waitFor();
  await expectAccessible(page);
  // The visible countdown is hidden from screen readers.
  expect(await said.count()).toBe(1);
});

it('the full page also reads its parameters from the fragment and removes them from the URL', async () => {
  const { page, context, gate, session } = await begin({ session: { flow: 'on_ramp' } });
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  const fragment = new URLSearchParams({
    client_secret: session.client_secret,
    publishableKey: gate.keys.publishable,
    theme: 'dark',
  });
  await page.goto(`${gate.origins.sandboxWidget}/#${fragment.toString()}`);
  await page.getByText('€100.00').first().waitFor();
  expect(page.url()).toBe(`${gate.origins.sandboxWidget}/`);
  expect(asked.filter((url) => url.includes('gsec_') && !url.includes('#'))).toEqual([]);
  await page.reload();
  await page.getByText('€100.00').first().waitFor();

  const other = await gate.createSession({ flow: 'on_ramp', amount: '55.00' });
  fragment.set('client_secret', other.client_secret);
  await page.evaluate((text) => location.assign(`#${text}`), fragment.toString());
  await page.getByText('€55.00').first().waitFor();
  expect(page.url()).toBe(`${gate.origins.sandboxWidget}/`);
});
