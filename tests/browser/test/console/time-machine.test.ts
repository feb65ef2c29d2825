import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { FILE_BYTES_MAX } from '../../../../apps/console/src/web/time/history-file.js';
import { expectAccessible } from '../../accessible.js';
import { startReceiver } from '../../console/receiver.js';
import { enterEndpoint, goTo, openConsole, said, settled, startConsoleGate } from '../../console/open-console.js';

/** The picture in the README, updated by `npm run pictures -- --update`. */
const README_PICTURE = fileURLToPath(new URL('../../../../docs/pictures/console.png', import.meta.url));
const mayWrite = process.env['GATERAMP_WRITE_PICTURES'] === '1';

interface Deliveries {
  readonly data: readonly { readonly status: string }[];
}

describe('the time machine', () => {
  it('goes back by the keyboard to what a session was at each of its events', async () => {
    const gate = await startConsoleGate();
    const session = await gate.createSession();
    await gate.payFor(session.id);
    const { page } = await openConsole(gate, {}, { viewport: { width: 1280, height: 1060 } });
    await goTo(page, gate.origins.console, `session/${session.id}`);

    const slider = page.getByRole('slider');
    const shown = (title: string) => page.locator('.snapshot', { has: page.getByRole('heading', { name: title }) });
    const field = async (title: string, name: string): Promise<string> => {
      const row = shown(title).locator('dl > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) });
      return (await row.locator('dd > span').first().textContent()) ?? '';
    };
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/gate_session.completed$/);
    expect(await field('Session', 'status')).toBe('completed');
    const changed = shown('Session').locator('.is-changed', { hasText: 'status' });
    expect(await changed.locator('del').textContent(), 'the value before').toContain('open');

    if (mayWrite) await page.screenshot({ path: README_PICTURE });

    await page.getByRole('button', { name: 'Export as test' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    expect(await page.locator('.secret').textContent()).toContain('createTestGate');
    await page.getByRole('button', { name: 'Done' }).click();

    await slider.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^Step 1 of \d+: gate_session.created$/);
    expect(page.url()).toContain('?sequence=1');
    expect(await field('Session', 'status')).toBe('open');
    await shown('Transaction').getByText('Did not exist yet.').waitFor();

    // The address leads to the same step, and the browser's history has no entry for each.
    await page.reload();
    await settled(page);
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^Step 1 /);
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(() => field('Session', 'status')).toBe('completed');
    expect(page.url()).not.toContain('sequence');
    await page.goBack();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  it('goes forward to what is due next in the sandbox', async () => {
    const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
    const { page } = await openConsole(gate);
    await enterEndpoint(page, gate, receiver.url);
    receiver.isBroken = true;
    await gate.createSession();
    // The API's own tests cover the shape of its lists.
    const statuses = async () =>
      ((await gate.ask('GET', '/v1/webhooks/deliveries')) as Deliveries).data.map(({ status }) => status);
    await expect.poll(statuses).toEqual(['retrying']);

    await page.getByRole('link', { name: 'Test clock' }).click();
    const row = page.getByRole('row', { name: /gate_session.created/ });
    await row.waitFor();
    receiver.isBroken = false;
    await page.getByRole('button', { name: 'Next item' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Next item' }).click();
    await page.getByText('Nothing is due.').waitFor();
    await expect.poll(statuses).toEqual(['delivered']);
  });

  it('goes forward to the end of a session, and says where it stops', async () => {
    const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
    const { page } = await openConsole(gate);
    await enterEndpoint(page, gate, receiver.url);
    const session = await gate.createSession();
    /** Repeats what stopped at the limit of one run, as the console advises, which a busy machine may reach. */
    const toTheEnd = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Advance to the end' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Advance', exact: true }).click();
      const outcome = (await page.locator('.toast span').textContent()) ?? '';
      return outcome.startsWith('Stopped at the limit of one run') ? toTheEnd() : outcome;
    };
    await goTo(page, gate.origins.console, `session/${session.id}`);
    expect(await toTheEnd()).toBe('Stopped: the session waits for the buyer.');
    receiver.isBroken = true;
    await gate.payFor(session.id);
    receiver.isBroken = false;
    expect(await toTheEnd()).toBe('The session has ended and its deliveries have finished.');
    const { data } = (await gate.ask('GET', `/v1/webhooks/deliveries?session_id=${session.id}`)) as Deliveries;
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['delivered']));
  });

  it('returns the sandbox to a checkpoint', async () => {
    const gate = await startConsoleGate();
    const session = await gate.createSession();
    const { page } = await openConsole(gate);
    await goTo(page, gate.origins.console, 'clock');
    await page.getByRole('button', { name: 'Save checkpoint' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('before paying');
    await page.getByRole('dialog').getByRole('button', { name: 'Save checkpoint' }).click();
    await page.getByRole('cell', { name: 'before paying', exact: true }).waitFor();
    await gate.payFor(session.id);
    await goTo(page, gate.origins.console, `session/${session.id}`);
    await goTo(page, gate.origins.console, 'clock');
    await page.getByRole('button', { name: 'Return: before paying' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Return' }).click();
    await said(page, 'The sandbox was returned to the checkpoint.');
    const { status } = (await gate.ask('GET', `/v1/gate_sessions/${session.id}`)) as { readonly status: string };
    expect(status).toBe('open');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete: before paying' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No checkpoints yet.').waitFor();
  });

  it('opens a history of another console, and no markup of a hostile one', async () => {
    const gate = await startConsoleGate();
    const session = await gate.createSession();
    await gate.payFor(session.id);
    const { page } = await openConsole(gate);
    await goTo(page, gate.origins.console, `session/${session.id}`);
    await page.getByRole('button', { name: 'Export history' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click();
    const text = (await page.locator('.secret').textContent()) ?? '';
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save as file' }).click();
    expect((await saving).suggestedFilename()).toBe(`session-${session.id}.history.json`);

    const other = await openConsole(await startConsoleGate(), {}, { viewport: { width: 1280, height: 1000 } });
    const requests: string[] = [];
    await other.page.getByRole('link', { name: 'Open a history' }).click();
    await other.page.getByRole('heading', { name: 'Open a history', level: 1 }).waitFor();
    other.page.on('request', (request) => requests.push(request.url()));
    const open = (content: string) =>
      other.page
        .getByLabel('Choose a file')
        .setInputFiles({ name: 'h.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    await open(text);
    const slider = other.page.getByRole('slider');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/gate_session.completed$/);
    await slider.focus();
    await other.page.keyboard.press('Home');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^Step 1 /);
    await expectAccessible(other.page);
    await open(text.replaceAll('[redacted]', '<img src=x onerror=alert(1)>').replaceAll('gate_session.', '<b>x</b>'));
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('<b>x</b>');
    expect(await other.page.locator('main img, main b').count()).toBe(0);
    await open('{"object":"session_history"}');
    await other.page.getByText('This file is not an exported history.').waitFor();
    const invalid = other.page.getByText('This file is not an exported history.');
    await open(text.padEnd(FILE_BYTES_MAX));
    await invalid.waitFor({ state: 'detached' });
    await open(text.padEnd(FILE_BYTES_MAX + 1));
    await invalid.waitFor();
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([]);
  });
});
