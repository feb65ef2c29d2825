import { describe, expect, it } from 'vitest';

import { callAs, goTo, openConsole, said, startConsoleGate } from '../../console/open-console.js';
import { check, EVERY_LOOK, LOOKS } from '../../console/looks.js';

const PHONE = { viewport: { width: 320, height: 640 } };

describe('a live key', () => {
  it('is approved by a second person on a phone, and shown to the one who asked, once', async () => {
    const gate = await startConsoleGate();
    const { page } = await openConsole(gate, { mode: 'live' });
    await goTo(page, gate.origins.console, 'keys');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('everything (*)').uncheck();
    await page.getByLabel('events:read').check();
    await page.getByLabel('Reason').fill('ticket 7');
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await said(page, 'A second person must approve it');
    expect(await page.locator('.secret').count()).toBe(0);

    // The same person in another window may only withdraw it.
    const again = await openConsole(gate, { mode: 'live' });
    await goTo(again.page, gate.origins.console, 'approvals');
    await again.page.getByRole('button', { name: 'Decline' }).waitFor();
    expect(await again.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const second = await openConsole(gate, { mode: 'live', user: 'ben@shop.example' }, PHONE);
    await second.page.getByRole('button', { name: 'Menu' }).click();
    await second.page.getByRole('link', { name: 'Approvals' }).click();
    await second.page.getByText('ticket 7').waitFor();
    await second.page.getByText('events:read').waitFor();
    await second.page.getByRole('button', { name: 'Approve' }).click();
    await second.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await second.page.locator('.badge').getByText('approved').waitFor();
    expect(await second.page.getByRole('button', { name: 'Show key' }).count()).toBe(0);

    await goTo(page, gate.origins.console, 'approvals');
    await page.getByRole('button', { name: 'Show key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Show key' }).click();
    const key = (await page.locator('.secret').textContent()) ?? '';
    expect(key).toMatch(/^sk_live_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.badge').getByText('done').waitFor();
    expect(await page.content(), 'the key once it has been shown').not.toContain(key);
    expect((await callAs(key, `${gate.origins.live}/v1/events`)).status).not.toBe(401);

    const id = await page
      .locator('.panel code')
      .filter({ hasText: /^[0-9a-f]{24}$/ })
      .textContent();
    await goTo(page, gate.origins.console, 'audit');
    await page.getByText('(approved by ben@shop.example').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(id ?? '');
    await page.getByRole('search').getByText('1 result').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.badge').getByText('done').waitFor();
  });
});

describe('approvals are accessible and fit', () => {
  it('in each look, with their forms', async () => {
    const gate = await startConsoleGate();
    const { page: asking } = await openConsole(gate, { mode: 'live' });
    for (const reason of ['ticket 7', 'ticket 8']) {
      await goTo(asking, gate.origins.console, 'keys');
      await asking.getByRole('button', { name: 'Issue a key' }).click();
      await asking.getByLabel('Reason').fill(reason);
      await asking.getByRole('button', { name: 'Issue', exact: true }).click();
      await said(asking, 'A second person must approve it');
    }
    for (const look of EVERY_LOOK) {
      const { page } = await openConsole(gate, { mode: 'live', user: 'ben@shop.example' }, LOOKS[look]);
      await goTo(page, gate.origins.console, 'approvals');
      await check(page, 'approvals', look);
      await page.locator('.panel .button-main').first().click();
      await page.getByRole('dialog').waitFor();
      await check(page, 'approve', look);
    }
  });
});
