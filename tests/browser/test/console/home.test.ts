import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { consoleListener } from '@gateramp/console';
import { Gauge, Registry } from 'prom-client';
import { TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import { expect, it, onTestFinished } from 'vitest';

import { presentAlarms } from '../../../../apps/reference-server/src/monitoring/present-alarms.js';
import { RecentAlarms } from '../../../../apps/reference-server/src/monitoring/recent-alarms.js';
import { storedStates } from '../../../../apps/reference-server/src/monitoring/stored-states.js';
import { stuckLegs } from '../../../../apps/reference-server/test/stuck-legs.js';
import { expectAccessible } from '../../accessible.js';
import { check, EVERY_LOOK, type Look, LOOKS } from '../../console/looks.js';
import { settled } from '../../console/open-console.js';
import { openTab, type Tab } from '../../open-tab.js';

/** The console of an installation with stuck operations, of which one process evaluates the alarms. */
async function consoleWithAlarms() {
  const { test, legs } = await stuckLegs();
  const { gate, request } = test;
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
  const terms = { amount: '100.10', currency: 'EUR', return_url: 'https://shop.example/' };
  for (const scenario of ['succeed', 'processing', 'succeed', null]) {
    const id = (await gate.sessions.create(scope, terms)).map((made) => made.id).unwrapOr('');
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    if (scenario !== null) await request('POST', path, { key: TEST_KEYS.secret.test, body: { scenario } });
  }
  const registry = new Registry();
  const up = new Gauge({ name: 'gate_rpc_up', help: 'Up', registers: [registry] });
  up.set(0);
  const stored = storedStates({
    operator: { heldSessions: gate.admin.heldSessions },
    legs,
    now: (mode) => gate.clock.now(mode),
    isClockTrusted: () => true,
    isHeld: () => false,
    isAuditSetBack: () => false,
  });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // The cast holds: it listens on a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A stopped clock: otherwise a pending alarm would fire, and move to the top, if the test took minutes.
  const opened = Date.now();
  const alarms = presentAlarms({ registry, recent: new RecentAlarms(), stored, now: () => opened });
  server.on('request', consoleListener({ gate, origin, legs, alarms, authorize: () => null }));
  const enter = async (look: Look, partnerId: string | null = null): Promise<Tab> => {
    const tab = await openTab(LOOKS[look]);
    const scope = partnerId === null ? {} : { mode: 'test' as const };
    const { code } = await gate.console.invite(partnerId, { ...scope, role: 'viewer', actor: 'olga' });
    await tab.page.goto(`${origin}/#code=${code}`);
    await tab.page.locator('.shell').waitFor();
    await settled(tab.page);
    return tab;
  };
  return { enter };
}

it('home shows operators the alarms that fire, with what to do, and what could not be evaluated', async () => {
  const { enter } = await consoleWithAlarms();
  for (const look of EVERY_LOOK) {
    const { page } = await enter(look);
    const alarms = page.locator('.alarm');
    await alarms.first().waitFor();
    expect(await alarms.locator('h3 bdi').allTextContents()).toEqual(['GateOperationStuck', 'GateRpcDown']);
    expect(await alarms.first().innerText()).toContain('gate operations resolve');
    // One click leads to the operation, where it is resolved.
    const stuck = alarms.first().locator('a[href^="#/operation/"]').first();
    expect(await stuck.getAttribute('href')).toBe(`#/operation/${await stuck.innerText()}`);
    const main = await page.locator('main').innerText();
    // Two completed payments and one that is held, with the usual digits of the currency.
    for (const amount of ['200.20', '100.10']) expect(main.replaceAll(',', '.')).toContain(amount);
    await page.locator('.plot canvas').nth(1).waitFor();
    // Test and live mode.
    await page.locator('main a[href$="dead_letters"]').nth(1).waitFor();
    await check(page, 'home-alarms', look);
    const others = page.locator('.alarm-others');
    expect(await others.count()).toBe(2);
    await others.first().locator('summary').click();
    await others.first().getByText('GateHttpErrors').waitFor();
    await check(page, 'home-unevaluated', look);
  }
});

it('home shows users of a partner no alarms', async () => {
  const { enter } = await consoleWithAlarms();
  const { page } = await enter('light', 'partner1');
  expect(await page.locator('.alarm, .alarm-others, main a[href$="dead_letters"]').count()).toBe(0);
});

it('the charts of home are read hour by hour by keyboard, and as tables', async () => {
  const { enter } = await consoleWithAlarms();
  for (const [look, earlier, later] of [
    ['light', 'ArrowLeft', 'ArrowRight'],
    // Time runs from right to left.
    ['arabic', 'ArrowRight', 'ArrowLeft'],
  ] as const) {
    const { page } = await enter(look, TEST_PARTNER.id);
    const chart = page.getByRole('slider').first();
    await chart.locator('canvas').waitFor();
    expect(await chart.getAttribute('aria-valuenow')).toBe('23');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/ 4, .* 2$/);
    await chart.focus();
    await page.keyboard.press(earlier);
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-valuenow') === '22');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/ 0, .* 0$/);
    await page.keyboard.press(later);
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-valuenow') === '23');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-valuenow') === '0');
    const panel = page.locator('.panel:has(.plot)').first();
    await panel.locator('summary').click();
    await expectAccessible(page);
    const rows = await panel.locator('tbody tr').allInnerTexts();
    expect(rows).toHaveLength(24);
    expect(rows.at(-1)).toMatch(/\D4\s+2$/);
  }
});
