import { describe, expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { check, EVERY_LOOK, LOOKS } from '../../console/looks.js';
import { goTo, openConsole, settled, startConsoleGate } from '../../console/open-console.js';
import { openTab } from '../../open-tab.js';
import { picturePath } from '../../pictures.js';
import { startGate } from '../../start-gate.js';

describe('the door of the console', () => {
  it('opens by a link of `gate console invite`, once, and leaves nothing of it in the address', async () => {
    const gate = await startConsoleGate();
    const link = await gate.invite({ role: 'viewer' });
    const { page } = await openTab();
    await page.goto(link);
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
    expect(page.url()).not.toContain('code=');
    expect(await page.evaluate(() => JSON.stringify([history.state, localStorage, sessionStorage]))).not.toContain(
      new URL(link).hash.slice(6),
    );
    expect(await page.evaluate(() => document.cookie), 'what scripts see of the session').toBe('');

    const second = await openTab();
    second.expectProblem(/Failed to load resource.* 401/);
    await second.page.goto(link);
    await second.page.getByText('This link has been used or has expired').waitFor();
    await second.page.getByText('gate console invite').waitFor();
    await second.page.screenshot({ path: picturePath('console-door-command') });
    await expectAccessible(second.page);
  });

  it('asks before a link replaces an open session, and does what was chosen', async () => {
    const gate = await startConsoleGate();
    const { page } = await openConsole(gate, { user: 'ada@shop.example' });
    const signedInAs = async () => {
      await page.locator('.shell').waitFor();
      const name = await page.getByRole('button', { name: /@shop\.example/ }).getAttribute('aria-label');
      return name?.split(',')[0];
    };
    const answers: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') answers.push(new URL(request.url()).pathname);
    });
    const stranger = await gate.invite({ user: 'mallory@shop.example', role: 'viewer' });
    await page.goto(stranger);
    await page.getByRole('heading', { name: 'A session is already open in this browser' }).waitFor();
    await page.getByText('ada@shop.example').waitFor();
    await page.getByText('mallory@shop.example').waitFor();
    expect(page.url()).not.toContain('code=');
    expect(answers).toEqual(['/console/v1/session/link']);
    await page.getByRole('button', { name: 'Stay signed in' }).press('Enter');
    expect(await signedInAs()).toBe('ada@shop.example');

    // The link is unused, so it still asks; the same name is a question too.
    await page.goto(stranger);
    await page.getByRole('button', { name: 'Sign in with the link' }).click();
    expect(await signedInAs()).toBe('mallory@shop.example');
    await page.goto(await gate.invite({ user: 'mallory@shop.example' }));
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    expect(await signedInAs()).toBe('mallory@shop.example');
  });

  it('keeps the session when its link is opened again', async () => {
    const gate = await startConsoleGate();
    const link = await gate.invite();
    const { page, expectProblem } = await openTab();
    await page.goto(link);
    await page.locator('.shell').waitFor();
    expectProblem(/Failed to load resource.* 401/);
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with the link' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.locator('.shell').waitFor();
  });

  it.each(EVERY_LOOK)('asks accessibly: %s', async (look) => {
    const gate = await startConsoleGate();
    const { page } = await openConsole(gate, {}, LOOKS[look]);
    await page.goto(
      await gate.invite({ user: 'mallory-with-a-name-that-is-rather-long@elsewhere.example', mode: 'live' }),
    );
    await page.getByText('mallory-').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await check(page, 'door-question', look);
  });

  it('names no command where the data is in memory, which no command reaches', async () => {
    const gate = await startGate({ shopOrigins: ['https://shop.example'] });
    for (const [look, viewport] of [
      ['wide', { width: 1280, height: 800 }],
      ['phone', { width: 375, height: 740 }],
    ] as const) {
      const { page, expectProblem } = await openTab({ viewport });
      expectProblem(/Failed to load resource.* 401/);
      await page.goto(gate.origins.console);
      await page.getByText('Ask the operator of this server for a sign-in link.').waitFor();
      await page.getByText('The server prints one each time it starts').waitFor();
      expect(await page.getByText('gate console invite').count()).toBe(0);
      await expectAccessible(page);
      await page.screenshot({ path: picturePath(`console-door-memory-${look}`) });
    }
  });

  it('closes by signing out, and shows nothing after going back', async () => {
    const gate = await startConsoleGate();
    const session = await gate.createSession();
    const { page, expectProblem } = await openConsole(gate);
    await goTo(page, gate.origins.console, `session/${session.id}`);
    await page.getByText(session.id).first().waitFor();
    await page.getByRole('button', { name: /^ada@shop.example/ }).click();
    const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    await ended;
    expectProblem(/Failed to load resource.* 401/);
    await page.reload();
    await page.getByText('Open the link you were invited with').waitFor();
    expect(await page.content()).not.toContain(session.id);
  });

  it('says so when a session ends while the console is open', async () => {
    const gate = await startConsoleGate();
    const { page, context, expectProblem } = await openConsole(gate);
    await settled(page);
    await context.clearCookies();
    expectProblem(/Failed to load resource.* 401/);
    const ended = page.getByText('Your session has ended');
    // A read of the page itself may be the first to be refused.
    await Promise.race([page.getByRole('link', { name: 'Sessions' }).click(), ended.waitFor()]);
    await ended.waitFor();
  });
});
