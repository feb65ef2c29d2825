import { describe, expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { goTo, openConsole, settled, startConsoleGate } from '../../console/open-console.js';
import { openTab } from '../../open-tab.js';

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
    await expectAccessible(second.page);
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
