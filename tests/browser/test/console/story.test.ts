import { describe, expect, it } from 'vitest';

import {
  callAs,
  enterEndpoint,
  goTo,
  openConsole,
  said,
  settled,
  startConsoleGate,
} from '../../console/open-console.js';
import { startReceiver } from '../../console/receiver.js';

describe('in the console', () => {
  it('a partner finds a broken receiver, fixes it, and replays what was lost', async () => {
    const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
    const { page } = await openConsole(gate, {}, { permissions: ['clipboard-read', 'clipboard-write'] });

    // Webhooks go to a receiver of the partner's own.
    await page.getByRole('link', { name: 'Webhook endpoint' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Saved.');
    await page.getByText(receiver.url).waitFor();

    receiver.isBroken = true;
    const session = await gate.createSession({ user_reference: 'order-77' });
    await gate.payFor(session.id);
    await gate.untilGivenUp();

    // The list, narrowed down in the address.
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByLabel('Status').selectOption('dead_lettered');
    await expect.poll(() => page.url()).toContain('#/deliveries?status=dead_lettered');
    await settled(page);
    await page.getByRole('link', { name: 'gate_session.created' }).click();

    // Attempt by attempt.
    await page.getByText('Attempt 5').waitFor();
    expect(await page.locator('.attempts .badge-bad').allTextContents()).toEqual(['500', '500', '500', '500', '500']);
    await page.getByText('Response body').first().click();
    await page.getByText('out of stock').first().waitFor();
    // The clipboard is written after the click, and a test in another tab of this browser may write to it too.
    const copied = async () => {
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await expect.poll(copied).toContain(`curl -X POST '${receiver.url}'`);
    await expect.poll(copied).toContain(session.id);

    receiver.isBroken = false;
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await said(page, 'Replayed.');
    await expect.poll(() => receiver.taken.map(({ type }) => type)).toEqual(['gate_session.created']);
    await page.reload();
    await page.locator('.heading').getByText('delivered').waitFor();

    // The others at once, counted before they are sent.
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('button', { name: 'Replay deliveries' }).click();
    await page.getByRole('button', { name: 'Count' }).click();
    const others = page.getByRole('dialog').getByRole('button', { name: /^Replay \d+$/ });
    const total = Number(((await others.textContent()) ?? '').replace('Replay ', ''));
    expect(total).toBeGreaterThan(1);
    await others.click();
    await expect.poll(() => receiver.taken.length).toBe(total + 1);
    expect(receiver.taken.map(({ type }) => type)).toContain('gate_session.completed');

    // Every change is on record.
    await page.getByRole('link', { name: 'Audit log' }).click();
    const entries = page.locator('td[data-label="Who"]', { hasText: 'ada@shop.example' });
    await expect.poll(() => entries.count()).toBeGreaterThanOrEqual(3);
  });

  it('a partner rotates the secret with an overlap, and issues and revokes a key', async () => {
    const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
    const { page } = await openConsole(gate);
    await enterEndpoint(page, gate, receiver.url);

    await page.getByRole('button', { name: 'Rotate the signing secret' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const secret = (await page.locator('.secret').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('The previous secret also signs until').waitFor();
    expect(await page.content(), 'the secret once it has been shown').not.toContain(secret);
    await gate.createSession();
    await expect.poll(() => receiver.taken.length).toBe(1);
    expect(receiver.taken[0]?.headers['gate-signature']).toMatch(/^t=\d+,v1=\w+,v1=\w+$/);

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('everything (*)').uncheck();
    await page.getByLabel('sessions:read').check();
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    const key = (await page.locator('.secret').textContent()) ?? '';
    await page.getByRole('button', { name: 'Done' }).click();
    const sessions = `${gate.origins.sandbox}/v1/gate_sessions`;
    expect((await callAs(key, sessions)).status).toBe(200);
    expect((await callAs(key, sessions, 'POST', {})).status, 'a call beyond its scopes').toBe(403);

    const row = page.getByRole('row', { name: /sessions:read/ });
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    await expect.poll(async () => (await callAs(key, sessions)).status).toBe(401);
  });

  it('a viewer sees everything and is offered no change', async () => {
    const gate = await startConsoleGate();
    const session = await gate.createSession();
    const { page } = await openConsole(gate, { role: 'viewer' });
    for (const path of ['endpoint', 'keys', 'domains', 'branding', 'team', 'deliveries', `session/${session.id}`]) {
      await goTo(page, gate.origins.console, path);
      const names = await page.locator('main').getByRole('button').allTextContents();
      expect(
        names.filter((name) => /Edit|Pause|Rotate|Issue|Revoke|Invite|Replay/.test(name)),
        path,
      ).toEqual([]);
    }
  });

  it('a support person on a phone approves a replay in live mode, with a reason', async () => {
    const gate = await startConsoleGate();
    const { page } = await openConsole(
      gate,
      { mode: 'live', role: 'support' },
      { viewport: { width: 320, height: 640 } },
    );
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.locator('.top').getByText('Live').waitFor();
    await page.getByRole('button', { name: 'Replay deliveries' }).click();
    await page.getByText('Live mode: changes affect real payments').waitFor();
    await page.getByLabel('Reason').waitFor();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('Deliveries to replay: 0.').waitFor();
    expect(await page.getByRole('button', { name: 'Replay 0' }).isDisabled()).toBe(true);
  });
});
