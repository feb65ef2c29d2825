import { describe, expect, it } from 'vitest';

import { advanceClock } from '../../../services/advance-clock.js';
import { check, EVERY_LOOK, LOOKS } from '../../console/looks.js';
import { enterEndpoint, goTo, openConsole, startConsoleGate, type ConsoleGate } from '../../console/open-console.js';
import { startReceiver } from '../../console/receiver.js';
import { openTab } from '../../open-tab.js';
import { startGate } from '../../start-gate.js';

/** A partner with a bit of everything. */
async function busyPartner(): Promise<{
  readonly gate: ConsoleGate;
  readonly pages: Readonly<Record<string, string>>;
}> {
  const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
  const paid = await gate.createSession({ user_reference: 'order-1' });
  await gate.payFor(paid.id);
  const { page } = await openConsole(gate);
  await enterEndpoint(page, gate, receiver.url);
  receiver.isBroken = true;
  await gate.createSession({ user_reference: 'order-2' });
  await gate.untilGivenUp();
  type Rows = { readonly data: readonly { readonly id: string }[] };
  // The API's own tests cover the shape of its lists.
  const firstOf = async (path: string): Promise<string> => ((await gate.ask('GET', path)) as Rows).data[0]?.id ?? '';
  return {
    gate,
    pages: {
      home: 'home',
      sessions: 'sessions',
      nothing: 'sessions?currency=CHF',
      session: `session/${paid.id}`,
      past: `session/${paid.id}?sequence=2`,
      transactions: 'transactions',
      transaction: `transaction/${await firstOf('/v1/transactions')}`,
      events: 'events',
      event: `event/${await firstOf('/v1/events')}`,
      deliveries: 'deliveries',
      delivery: `delivery/${await firstOf('/v1/webhooks/deliveries?status=dead_lettered')}`,
      object: `object/${paid.id}`,
      endpoint: 'endpoint',
      keys: 'keys',
      clock: 'clock',
      file: 'file',
      domains: 'domains',
      branding: 'branding',
      team: 'team',
      passkeys: 'passkeys',
      audit: 'audit',
      'audit-of': 'audit?action=webhook_endpoint&to=2099-01-01',
      unknown: 'nowhere',
    },
  };
}

describe('every screen of a partner is accessible and fits', () => {
  it.each(EVERY_LOOK)('%s', async (look) => {
    const { gate, pages } = await busyPartner();
    const { page } = await openConsole(gate, {}, LOOKS[look]);
    for (const [name, path] of Object.entries(pages)) {
      await goTo(page, gate.origins.console, path);
      await check(page, name, look);
    }
  });

  it('and so are its forms', async () => {
    const { gate, pages } = await busyPartner();
    const { page } = await openConsole(gate, { mode: 'test' }, LOOKS.light);
    const forms = {
      keys: 'Issue a key',
      deliveries: 'Replay deliveries',
      branding: 'Edit',
      team: 'Invite someone',
      passkeys: 'Add a passkey',
    };
    for (const [path, button] of Object.entries(forms)) {
      await goTo(page, gate.origins.console, pages[path] ?? path);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      await check(page, `form-${path}`, 'light');
      // Escape closes, and the focus returns to where it was.
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(button);
    }
  });
});

describe('times', () => {
  it('follow the clock of the server or of a moved sandbox, not the clock of the device', async () => {
    const gate = await startConsoleGate();
    await gate.createSession();
    const { page } = await openTab();
    await page.addInitScript(() => {
      const right = Date.now.bind(Date);
      Date.now = () => right() - 20 * 86_400_000;
    });
    await page.goto(await gate.invite());
    await page.locator('.shell').waitFor();
    await goTo(page, gate.origins.console, 'sessions');
    const [row] = await page.locator('tbody time').allTextContents();
    expect(row).toMatch(/^(now|\d+ (seconds?|minutes?) ago)$/);
    await advanceClock(gate.origins.sandbox, gate.keys.secret, 2 * 86_400 + 3_600);
    await page.reload();
    await page.locator('tbody time').getByText('2 days ago').waitFor();
  });
});

describe('the search box', () => {
  it('leads from the hash on chain to the transaction, its session and its operation', async () => {
    const gate = await startConsoleGate();
    await gate.payFor((await gate.createSession()).id);
    type Rows = { readonly data: readonly { readonly refid: string; readonly tx_hash: string }[] };
    // The API's own tests cover the shape of its lists.
    const [transaction] = ((await gate.ask('GET', '/v1/transactions')) as Rows).data;
    const { page } = await openConsole(gate);
    await page.keyboard.press('/');
    await page.keyboard.type(transaction?.tx_hash.toUpperCase() ?? '');
    await page.getByRole('search').getByText('3 results').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(({ hash }) => hash === `#/transaction/${transaction?.refid}`);
  });

  it('asks once for what is typed in one go', async () => {
    const gate = await startConsoleGate();
    const { id } = await gate.createSession();
    const { page } = await openConsole(gate);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/console/v1/search')) asked.push(request.url());
    });
    await page.getByRole('searchbox').pressSequentially(id);
    await page.getByRole('search').getByText('1 result', { exact: true }).waitFor();
    expect(asked).toHaveLength(1);
  });

  it('opens the first result of a pasted id by one Enter, when it arrives', async () => {
    const gate = await startConsoleGate();
    const { id } = await gate.createSession();
    const { page } = await openConsole(gate);
    let isEntered = false;
    await page.route('**/console/v1/search?*', async (route) => {
      await expect.poll(() => isEntered).toBe(true);
      await route.continue();
    });
    await page.getByRole('searchbox').fill(id);
    await page.keyboard.press('Enter');
    isEntered = true;
    await page.waitForURL(({ hash }) => hash === `#/session/${id}`);
  });
});

describe('every screen of an operator is accessible and fits', () => {
  it.each(['light', 'phone'] as const)('%s', async (look) => {
    const gate = await startGate({ shopOrigins: ['https://shop.example'] });
    await gate.createSession();
    const { page } = await openTab(LOOKS[look]);
    await page.goto((await gate.operatorLink()) ?? '');
    await page.locator('.shell').waitFor();
    // This installation has no provider legs, which their pages would only say.
    expect(await page.locator('nav a[href$="pools"]').count()).toBe(1);
    expect(await page.locator('nav').locator('a[href$="wallets"], a[href$="operations"]').count()).toBe(0);
    for (const name of ['home', 'partners', 'work', 'pools', 'partner/65f0de300000000000000001']) {
      await goTo(page, gate.origins.console, name);
      await check(page, `operator-${name.split('/')[0]}`, look);
    }
  });
});
