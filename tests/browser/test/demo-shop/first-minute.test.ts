import { expect, it } from 'vitest';

import { installedClone } from '../../installed-clone.js';
import { npmStart } from '../../npm-start.js';
import { openTab } from '../../open-tab.js';
import { goThrough } from '../../pay.js';
import { testBrowser } from '../../test-browser.js';

/** The shape of the receiver's response is covered by its own tests. */
interface Hook {
  readonly type: string;
  readonly verified: boolean;
}

it(
  'npm start on an installed clone serves a purchase that is settled by a signed webhook',
  async () => {
    const clone = installedClone();
    // Started first, since a user's browser is already running.
    await testBrowser();
    const banner = await npmStart(clone);
    const [, shop = ''] = /Demo shop +(http:\S+)/.exec(banner) ?? [];
    // Opened after the server, so that it is closed first: an open page would report connection errors.
    const { page } = await openTab();
    await page.goto(shop);
    await page.getByRole('button', { name: 'Open the checkout' }).click();
    await goThrough(page.frameLocator('#checkout iframe'), 'on_ramp', { hasWallet: true });
    await page.locator('.state', { hasText: 'settled' }).waitFor();

    const received = async () => {
      const { data } = (await (await fetch(`${shop}/hooks`)).json()) as { readonly data: readonly Hook[] };
      return data.map(({ type, verified }) => `${type} ${verified}`).toSorted();
    };
    // In alphabetical order, since webhooks may arrive in any.
    const types = ['completed', 'created', 'processing'];
    await expect.poll(received).toEqual(types.map((type) => `gate_session.${type} true`));
  },
  5 * 60_000,
);
