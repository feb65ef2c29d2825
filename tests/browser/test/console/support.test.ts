import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { check, type Look } from '../../console/looks.js';
import { enterEndpoint, goTo, openConsole, said, startConsoleGate } from '../../console/open-console.js';
import { startReceiver } from '../../console/receiver.js';

const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } } as const;

/** Opens the form of a button and sends it. */
async function act(page: Page, button: string, reason: string | null = null): Promise<void> {
  await page.getByRole('button', { name: button }).first().click();
  const dialog = page.getByRole('dialog');
  if (reason !== null) await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: button }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('support does from the object what is needed', () => {
  it.each(Object.entries(SIZES))('cancels, resends, tests and asks for a refund, on a %s', async (name, viewport) => {
    const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
    const { page: admin } = await openConsole(gate);
    await enterEndpoint(admin, gate, receiver.url);
    const paid = await gate.createSession();
    await gate.ask('POST', `/v1/test_helpers/gate_sessions/${paid.id}/simulate`, { scenario: 'succeed' });
    await expect.poll(() => receiver.taken.some(({ type }) => type === 'gate_session.completed')).toBe(true);
    const open = await gate.createSession();
    const { page } = await openConsole(gate, { role: 'support', user: 'sam@shop.example' }, { viewport });
    const { console: origin } = gate.origins;

    await goTo(page, origin, `session/${open.id}`);
    await check(page, `support-session-${name}`, 'light' satisfies Look);
    await act(page, 'Cancel session');
    await page.locator('.heading').getByText('cancelled').waitFor();

    await goTo(page, origin, 'deliveries?event_type=gate_session.completed');
    await page.locator('.row-link').first().click();
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    await check(page, `support-delivery-${name}`, 'light');
    const takenOf = (type: string) => receiver.taken.filter((one) => one.type === type).length;
    const before = takenOf('gate_session.completed');
    await act(page, 'Send again');
    await said(page, 'Queued for delivery.');
    await expect.poll(() => takenOf('gate_session.completed')).toBe(before + 1);

    await goTo(page, origin, 'endpoint');
    await act(page, 'Send a test event');
    await expect.poll(() => takenOf('webhook.test')).toBe(1);

    await goTo(page, origin, `session/${paid.id}`);
    await check(page, `support-paid-${name}`, 'light');
    await act(page, 'Request a refund', 'damaged');
    await said(page, 'A second person must approve it');
  });
});
