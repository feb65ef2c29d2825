import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { check } from '../../console/looks.js';
import { goTo, openConsole, startConsoleGate, type ConsoleGate } from '../../console/open-console.js';

const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } } as const;

/** A session that goes through these scenarios. */
async function session(gate: ConsoleGate, ...scenarios: readonly string[]): Promise<string> {
  const { id } = await gate.createSession();
  for (const scenario of scenarios)
    await gate.ask('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, { scenario });
  return id;
}

const rowOf = (page: Page, id: string) => page.locator('tbody tr').filter({ has: page.locator(`a[href$="${id}"]`) });

describe('the state of the payment', () => {
  it.each(Object.entries(SIZES))('is seen in rows, headings and by a filter, on a %s', async (name, viewport) => {
    const gate = await startConsoleGate();
    const ids = {
      declined: await session(gate, 'decline'),
      processing: await session(gate, 'processing'),
      'charged back': await session(gate, 'charged_back'),
      'dispute won': await session(gate, 'charged_back', 'dispute_won'),
      completed: await session(gate, 'succeed'),
    };
    const { page } = await openConsole(gate, {}, { viewport });
    await goTo(page, gate.origins.console, 'sessions');
    for (const [text, id] of Object.entries(ids)) await rowOf(page, id).getByText(text, { exact: true }).waitFor();
    await check(page, `payments-${name}`, 'light');
    await page.getByRole('combobox', { name: 'Payment' }).selectOption({ label: 'declined' });
    await page.waitForURL(({ hash }) => hash === '#/sessions?payment=declined');
    await rowOf(page, ids.completed).waitFor({ state: 'detached' });
    await rowOf(page, ids.declined).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await goTo(page, gate.origins.console, `session/${ids['charged back']}`);
    await page.locator('.heading').getByText('charged back').waitFor();
    await check(page, `payment-${name}`, 'light');
    await goTo(page, gate.origins.console, 'home');
    await page.locator('main .badge').getByText('charged back', { exact: true }).waitFor();
    await check(page, `payments-home-${name}`, 'light');
    // Each count leads to what it counts.
    await page.getByRole('link', { name: '30 days' }).click();
    const failed = page.locator('.tiles li', { has: page.getByRole('link', { name: 'failed', exact: true }) });
    await failed.locator('strong').getByText('1', { exact: true }).waitFor();
    await failed.getByRole('link').click();
    await page.waitForURL(({ hash }) => hash.startsWith('#/transactions?status=failed&created_after='));
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.locator('.badge').getByText('declined', { exact: true }).waitFor();
    // Only what was delivered was received.
    await goTo(page, gate.origins.console, 'transactions');
    const received = page.locator('tbody tr td:nth-child(2)');
    await expect
      .poll(async () => (await received.allInnerTexts()).filter((text) => text.trim() === '–').length)
      .toBe(2);
    await check(page, `payments-transactions-${name}`, 'light');
  });
});
