import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { consoleListener } from '@gateramp/console';
import { TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { stuckLegs } from '../../../../apps/reference-server/test/stuck-legs.js';
import { check, EVERY_LOOK, type Look, LOOKS } from '../../console/looks.js';
import { goTo, said, settled } from '../../console/open-console.js';
import { picturePath } from '../../pictures.js';
import { openTab, type Tab } from '../../open-tab.js';

/** A console on its own listener with stuck operations, a pool and a delivery that was given up. */
async function operatorsConsole() {
  const { test, legs } = await stuckLegs();
  const { gate, receiver } = test;
  const pool = { id: 'usdc-eur', asset: 'USDC', network: 'ethereum', currency: 'EUR', spreadBps: 25, feeBps: 10 };
  await gate.admin.savePool(TEST_PARTNER.id, pool);
  const movement = { poolId: pool.id, currency: 'EUR', amount: '12500.00', reference: 'bank-1' };
  await gate.admin.movePoolBalance(TEST_PARTNER.id, movement);
  receiver.answerWith(() => ({ responseStatus: 500, responseBody: 'no', error: null }));
  const scope = { partnerId: TEST_PARTNER.id, mode: 'live' } as const;
  await gate.admin.setEndpoint(scope, { url: 'https://shop.example/hooks', secret: `whsec_${'a'.repeat(32)}` });
  await gate.webhooks.test(scope);
  await gate.runDue();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // The cast holds: it listens on a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', consoleListener({ gate, origin, legs, authorize: () => null }));
  const enter = async (actor: string, look: Look = 'light'): Promise<Tab> => {
    const tab = await openTab(LOOKS[look]);
    const { code } = await gate.console.invite(null, { role: 'operator', actor });
    await tab.page.goto(`${origin}/#code=${code}`);
    await tab.page.locator('.shell').waitFor();
    return tab;
  };
  return { gate, origin, enter };
}

const SCREENS = {
  pools: 'pools',
  dead: 'dead_letters',
  wallets: 'wallets',
  operations: 'operations?mode=live&stuck=true',
  operation: 'operation/op-live',
  trail: 'trail',
  'trail-nothing': 'trail?action=nothing&from=2026-01-01',
};

describe('every screen of operators is accessible and fits', () => {
  it('in each look', async () => {
    const { origin, enter } = await operatorsConsole();
    for (const look of EVERY_LOOK) {
      const { page } = await enter('olga', look);
      for (const [name, path] of Object.entries(SCREENS)) {
        await goTo(page, origin, path);
        await check(page, `operator-${name}`, look);
      }
    }
  });
});

it('the whole menu of operators can be reached on a phone, below the header', async () => {
  const { enter } = await operatorsConsole();
  const { page } = await enter('olga', 'phone');
  await page.setViewportSize({ width: 375, height: 600 });
  await page.locator('.menu-button').first().click();
  const items = page.locator('nav a');
  expect(await items.count()).toBe(21);
  for (const item of await items.all()) {
    await item.evaluate((link) => link.scrollIntoView({ block: 'nearest' }));
    const isHit = await item.evaluate((link) => {
      const { left, top, bottom } = link.getBoundingClientRect();
      return [top + 2, bottom - 2].every((y) => link.contains(document.elementFromPoint(left + 20, y)));
    });
    expect([await item.innerText(), isHit]).toEqual([await item.innerText(), true]);
  }
  await page.screenshot({ path: picturePath('console-menu-phone') });
});

describe('two operators', () => {
  it('end a stuck operation and move a balance, and one pauses the wallet', async () => {
    const { gate, origin, enter } = await operatorsConsole();
    const { page } = await enter('olga');
    await goTo(page, origin, 'operations');
    await page.getByRole('link', { name: 'op-live' }).click();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('Reason').fill('ticket 42');
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await said(page, 'A second person must approve it');
    await goTo(page, origin, 'pools');
    await page.getByRole('button', { name: 'Move: usdc-eur, EUR' }).click();
    await page.getByLabel('Amount').fill('-2500.00');
    await page.getByLabel('Reference').fill('bank-2');
    await page.getByLabel('Reason').fill('payout');
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await said(page, 'A second person must approve it');

    const second = await enter('paul', 'light');
    await goTo(second.page, origin, `live/${TEST_PARTNER.id}/approvals`);
    await second.page.getByText('-2500.00').waitFor();
    for (const name of ['Approve: Move the balance of a pool', 'Approve: Resolve an operation']) {
      await second.page.getByRole('button', { name }).click();
      await second.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
      await second.page.getByRole('button', { name }).waitFor({ state: 'detached' });
      await settled(second.page);
    }
    await goTo(page, origin, 'operation/op-live');
    await page.locator('.heading').getByText('refunded').waitFor();
    const [pool] = await gate.admin.listPools(TEST_PARTNER.id);
    expect(pool?.balances.find(({ currency }) => currency === 'EUR')?.available).toBe('10000');

    await goTo(page, origin, 'wallets');
    await page.getByRole('button', { name: 'Pause: base' }).click();
    await page.getByLabel('Reason').fill('drill');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume: base' }).waitFor();
  });

  it('replay what a partner has missed, counted first', async () => {
    const { gate, origin, enter } = await operatorsConsole();
    const { page } = await enter('olga');
    await goTo(page, origin, 'dead_letters');
    await page.getByRole('button', { name: /^Replay: / }).click();
    await page.getByLabel('Reason').fill('receiver is back');
    await page.getByRole('dialog').getByRole('button', { name: 'Count' }).click();
    await page.getByText('Deliveries to replay: 1.').waitFor();
    await page.getByRole('button', { name: 'Replay 1' }).click();
    await said(page, 'Replayed.');
    await page.getByText('Nothing here yet').waitFor();
    const [entry] = await gate.admin.audit.list({ limit: 1 });
    expect(entry).toMatchObject({ reason: 'receiver is back', actor: { id: 'olga' }, mode: 'live' });
  });
});

it('an operator of all partners finds sign-ins in the log of the installation, by action, person and day', async () => {
  const { gate, origin, enter } = await operatorsConsole();
  await enter('paul');
  const { page } = await enter('olga');
  await page.locator('nav').getByRole('link', { name: 'Installation log' }).click();
  await page.getByLabel('Action').fill('console_access.exchange');
  await page.keyboard.press('Enter');
  await page.waitForURL(({ hash }) => hash === '#/trail?action=console_access.exchange');
  await settled(page);
  const who = page.locator('tbody td:nth-child(3)');
  expect(await who.allInnerTexts()).toEqual(['operator olga', 'operator paul']);
  await page.getByLabel('Who').fill('paul');
  await page.keyboard.press('Tab');
  await page.waitForURL(({ hash }) => hash.endsWith('&actor=paul'));
  await settled(page);
  expect(await who.allInnerTexts()).toEqual(['operator paul']);
  await page.getByLabel('From').fill('2099-01-01');
  await page.getByText('Nothing matches these filters.').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByText('console_access.invite').first().waitFor();

  for (let nth = 0; nth < 30; nth += 1)
    await gate.admin.issueKey(TEST_PARTNER.id, { mode: 'test', type: 'publishable' });
  await goTo(page, origin, 'trail?action=key.issue');
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(({ hash }) => /^#\/trail\?action=key\.issue&before=\d+$/.test(hash));
  await settled(page);
  expect(new Set(await page.locator('tbody td:nth-child(4)').allInnerTexts())).toEqual(new Set(['key.issue']));
});

it('a filter keeps what is being typed while the list is read', async () => {
  const { origin, enter } = await operatorsConsole();
  const { page } = await enter('olga');
  const answers: (() => Promise<void>)[] = [];
  await page.route(/\/console\/v1\/audit/, (route) => {
    answers.push(() => route.continue());
  });
  await page.goto(`${origin}/#/trail`);
  const action = page.getByLabel('Action');
  await action.pressSequentially('console_access.');
  for (const answer of answers) await answer();
  await settled(page);
  await page.locator('tbody td').first().waitFor();
  await action.pressSequentially('exchange');
  expect(await action.inputValue()).toBe('console_access.exchange');
  await page.keyboard.press('Enter');
  await page.waitForURL(({ hash }) => hash === '#/trail?action=console_access.exchange');
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expect.poll(() => action.inputValue()).toBe('');
});
