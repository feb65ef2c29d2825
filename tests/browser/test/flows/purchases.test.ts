import type { Flow } from '@gateramp/sdk-browser';
import { describe, expect, it } from 'vitest';

import { openShop, type Shop } from '../../open-shop.js';
import { goThrough } from '../../pay.js';
import { holdReturn } from '../../widget/walk.js';

const TABS = { on_ramp: 'Buy', off_ramp: 'Sell', swap: 'Swap' } as const;

describe.each(['on_ramp', 'off_ramp', 'swap'] as const)('%s', (flow) => {
  it('in the iframe, with the flow picked by its tab, up to the verified webhook', async () => {
    const shop = await openShop({ isReal: true });
    const session = await shop.gate.createSession();
    const { page } = shop;
    await page.evaluate((all) => globalThis.shop.open(all), { ...shop.config, clientSecret: session.client_secret });
    const checkout = page.frameLocator('iframe');

    await checkout.getByRole('radio', { name: TABS[flow], exact: true }).check();
    await goThrough(checkout, flow);

    await finishedAndSettled(shop, session.id);
  });

  it('in a kit block, which shows no tabs', async () => {
    const shop = await openShop({ isReal: true });
    const session = await shop.gate.createSession();
    const { page, config } = shop;
    const asked: [typeof config, Flow] = [{ ...config, clientSecret: session.client_secret }, flow];
    await page.evaluate(([all, of]) => globalThis.shop.mount(globalThis.shop.make(all, of)), asked);
    const checkout = page.frameLocator('iframe');

    await goThrough(checkout, flow);

    expect(await checkout.getByRole('radio', { name: 'Buy' }).count()).toBe(0);
    await finishedAndSettled(shop, session.id);
  });

  it('on the full page, which keeps nothing in its URL, and back to the shop', async () => {
    const { page, gate, config, site } = await openShop({ isReal: true });
    site.serve('/done', '<!doctype html><title>Thank you</title><link rel="icon" href="data:,"><h1>Thank you</h1>');
    const { id, client_secret: clientSecret } = await gate.createSession({ flow });
    await page.evaluate((all) => globalThis.shop.sdk.GateRamp.redirectToCheckout(all), { ...config, clientSecret });
    await page.waitForURL(`${gate.origins.sandboxWidget}/**`);
    const releaseReturn = await holdReturn(page);

    await goThrough(page, flow);

    expect(page.url()).not.toContain('gsec_');
    await gate.settle(id);
    await page.getByRole('button', { name: 'Stay here' }).click();
    await releaseReturn();
    await page.getByRole('link', { name: /^Return to/ }).click();
    await page.waitForURL(`${site.origin}/done`);
  });
});

async function finishedAndSettled({ page, gate }: Shop, sessionId: string): Promise<void> {
  await gate.settle(sessionId);
  const last = (): Promise<unknown> => page.evaluate(() => globalThis.shop.calls[0]?.at(-1));
  await expect.poll(last).toEqual(['onSuccess', expect.objectContaining({ sessionId })]);
}
